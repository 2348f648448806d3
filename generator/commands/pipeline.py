"""What `compile` and `check` share: environments/ → the tree below output/, and everything that is wrong.

Policies and the judgement of objects are imported where they begin: a run whose inputs have errors needs neither.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from generator.change import RULES
from generator.commands.applications import of_one_name
from generator.commands.owners import Owners, has_errors
from generator.commands.parallel import each
from generator.commands.progress import Progress
from generator.commands.read import read, source_overrides
from generator.commands.sound import Sound, ground, known
from generator.environment.load import FOLDER, load
from generator.finding import Finding, error, in_order
from generator.frozen import dataclass
from generator.kustomize import Overlay, build, layout
from generator.manifest import Manifest
from generator.output import Scope
from generator.plan.ledger import Ledger
from generator.plan.model import Plan
from generator.plan.resolve import fleet_wide, resolve

if TYPE_CHECKING:
    from generator.policy.model import Policy

WORTH_A_PROCESS = 100  # teams, over all environments: below, starting a process costs more than it saves


@dataclass(frozen=True, slots=True)
class Result:
    """The tree of the chosen environments (of the sound ones, where there are errors) and the findings in order.

    `ledgers` are those of the same environments, and `overlays` what the tree is laid out from, if they were asked for;
    with overlays there is no tree. `grounds` are, by environment, what objects were judged by. `waived` findings were
    accepted and are not among the others.
    """

    tree: Mapping[str, str]
    scope: Scope
    findings: list[Finding]
    ledgers: Sequence[Ledger]
    overlays: Sequence[Overlay]
    grounds: Mapping[str, str]
    waived: int

    @property
    def is_sound(self) -> bool:
        """No finding is an error, so the tree is complete."""
        return not has_errors(self.findings)


def run(
    root: Path,
    names: Sequence[str],
    as_of: str | None,
    progress: Progress,
    *,
    inputs: tuple[dict[str, bytes], list[Finding]] | None = None,
    changed: Sequence[str] | None = None,
    sound: Sound | None = None,
    ledger: bool = False,
    overlay: bool = False,
) -> Result:
    """Read the inputs and resolve the named environments, or all, leaving out those whose documents have errors.

    `inputs` are what `read` gave, where it was asked already. `changed` are paths that a commit changes: in place of
    names, and what Git lacks of the inputs is an error. `sound` says whose objects need not be judged by schemas once
    more. `ledger` asks for the ledgers, too, and `overlay` for the
    overlays instead of the tree.

    Raises:
        FatalError: the inputs cannot be read, or a name is unknown.
    """
    progress.step(f"reading {FOLDER}/")
    files, findings = inputs or read(root)
    given, found = load(files)
    findings += found
    if not given.folders and not has_errors(findings):
        findings.append(_no_environment())
    owners = Owners(given)
    if changed is not None:
        names = owners.touched(changed)
    chosen = owners.chosen(names, findings)
    findings = [finding for finding in findings if owners.concerns(finding, chosen)]
    plans: list[Plan] = []
    for name in owners.sound(chosen, findings):
        progress.step(f"resolving {name}")
        plan, found = resolve(given.environments[name], as_of)
        findings += found
        if plan is not None and not has_errors(found):
            plans.append(plan)
    if plans and len(plans) == len(given.folders):
        findings += fleet_wide(given, plans)
    if any(plan.plugin for plan in plans):
        findings += source_overrides(root)
    if changed is not None:
        findings += _lacking(root, owners, chosen)
    progress.step(f"judging {', '.join(plan.name for plan in plans)}")
    policies = cache(partial(_policies, root))
    work = partial(_judged, policies, sound or Sound({}, {}), ledger=ledger, overlay=overlay)
    judged = each(work, plans, lambda plan: len(plan.teams), WORTH_A_PROCESS)
    loaded, found = policies()
    findings += found
    tree: dict[str, str] = {}
    for answer in judged:
        findings += answer.findings
        tree |= answer.tree
    from generator.policy import gate
    from generator.policy.waivers import waive

    findings += of_one_name(plans, tree)
    of_plan = RULES.union(policy.id for policy in loaded.values() if policy.is_about_changes)
    waived = waive(findings, given.waivers, as_of, chosen if names else None, of_plan)
    scope = _scope(chosen, tree) if names else everything
    ledgers = [answer.ledger for answer in judged if answer.ledger is not None]
    findings = in_order(gate.once(waived.findings))
    overlays = [answer.overlay for answer in judged if answer.overlay is not None]
    grounds = {plan.name: ground(plan) for plan in plans}
    return Result(dict(sorted(tree.items())), scope, findings, ledgers, overlays, grounds, waived.accepted)


def _lacking(root: Path, owners: Owners, chosen: Sequence[str]) -> list[Finding]:
    """Return what Git lacks of the inputs."""
    from generator.commands import commit  # for hooks: others need no subprocess

    return commit.left_out(owners.lacking(commit.unknown(root, *commit.INPUTS), chosen))


@dataclass(frozen=True, slots=True)
class _Judged:
    """What one environment comes to: findings, files, and its ledger or overlay where somebody asks for it."""

    findings: list[Finding]
    tree: dict[str, str]
    ledger: Ledger | None
    overlay: Overlay | None


_Policies = tuple[dict[str, "Policy"], list[Finding]]


def _policies(root: Path) -> _Policies:
    from generator.policy import shipped

    return shipped.policies(root)


def _judged(policies: Callable[[], _Policies], sound: Sound, plan: Plan, *, ledger: bool, overlay: bool) -> _Judged:
    guards, findings = _guards(policies, plan)
    built, found = build(plan, guards)
    findings += found
    lines = _ledger(built)
    tree = {} if overlay else layout([built])
    if not has_errors(findings):
        from generator.policy import gate

        findings += _objections(built, known(built, tree, sound))
        findings += gate.judge(policies()[0], [(plan, lines, _objects(built))])
    return _Judged(findings, tree, lines if ledger else None, built if overlay else None)


def _guards(policies: Callable[[], _Policies], plan: Plan) -> tuple[list[Manifest], list[Finding]]:
    if not plan.guardrails.policies:
        return [], []
    from generator.policy import gate

    return gate.guards(policies()[0], plan)


def _objections(overlay: Overlay, sound: frozenset[int]) -> list[Finding]:
    """Return what the cluster would object to; the schemas of objects with these ids are not asked."""
    from generator.commands.crd_files import of_environment
    from generator.commands.verdict import cluster
    from generator.validate.all import judge

    whole = cluster(overlay)
    imported, found = of_environment(overlay.plan.given.crds, whole.kinds)
    return found + judge(whole, imported, sound)


def _objects(overlay: Overlay) -> list[Manifest]:
    return [manifest for leaf in overlay.leaves for manifest in leaf.objects()]


def _ledger(overlay: Overlay) -> Ledger:
    return Ledger(overlay.plan, (m for leaf in overlay.synced if leaf.layer == "extra" for m in leaf.manifests))


def everything(path: str) -> bool:  # noqa: ARG001 - a Scope
    """The scope of a run on all environments: every path below output/."""
    return True


def _scope(chosen: Iterable[str], tree: Mapping[str, str]) -> Scope:
    """Return the scope of the named environments: all of their overlays, and the bases that these use."""
    overlays = tuple(f"overlays/{name}/" for name in chosen)
    return lambda path: path.startswith(overlays) or (path.startswith("base/") and path in tree)


def _no_environment() -> Finding:
    message = f"{FOLDER}/ holds no document of kind Environment"
    return error("no-environment", message, None, f"add one in a folder of its own, such as {FOLDER}/prod/")
