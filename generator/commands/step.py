"""What `plan` compares: the inputs of a revision of Git and those of the working tree, as far as both resolve."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from generator.change import compare, dates
from generator.change.model import Change, Side, Step
from generator.commands import change_items, revision
from generator.commands.crd_files import of_environment
from generator.commands.owners import Owners, has_errors
from generator.commands.progress import Progress
from generator.commands.read import read
from generator.environment.load import FOLDER, load
from generator.finding import Finding, Layer, Severity, in_order
from generator.frozen import dataclass
from generator.kustomize import build
from generator.plan.ledger import Ledger
from generator.plan.resolve import resolve
from generator.policy import gate, shipped
from generator.policy.waivers import waive
from generator.report.text import amount
from generator.validate.kinds import kind_of


@dataclass(frozen=True, slots=True)
class Result:
    """What changes, the findings in order, and how many more waivers accept.

    `is_whole`: errors of neither revision keep anything from being compared.
    """

    changes: Sequence[Change]
    findings: list[Finding]
    waived: int
    is_whole: bool


def run(root: Path, names: Sequence[str], against: str, as_of: str | None, progress: Progress) -> Result:
    """Compare the named environments, or all, of the working tree with those of a revision.

    An environment with errors in the working tree is not compared: its errors are the findings. One with errors in the
    revision is compared if what is sound of it resolves; in any case a warning says so.

    Raises:
        FatalError: inputs or revision cannot be read, or a name is unknown to both.
    """
    progress.step(f"reading {FOLDER}/")
    new = _Inputs(*read(root))
    progress.step(f"reading {against}")
    before = revision.read(root, against)
    old = _Inputs(before.files, [])
    known = new.owners.chosen(names, new.findings, old.owners.names)
    chosen = [*known, *(n for n in old.owners.names if n not in new.owners.names and (n in names or not names))]
    differing = [name for name in chosen if old.files_of(name) != new.files_of(name)]
    for name in new.owners.sound([n for n in differing if n in new.owners.names], new.findings):
        progress.step(f"resolving {name}")
        new.resolve(name, as_of)
    for name in (name for name in differing if name in old.given.environments):
        progress.step(f"resolving {name} of {against}")
        old.resolve(name, as_of)
    progress.step("comparing")
    olds, news = old.comparable(new), new.comparable(old)
    changes = compare.changes(olds, news)
    steps = [(c, Step(olds[c.environment], news[c.environment], against, new.files)) for c in changes if c.is_of_both]
    found = [*compare.findings(olds, news, against, new.files), *_objections(root, steps)]
    waived = waive(found, new.given.waivers, as_of, environments=())
    # what else it says of waivers is for check to say
    errors, before_errors = new.errors(differing), old.errors(differing)
    said = compare.once(waived.findings[: len(found) - waived.accepted]) + errors
    lacking = [name for name in differing if name in old.owners.names and name not in old.sides]
    if differing:
        said += _incomplete(against, before_errors, before.unread, lacking)
    if as_of is not None:
        said += dates.soon(
            [new.given.environments[n] for n in known if n in new.given.environments], new.given.waivers, as_of
        )
    return Result(changes, in_order(said), waived.accepted, not errors and not before_errors)


def _objections(root: Path, steps: Sequence[tuple[Change, Step]]) -> list[Finding]:
    """Return what policies say of steps, and the defects of policies, without which nobody knows what they would."""
    if not steps:
        return []
    policies, found = shipped.policies(root)
    for change, step in steps:
        found += gate.judge_changes(policies, step.new.plan, change_items.collections(change, step))
    return found


class _Inputs:
    """The inputs of one revision, the sides made of them by name, and what is wrong."""

    def __init__(self, files: Mapping[str, bytes], findings: list[Finding]) -> None:
        self.files = files
        self.given, found = load(files)
        self.owners = Owners(self.given)
        self.findings = findings + found
        self.sides: dict[str, Side] = {}

    def files_of(self, name: str) -> dict[str, bytes]:
        return self.owners.files(self.files, name)

    def resolve(self, name: str, as_of: str | None) -> None:
        """Make the side of an environment in which nothing is an error: a plan with errors yields no objects."""
        plan, found = resolve(self.given.environments[name], as_of)
        self.findings += found
        if plan is None or has_errors(found):
            return
        overlay, found = build(plan)
        self.findings += found
        if not has_errors(found):
            leaves = list(overlay.leaves)
            extra = (m for leaf in leaves if leaf.layer == "extra" for m in leaf.manifests)
            imported, _ = of_environment(plan.given.crds, {kind_of(m.body) for leaf in leaves for m in leaf.objects()})
            self.sides[name] = Side(plan, leaves, Ledger(plan, extra), imported)

    def comparable(self, other: _Inputs) -> dict[str, Side]:
        """Return the sides of which the other revision has one, too, or no such environment at all."""
        return {
            name: side
            for name, side in sorted(self.sides.items())
            if name in other.sides or name not in other.owners.names
        }

    def errors(self, names: Sequence[str]) -> list[Finding]:
        """Return the errors that keep the named environments from being resolved."""
        return [f for f in self.findings if f.severity is Severity.ERROR and self.owners.concerns(f, names)]


def _incomplete(
    against: str, errors: list[Finding], unread: Iterable[str], lacking: Sequence[str]
) -> Iterator[Finding]:
    """Yield a warning where less is known of the revision than was in it."""
    said = [f"{path}, a link, submodule or odd name, is not read" for path in unread]
    if errors:
        first = in_order(errors)[0]
        said.append(f"it has {amount(len(errors), 'error')} of its own, the first in {first.location}: {first.message}")
    if said:
        left_out = f"; not compared: {', '.join(lacking)}" if lacking else ""
        yield Finding(
            "revision-incomplete",
            Severity.WARNING,
            Layer.CHANGE,
            f"{against} is compared as far as it goes: {'; '.join(said)}{left_out}",
            None,
            "compare with a revision that compiles: --against REF",
        )
