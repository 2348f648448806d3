"""Training runtimes of the fleet → the objects that one environment gets; without node selector: flavors place them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from generator.environment import fleet as given
from generator.environment.load import Inputs
from generator.finding import Finding, Layer, Severity, error
from generator.plan.model import CPU, MEMORY, STORAGE, Amounts, ClusterQueue, FlavorQuota, Pool, Runtime, Team
from generator.quantity import Amount, parse
from generator.releases.model import OpenShiftAI, Trainer
from generator.source import at, value_at
from generator.spelling import remedy


def resolve(
    inputs: Inputs, pools: Mapping[str, Pool], teams: tuple[Team, ...], release: OpenShiftAI, *, trainer: bool
) -> tuple[tuple[Runtime, ...], list[Finding]]:
    """Return the runtime objects, and what is wrong; without Trainer, or without the pool, there is none."""
    if not trainer or release.trainer is None:
        return (), []
    runtimes: list[Runtime] = []
    findings: list[Finding] = []
    for item in inputs.fleet.get("runtimes") or ():
        candidates = _candidates(item, pools)
        found = [*_defects(item, release, release.trainer), *_pool_defects(item, candidates)]
        findings += found
        if candidates and not any(f.severity is Severity.ERROR for f in found):
            runtimes += _objects(item, candidates, teams, release.trainer)
    return tuple(sorted(runtimes, key=lambda r: (r.namespace or "", r.name))), findings


def is_possible(item: given.Runtime, pools: Mapping[str, Pool]) -> bool:
    """Whether an environment has a pool for the runtime."""
    return bool(_candidates(item, pools))


def _candidates(item: given.Runtime, pools: Mapping[str, Pool]) -> list[Pool]:
    """Return the pools whose nodes may run the runtime: the named one, or all of the vendor (without: all)."""
    if "pool" in item:
        return [pools[item["pool"]]] if item["pool"] in pools else []
    vendor = item.get("accelerator", "none")
    return [p for p in pools.values() if vendor in ("none", p.vendor)]


def _objects(item: given.Runtime, pools: list[Pool], teams: tuple[Team, ...], trainer: Trainer) -> Iterator[Runtime]:
    per_node = item["perNode"]
    requests: dict[str, int] = {CPU: parse(per_node["cpu"]), MEMORY: parse(per_node["memory"])}
    if "ephemeral-storage" in per_node:
        requests[STORAGE] = parse(per_node["ephemeral-storage"])
    units = _units(item, pools)
    if item.get("scope") != "project":
        yield _runtime(item, pools, requests | units, trainer, None, None)
        return
    names = {p.name for p in pools}
    for team in teams:
        fitting = {q.name for q in team.queues if any(f.flavor in names and _can_get(f, units, q) for f in q.flavors)}
        for space in sorted({local.namespace for local in team.local_queues if local.cluster_queue in fitting}):
            yield _runtime(item, pools, requests | units, trainer, space, team.name)


def _can_get(flavor: FlavorQuota, units: Amounts, queue: ClusterQueue) -> bool:
    """Whether a queue owns some of each accelerator resource in a flavor, or may borrow some."""
    return all(
        quota.nominal or (queue.cohort is not None and quota.borrowing_limit != 0)
        for quota in flavor.resources
        if quota.resource in units
    )


def _units(item: given.Runtime, pools: list[Pool]) -> dict[str, Amount]:
    per_node = item["perNode"]
    if "slices" in per_node:
        return {_slices(pools)[profile]: parse(count) for profile, count in per_node["slices"].items()}
    count = parse(per_node.get("accelerators", 0))
    return {_whole(pools)[0]: count} if count else {}


def _slices(pools: list[Pool]) -> dict[str, str]:
    """Return MIG profile → resource over all pools."""
    return {k: v for p in pools if p.sharing.mig == "mixed" for k, v in zip(p.sharing.layout, p.offers, strict=True)}


def _whole(pools: list[Pool]) -> list[str]:
    """Return the resources under which the pools offer accelerators, the vendor's own name first."""
    resources = {r: None for p in pools if p.sharing.mig != "mixed" for r in p.offers}
    return sorted(resources, key=lambda r: all(p.accelerator is None or r != p.accelerator.resource for p in pools))


