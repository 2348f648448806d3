"""What fits: requests of profiles and runtimes against quota, borrowing and nodes, at the edge and one past it."""

from __future__ import annotations

from typing import Any

import pytest

from generator.plan.ledger import Ledger
from generator.plan.ledger.lines import Demand, Fit
from tests.builders import CORES, H100, MIXED, TEAM, plan, text

GPU = "nvidia.com/gpu"
NLP = "{apiVersion: apportion.dev/v1, kind: Team, name: nlp, members: {groups: [nlp]}}"
IMAGE = "registry.example.com/torch@sha256:" + "0" * 64


def profile(
    accelerators: str | None, *, pool: str = "h100", cpu: str = "{default: 1}", memory: str = "{default: 1Gi}"
) -> str:
    cards = f", accelerators: {accelerators}" if accelerators else ""
    return f"profiles: [{{name: p, pool: {pool}, queue: training, cpu: {cpu}, memory: {memory}{cards}}}]\n"


def runtime(accelerators: int, nodes: int = 1, more: str = "accelerator: nvidia", cpu: int = 1) -> str:
    cards = f", accelerators: {accelerators}" if accelerators else ""
    per_node = f"{{cpu: {cpu}, memory: 1Gi{cards}}}"
    return f"runtimes: [{{name: r, framework: torch, image: '{IMAGE}', {more}, nodes: {nodes}, perNode: {per_node}}}]\n"


def demands(fleet: str, vision: str, nlp: str = "", **parts: Any) -> tuple[Demand, ...]:
    """Return the demands where team vision has a queue training of this quota, and nlp one to borrow from."""
    teams = (
        f"{{team: vision, cohort: org, namespaces: [{{name: vision}}], queues: [{{name: training, quota: {vision}}}]}}"
    )
    if nlp:
        teams += (
            f", {{team: nlp, cohort: org, namespaces: [{{name: nlp-work}}], queues: [{{name: other, quota: {nlp}}}]}}"
        )
    written = f"cohorts: [{{name: org}}]\nteams: [{teams}]\n"
    parts = {"environment": "components: {trainer: {}}\n", "pools": (H100, MIXED, CORES), **parts}
    return Ledger(plan(fleet=fleet, quotas=written, teams=(TEAM, NLP), **parts)).demands


def only(of: tuple[Demand, ...], queue: str = "vision-training") -> Fit:
    (demand,) = of
    (fit,) = (fit for fit in demand.fits if fit.cluster_queue == queue)
    return fit


def verdict(fit: Fit, resource: str = GPU) -> tuple[bool, bool, str | None, str | None]:
    return fit.fits_quota, fit.fits_node, fit.refused, text(resource, fit.largest)


@pytest.mark.parametrize(
    ("asked", "nlp", "want"),
    [
        (4, "", (True, True, None, "4")),
        (5, "", (False, True, GPU, "4")),
        (6, "{h100: {accelerators: 2}}", (True, True, None, "6")),  # by borrowing
        (7, "{h100: {accelerators: 2}}", (False, True, GPU, "6")),
        (8, "{h100: {accelerators: 12}}", (True, True, None, "8")),  # a whole node
        (9, "{h100: {accelerators: 12}}", (True, False, GPU, "8")),
    ],
)
def test_a_profile_fits_quota_borrowing_and_node(asked: int, nlp: str, want: object) -> None:
    fleet = profile(f"{{min: 1, default: {asked}, max: {asked}}}")
    assert verdict(only(demands(fleet, "{h100: {accelerators: 4}}", nlp))) == want


