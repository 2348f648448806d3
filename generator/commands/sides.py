"""What `preflight` compares: the inputs, or what a Job was given of them, and a cluster, or a file of nodes."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from generator.commands import manifests
from generator.commands.owners import Owners, has_errors
from generator.commands.progress import Progress
from generator.commands.read import find_root, read
from generator.emit import expectation
from generator.environment.load import FOLDER, load
from generator.finding import FatalError, Finding, Location, Severity, error
from generator.kustomize import Overlay, build
from generator.manifest import Manifest
from generator.plan.resolve import resolve
from generator.preflight.expected import Expected, loads, parsed
from generator.preflight.live import Live
from generator.validate.cluster import name_of
from generator.validate.kinds import NODE, kind_of
from generator.validate.wording import some

_NODES = "write it with: oc get nodes -o json"
_LARGEST = 8 * 2**20  # bytes of an expectation; a ConfigMap holds one


def expected(options: Namespace, progress: Progress) -> tuple[Expected | None, list[Finding]]:
    """Return what the environment expects, and None beside the errors that keep it from being compiled.

    Raises:
        FatalError: neither can be read, or it is not clear which environment is meant.
    """
    if options.expect is not None:
        if options.environment is not None:
            raise FatalError("ENV and --expect both say what is expected", "name one of them")
        return loads(_bytes(options.expect), options.expect), []
    progress.step(f"reading {FOLDER}/")
    root = find_root(options.root)
    files, findings = read(root)
    given, found = load(files)
    findings += found
    owners = Owners(given)
    name = _chosen(options.environment, owners, findings)
    findings = [finding for finding in findings if owners.concerns(finding, [name])]
    if not owners.sound([name], findings):
        return None, findings
    progress.step(f"resolving {name}")
    plan, found = resolve(given.environments[name], options.as_of)
    findings += found
    if plan is None or has_errors(findings):
        return None, findings
    overlay, found = build(plan)
    if has_errors(found):
        return None, [*findings, *found]
    return parsed(expectation.whole(plan, overlay.synced), _places(overlay)), []


def live(options: Namespace, wanted: Expected) -> tuple[Live, list[Finding]]:
    """Return the cluster, or the nodes of a file and what is wrong with that.

    Raises:
        FatalError: it cannot be read.
    """
    if options.nodes is not None:
        return _of_file(options.nodes)
    from generator.preflight.access import access
    from generator.preflight.client import Client
    from generator.preflight.read import read as read_live

    with access(options.kubeconfig, options.context) as opened:
        return read_live(Client(opened, options.timeout), wanted), []


def _of_file(path: str) -> tuple[Live, list[Finding]]:
    found = manifests.read(path)
    if errors := [finding for finding in found.findings if finding.severity is Severity.ERROR]:
        # what is left of a broken file would be taken for nodes that are gone
        raise FatalError(f"cannot read {errors[0].location or path}: {errors[0].message}", _NODES)
    nodes = [manifest for manifest in found.objects if kind_of(manifest.body) == NODE]
    if not nodes:
        raise FatalError(f"{path} holds no Node", _NODES)
    once, twice = _once(nodes)
    return Live({NODE: once}, is_online=False), found.findings + twice


def _once(nodes: list[Manifest]) -> tuple[list[Manifest], list[Finding]]:
    """Return each node once, and a finding where some stand there again: counted twice, they would give twice."""
    once: dict[str, Manifest] = {}
    again = [node for node in nodes if once.setdefault(name_of(node), node) is not node]
    if not again:
        return nodes, []
    message = f"nodes stand there more than once: {some(sorted({name_of(node) for node in again}))}"
    return list(once.values()), [error("node-twice", message, again[0].origin, _NODES)]


def _chosen(name: str | None, owners: Owners, findings: list[Finding]) -> str:
    chosen = owners.chosen([name] if name else [], findings)
    if name is None and len(chosen) != 1:
        raise FatalError("which environment is it?", f"name one of: {', '.join(chosen) or 'there is none'}")
    return name or chosen[0]


def _bytes(path: str) -> bytes:
    try:
        with Path(path).open("rb") as file:
            data = file.read(_LARGEST + 1)
    except (OSError, ValueError) as problem:
        why = problem.strerror if isinstance(problem, OSError) else str(problem)
        raise FatalError(f"cannot read {path}: {why}", "name the file of the ConfigMap") from None
    if len(data) > _LARGEST:
        raise FatalError(f"cannot read {path}: it is larger than {_LARGEST // 2**20} MiB", "name the right file")
    return data


def _places(overlay: Overlay) -> dict[tuple[str, str, str], Location]:
    """Return the input line of every object, pool and Subscription, by kind, namespace and name."""
    found = {
        (manifest.kind, manifest.namespace or "", manifest.name): manifest.origin
        for leaf in overlay.synced
        for manifest in leaf.objects()
        if manifest.origin != Location("")
    }
    found |= {("pool", "", name): pool.origin for name, pool in overlay.plan.pools.items()}
    found["Environment", "", overlay.plan.name] = overlay.plan.origin
    return found | {("Subscription", "", s.operator.package): s.origin for s in overlay.plan.subscriptions}