def _runtime(
    item: given.Runtime, pools: list[Pool], requests: Amounts, trainer: Trainer, namespace: str | None, team: str | None
) -> Runtime:
    vendor = (
        next((p.vendor for p in pools if p.vendor != "none"), "none")
        if "pool" in item
        else item.get("accelerator", "none")
    )
    own = {p.accelerator.resource for p in pools if p.accelerator}
    return Runtime(
        name=item["name"],
        namespace=namespace,
        team=team,
        framework=item["framework"],
        policy=trainer.frameworks.get(item["framework"]),
        image=item["image"],
        nodes=item.get("nodes", 1),
        requests=requests,
        command=tuple(item.get("command") or ()),
        args=tuple(item.get("args") or ()),
        env=tuple((v["name"], v["value"]) for v in item.get("env") or ()),
        description=item.get("description"),
        pool=item.get("pool"),
        vendor=vendor,
        plain=namespace is None and all(r in (CPU, MEMORY, STORAGE) or r in own for r in requests),
        origin=at(item),
    )


def _defects(item: given.Runtime, release: OpenShiftAI, trainer: Trainer) -> Iterator[Finding]:
    name = item["name"]
    if name in release.shipped_runtimes:
        yield error(
            "reserved-name",
            f"OpenShift AI {release.version} ships a runtime {name} and would change it back",
            at(item, "name"),
            "choose another name",
        )
    if item["framework"] not in trainer.frameworks:
        yield Finding(
            "unknown-framework",
            Severity.WARNING,
            Layer.READINESS,
            f"runtime {name} has the framework {item['framework']}, "
            f"for which Trainer {trainer.version} has no policy: it only starts the nodes",
            value_at(item, "framework"),
            remedy(item["framework"], trainer.frameworks),
        )
    elif trainer.frameworks[item["framework"]] == "mpi":
        yield Finding(
            "runtime-needs-scc",
            Severity.WARNING,
            Layer.READINESS,
            f"the pods of MPI runtime {name} run as user 1000, for Trainer's sshd, "
            "which OpenShift refuses by its SecurityContextConstraints restricted-v2",
            value_at(item, "framework"),
            "bind the SecurityContextConstraints nonroot-v2 to the service account of jobs in each namespace that "
            "uses it (oc adm policy add-scc-to-user nonroot-v2 -z default -n …), and accept this in Waivers",
        )


def _pool_defects(item: given.Runtime, pools: list[Pool]) -> Iterator[Finding]:
    if not pools:
        return
    name, per_node = item["name"], item["perNode"]
    counts = bool(parse(per_node.get("accelerators", 0)))
    if counts and "pool" not in item and item.get("accelerator", "none") == "none":
        yield error(
            "accelerators-without-vendor",
            f"runtime {name} asks for accelerators and names neither their vendor nor a pool",
            at(per_node, "accelerators"),
            "add accelerator: nvidia, amd or intel, or a pool",
        )
        return
    listed = ", ".join(p.name for p in pools)
    if "pool" in item and item.get("accelerator", pools[0].vendor) != pools[0].vendor:
        yield error(
            "wrong-vendor",
            f"runtime {name} is for {item['accelerator']} and pool {item['pool']} holds {pools[0].vendor}",
            value_at(item, "accelerator"),
            f"write accelerator: {pools[0].vendor}, or name a pool of {item['accelerator']}",
            layer=Layer.READINESS,
        )
        return
    if "slices" in per_node:
        there = _slices(pools)
        for profile in per_node["slices"]:
            if profile not in there:
                yield error(
                    "unknown-slice",
                    f"runtime {name} asks for slices {profile}, and no pool of {listed} offers them",
                    at(per_node["slices"], profile),
                    f"offered are {', '.join(there) or 'none'}",
                )
    elif counts and not _whole(pools):
        mixed = _slices(pools)
        yield error(
            "accelerators-of-mig-pool" if mixed else "accelerators-of-cpu-pool",
            f"runtime {name} asks for accelerators, and the pools {listed} offer {', '.join(mixed.values()) or 'none'}",
            at(per_node, "accelerators"),
            f"write slices: {{{next(iter(mixed))}: <count>}}"
            if mixed
            else "name accelerator: nvidia, amd or intel, or another pool",
        )