def test_default_and_maximum_are_judged_apart() -> None:
    found = demands(profile("{min: 1, default: 1, max: 6}"), "{h100: {accelerators: 4}}")
    assert [(d.kind, d.name, d.part, d.pool, d.main, d.total // 1000, d.largest // 1000) for d in found] == [
        ("profile", "p", "default", "h100", GPU, 1, 4),
        ("profile", "p", "maximum", "h100", GPU, 6, 4),
    ]
    assert [[fit.fits for fit in demand.fits] for demand in found] == [[True], [False]]


def test_a_queue_that_lacks_the_pool_is_not_asked() -> None:
    (demand,) = demands(profile("{default: 1}"), "{h100: {accelerators: 4}}", "{cores: {cpu: 4}}")
    assert [fit.cluster_queue for fit in demand.fits] == ["vision-training"]


def test_the_refused_resource_says_what_was_asked_and_could_be_had() -> None:
    fit = only(demands(profile("{default: 1}", memory="{default: 600Gi}"), "{h100: {accelerators: 4}}"))
    assert verdict(fit) == (False, True, "memory", "4")
    assert [text("memory", amount) for amount in (fit.asked, fit.limit)] == ["600Gi", "500Gi"]


@pytest.mark.parametrize(
    ("memory", "instances", "runs_out", "unused", "needed"),
    [
        ("512Gi", 8, None, "0", "0"),
        ("511Gi", 7, "memory", "1", "512Gi"),
        ("64Gi", 1, "memory", "7", "512Gi"),
        ("63Gi", 0, "memory", "8", "512Gi"),
    ],
)
def test_memory_that_runs_out_before_the_accelerators(
    memory: str, instances: int, runs_out: str | None, unused: str, needed: str
) -> None:
    fleet = profile("{default: 1}", memory="{default: 64Gi}")
    fit = only(demands(fleet, f"{{h100: {{accelerators: 8, memory: {memory}}}}}"))
    assert (fit.instances, fit.runs_out) == (instances, runs_out)
    assert (text(GPU, fit.unused), text("memory", fit.needed)) == (unused, needed)
    assert (text(GPU, fit.guaranteed), str(fit.origin)) == ("8", "environments/prod/quotas.yaml:4:101")


def test_what_can_be_borrowed_is_told_apart_from_what_is_owned() -> None:
    fleet = profile("{default: 1}", memory="{default: 64Gi}")
    fit = only(demands(fleet, "{h100: {accelerators: 8, memory: 64Gi}}", "{h100: {accelerators: 0, memory: 64Gi}}"))
    assert (fit.instances, fit.most_instances) == (1, 2)


@pytest.mark.parametrize(
    ("accelerators", "nodes", "want"),
    [
        (8, 2, (True, True, None, "16")),
        (8, 3, (False, False, GPU, "12")),  # three pods on two nodes: two of them share one, so 4 each
        (4, 4, (True, True, None, "16")),
        (5, 3, (True, False, GPU, "12")),  # 15 cards, but a node holds one pod of 5
        (16, 1, (True, False, GPU, "8")),
    ],
)
def test_a_gang_fits_the_nodes_pod_by_pod(accelerators: int, nodes: int, want: object) -> None:
    assert verdict(only(demands(runtime(accelerators, nodes), "{h100: {accelerators: 16}}"))) == want


@pytest.mark.parametrize(
    ("accelerators", "cpu", "pods", "rest"),
    [(3, 1, 2, "2"), (4, 1, 2, "0"), (8, 1, 1, "0"), (1, 30, 3, "5"), (9, 1, 0, "0")],
)
def test_what_a_full_node_leaves(accelerators: int, cpu: int, pods: int, rest: str) -> None:
    fit = only(demands(runtime(accelerators, cpu=cpu), "{h100: {accelerators: 16}}"))
    assert (fit.pods_per_node, text(GPU, fit.rest), text(GPU, fit.per_node)) == (pods, rest, "8")


def test_a_runtime_takes_the_pool_of_a_queue_that_suits_it_best() -> None:
    small = H100.replace("accelerators: 8", "accelerators: 2").replace(": h100", ": small")
    quota = "{small: {accelerators: 4}, h100: {accelerators: 8}}"
    fit = only(demands(runtime(4), quota, pools=(small, H100)))
    assert (fit.pool, fit.fits) == ("h100", True)
    named = only(demands(runtime(4, more="pool: small"), quota, pools=(small, H100)))
    assert (named.pool, verdict(named)) == ("small", (True, False, GPU, "2"))


def test_a_runtime_is_not_sent_to_pools_of_other_vendors() -> None:
    (demand,) = demands(runtime(1), "{cores: {cpu: 4}}", "{mixed: {slices: {1g.10gb: 1}}}")
    assert [(fit.cluster_queue, verdict(fit)) for fit in demand.fits] == [("nlp-other", (False, False, GPU, "0"))]


def test_work_without_accelerators_is_counted_in_cores() -> None:
    (demand,) = demands(runtime(0, nodes=2, more="pool: cores", cpu=6), "{cores: {cpu: 12, memory: 12Gi}}")
    (fit,) = demand.fits
    assert (demand.main, demand.total) == ("cpu", 12_000)
    assert (fit.fits, fit.instances, fit.runs_out, fit.rest) == (True, 1, None, 0)


def test_what_the_inventory_leaves_out_is_no_limit_of_nodes() -> None:
    per_node = "{cpu: 1, memory: 1Gi, ephemeral-storage: 1Gi, accelerators: 1}"
    fleet = f"runtimes: [{{name: r, framework: torch, image: '{IMAGE}', accelerator: nvidia, perNode: {per_node}}}]\n"
    fit = only(demands(fleet, "{h100: {accelerators: 8}}"))
    assert (fit.fits_quota, fit.fits_node, fit.refused) == (False, True, "ephemeral-storage")


@pytest.mark.parametrize(
    ("framework", "nodes", "pods"),
    [("torch", 1, 1), ("torch", 3, 3), ("deepspeed", 1, 2), ("deepspeed", 2, 2), ("mlx", 3, 3)],
)
def test_an_mpi_job_is_a_launcher_and_at_least_a_node(framework: str, nodes: int, pods: int) -> None:
    fleet = runtime(2, nodes).replace("framework: torch", f"framework: {framework}")
    (demand,) = demands(fleet, "{h100: {accelerators: 4}}")
    assert (demand.pods, demand.total // 1000) == (pods, 2 * pods)
    assert [fit.fits for fit in demand.fits if fit.cluster_queue == "vision-training"] == [pods <= 2]
