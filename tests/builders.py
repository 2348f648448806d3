"""The smallest valid repository as YAML text: a test names only the part it is about.

Parts are YAML as people write it. Answers are text: amounts canonical, findings as `rules` and `whole` write them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from generator.environment.load import Inputs, load
from generator.finding import Finding, Location, Related, Severity
from generator.plan.model import MEMORY, STORAGE, ClusterQueue, FlavorQuota, Plan
from generator.plan.resolve import resolve
from generator.quantity import Amount, canonical, canonical_bytes

H100 = (
    "{name: h100, accelerator: nvidia-h100-80gb, nodes: 2, perNode: {accelerators: 8, cpu: 100, memory: 1000Gi},"
    " nodeLabels: {node: h100}}"
)
MIXED = (
    "{name: mixed, accelerator: nvidia-a100-80gb, nodes: 2, perNode: {accelerators: 8, cpu: 100, memory: 1000Gi},"
    " nodeLabels: {node: mixed}, mig: {strategy: mixed, layout: {1g.10gb: 3, 2g.20gb: 2}}}"
)
CORES = (
    "{name: cores, nodes: 10, perNode: {cpu: 10, memory: 100Gi, ephemeral-storage: 50Gi}, nodeLabels: {node: cores}}"
)
TEAM = "{apiVersion: apportion.dev/v1, kind: Team, name: vision, members: {groups: [vision]}}"

PROD = "environments/prod/"


def document(kind: str, body: str = "") -> str:
    """Return a document whose body begins in its third line."""
    return f"apiVersion: apportion.dev/v1\nkind: {kind}\n{body}\n"


def files(
    *,
    openshift: str = "4.20",
    openshift_ai: str = "3.4",
    kueue: str = "1.3",
    gitops: str = "1.18",
    environment: str = "",
    fleet: str = "",
    teams: Sequence[str] = (TEAM,),
    pools: Sequence[str] = (H100, MIXED, CORES),
    quotas: str = "",
) -> dict[str, bytes]:
    """Return a repository of one environment; `environment`, `fleet`, `quotas` are further lines of these documents.

    Pools stand one a line, from the fourth line of inventory.yaml on.
    """
    platform = f'openshift: "{openshift}", openshiftAI: "{openshift_ai}", kueue: "{kueue}", gitops: "{gitops}"'
    head = f"name: prod\nplatform: {{{platform}}}\nrepository: {{url: https://git.example.com/gitops.git}}\n"
    texts = {
        "environments/fleet.yaml": document("Fleet", fleet),
        "environments/teams.yaml": "---\n".join(f"{team}\n" for team in teams),
        f"{PROD}environment.yaml": document("Environment", head + environment),
        f"{PROD}inventory.yaml": document("Inventory", "pools:\n" + "".join(f"- {pool}\n" for pool in pools)),
        f"{PROD}quotas.yaml": document("Quotas", quotas),
    }
    return {path: text.encode() for path, text in texts.items()}


def quotas(
    quota: str = "{}",
    *,
    queue: str = "name: training",
    cohort: str = "org",
    namespaces: str = "[{name: vision-train}]",
    overrides: str = "[]",
) -> str:
    """Return the quotas of one team with one queue; `cohort` "" for none."""
    named = f", cohort: {cohort}" if cohort else ""
    team = f"{{team: vision{named}, namespaces: {namespaces}, queues: [{{{queue}, quota: {quota}}}]}}"
    return f"cohorts: [{{name: org}}]\nteams: [{team}]\noverrides: {overrides}\n"


def inputs(**parts: object) -> Inputs:
    """Return the inputs of `files(**parts)`, which are valid in themselves."""
    repository, findings = load(files(**parts))  # type: ignore[arg-type]  # checked by files
    assert whole(findings) == []
    return repository.environments["prod"]


def plan(as_of: str | None = None, **parts: object) -> Plan:
    """Return the plan of `files(**parts)`, in which nothing is an error."""
    found, findings = resolve(inputs(**parts), as_of)
    assert whole(f for f in findings if f.severity is Severity.ERROR) == []
    assert found is not None
    return found


def findings(as_of: str | None = None, **parts: object) -> list[Finding]:
    """Return what is wrong with `files(**parts)`, beside missing priorities."""
    _, found = resolve(inputs(**parts), as_of)
    return [f for f in found if f.rule != "preset-without-priority"]


def rules(found: Iterable[Finding]) -> list[str]:
    """Return findings as "quotas.yaml:4:9 unknown-pool", with "(warning)" behind a rule that is no error."""
    return [_rule(finding) for finding in found]


def whole(found: Iterable[Finding]) -> list[str]:
    """Return findings with all that is said: for snapshots."""
    return [f"{_rule(f)} [{f.layer}] {f.message} -> {f.fix}{''.join(map(_related, f.related))}" for f in found]


def _rule(finding: Finding) -> str:
    milder = "" if finding.severity is Severity.ERROR else f" ({finding.severity})"
    return f"{_place(finding.location)} {finding.rule}{milder}"


def _related(item: Related) -> str:
    return f" | {_place(item.location)} {item.message}"


def _place(location: Location | None) -> str:
    return str(location).removeprefix("environments/").removeprefix("prod/")


def text(resource: str, amount: Amount | None) -> str | None:
    """Return an amount in its canonical form; None: no limit."""
    if amount is None:
        return None
    return canonical_bytes(amount) if resource in (MEMORY, STORAGE) else canonical(amount)


def amounts(of: Mapping[str, Amount]) -> dict[str, str | None]:
    """Return amounts by resource as text."""
    return {name: text(name, amount) for name, amount in of.items()}


def quota(flavor: FlavorQuota) -> dict[str, tuple[str | None, ...]]:
    """Return resource → (nominal, borrowing limit, lending limit) as text."""
    return {
        r.resource: tuple(text(r.resource, a) for a in (r.nominal, r.borrowing_limit, r.lending_limit))
        for r in flavor.resources
    }


def only_queue(found: Plan) -> ClusterQueue:
    """Return the one queue of the one team."""
    ((queue,),) = (team.queues for team in found.teams)
    return queue
