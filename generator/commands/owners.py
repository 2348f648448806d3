"""Which environment an input file belongs to, and so which ones a finding concerns or keeps from being resolved."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from generator.environment.load import FOLDER, Repository
from generator.finding import FatalError, Finding, Severity
from generator.spelling import near


def has_errors(findings: Iterable[Finding]) -> bool:
    """Tell whether a finding is an error."""
    return any(finding.severity is Severity.ERROR for finding in findings)


class Owners:
    """Which environment an input file belongs to."""

    def __init__(self, given: Repository) -> None:
        self.by_folder = given.folders
        self.names = sorted(set(given.folders.values()))

    def chosen(self, names: Sequence[str], findings: Iterable[Finding], elsewhere: Collection[str] = ()) -> list[str]:
        """Return the known ones of the names, or all; a broken shared document may be the one of an unknown name.

        Raises:
            FatalError: a name is known neither here nor `elsewhere`.
        """
        known = sorted({*self.names, *elsewhere})
        unknown = [name for name in names if name not in known]
        if unknown and None not in self._at_fault(findings):
            raise FatalError(*_unknown(unknown, known))
        return [name for name in self.names if name in names or not names]

    def touched(self, paths: Iterable[str]) -> list[str]:
        """Return the environments that paths of inputs and output/ belong to; none: all, for one is shared or gone."""
        owners = {self._of_path(path) for path in paths}
        return [] if None in owners else [name for name in self.names if name in owners]

    def lacking(self, paths: Iterable[str], chosen: Collection[str]) -> list[str]:
        """Return the paths of inputs that a chosen environment reads."""
        return [path for path in paths if (owner := self._of_path(path)) is None or owner in chosen]

    def _of_path(self, path: str) -> str | None:
        top, *rest = path.split("/")
        if top == FOLDER:
            return self.by_folder.get(_folder(path))
        name = rest[1] if len(rest) > 2 and rest[0] == "overlays" else None
        return name if name in self.names else None

    def files(self, files: Mapping[str, bytes], name: str) -> dict[str, bytes]:
        """Return the files that an environment is made of: its own and the shared ones."""
        return {path: data for path, data in files.items() if self.by_folder.get(_folder(path), name) == name}

    def concerns(self, finding: Finding, chosen: Sequence[str]) -> bool:
        """Tell whether a finding of the documents is shared or touches a chosen environment."""
        owner = self._owner(finding)
        related = {self.by_folder.get(_folder(r.location.file)) for r in finding.related}
        return owner is None or owner in chosen or not related.isdisjoint(chosen)

    def sound(self, chosen: Sequence[str], findings: Iterable[Finding]) -> list[str]:
        """Return the environments that can be resolved: neither their documents nor the shared ones have errors."""
        broken = self._at_fault(findings)
        return [] if None in broken else [name for name in chosen if name not in broken]

    def _at_fault(self, findings: Iterable[Finding]) -> set[str | None]:
        return {self._owner(finding) for finding in findings if finding.severity is Severity.ERROR}

    def _owner(self, finding: Finding) -> str | None:
        return self.by_folder.get(_folder(finding.location.file)) if finding.location else None


def _folder(path: str) -> str:
    """Return the direct sub-folder of environments/; "" for a file in environments/ itself."""
    return path.split("/")[1] if path.count("/") > 1 else ""


def _unknown(unknown: Sequence[str], known: Sequence[str]) -> tuple[str, str]:
    spellings = [spelling for name in unknown if (spelling := near(name, known))]
    hint = f"did you mean {', '.join(spellings)}? " if spellings else ""
    noun = "environment" if len(unknown) == 1 else "environments"
    return f"unknown {noun} {', '.join(unknown)}", f"{hint}known are: {', '.join(known) or 'none'}"
