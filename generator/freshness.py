"""Whether output/ is what the inputs yield: every step that a compile would take, told by its cause. Reads only."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from generator import difference, journal, lock
from generator.difference import Difference, Scope, Tree
from generator.disk import JOURNAL, Disk, Kind, inside, parent, scan, shown
from generator.finding import Finding, Layer, Location, Severity, error, in_order
from generator.lock import Lock

_NAMED = 3
_DATED = "without --as-of none applies"
_Folders = dict[str, list[str]]


def compare(output: Path, tree: Tree, scope: Scope) -> list[Finding]:
    """Return what keeps output/ from being the tree within the scope; without errors, a compile would write nothing.

    Raises:
        FatalError: output/ cannot be read.
    """
    root = os.fspath(output)
    before = _last_write(output)
    disk = scan(root)
    wanted = {path: text for path, text in tree.items() if scope(path)}
    change = difference.between(disk, tree, scope)
    if journal.is_committed(root) or _last_write(output) != before:
        return [_unfinished()]
    missing = _missing_groups(disk, wanted, change)
    folders = _by_folder(path for path in change.write if _group(path) not in missing)
    stale = {folder: reason for folder in folders if (reason := _stale_reason(disk, wanted, folder))}
    findings = chain(
        difference.in_the_way(change.obstacles),
        _missing(missing, wanted),
        _stale(stale),
        *(_defects(disk, folder, paths) for folder, paths in folders.items() if folder not in stale),
        _left_over((path for path in change.remove if parent(path) not in stale), wanted),
        _foreign(disk, wanted, change, scope),
    )
    return in_order(list(findings))


def is_as_locked(output: Path, locks: Mapping[str, str]) -> bool:
    """Tell whether output/ holds these locks (path to digest), the files that they list as listed, and no other file.

    Raises:
        FatalError: output/ cannot be read.
    """
    root = os.fspath(output)
    before = _last_write(output)
    disk = scan(root)
    left = {path for path, kind in disk.entries.items() if kind is not Kind.FOLDER}
    for path, digest in locks.items():
        folder = parent(path)
        content = disk.bytes_of(path)
        listed = disk.lock(folder) if content is not None and lock.digest(content) == digest else None
        if listed is None:
            return False
        for name, wanted in listed.files.items():
            content = disk.bytes_of(inside(folder, name))
            if content is None or lock.digest(content) != wanted:
                return False
        left -= {path, *(inside(folder, name) for name in listed.files)}
    return not (left or journal.is_committed(root) or _last_write(output) != before)


def _last_write(output: Path) -> int | None:
    """Return when a journal last came into output/ or left it, in ns: what was read across that may be a mixture."""
    try:
        return output.stat().st_mtime_ns
    except OSError:
        return None


def _missing_groups(disk: Disk, wanted: Tree, change: Difference) -> set[str]:
    """Return the groups to write of which not one file is there."""
    return {_group(path) for path in change.write} - {_group(path) for path in wanted if path in disk.entries}


def _missing(missing: set[str], wanted: Tree) -> Iterator[Finding]:
    """Yield one finding for an output/ without anything of ours, else one for each group."""
    places = [""] if missing == {_group(path) for path in wanted} else sorted(missing)
    for place in places if missing else []:
        message = f"{shown(place)} is missing: its inputs were never compiled, or it was not committed"
        yield _error("output-missing", message, place, _compile(place))


def _stale_reason(disk: Disk, wanted: Tree, folder: str) -> str:
    """Tell in words what changed since the folder was compiled; "" when nothing did, or its locks cannot tell."""
    if folder and folder not in disk.entries:
        return "not compiled before for these inputs"
    expected = lock.parse(wanted.get(inside(folder, lock.NAME), ""))
    found = disk.lock(folder)
    return "" if expected is None or found is None else ", ".join(_steps(found, expected))


def _steps(found: Lock, expected: Lock) -> Iterator[str]:
    if found.inputs != expected.inputs:
        yield "the inputs changed"
    for what, old, new in (("apportion", found.tool, expected.tool), ("release data", found.data, expected.data)):
        if old != new:
            yield f"{what} was {old} and is {new}"
    if found.as_of != expected.as_of:
        was = f"with the overrides since {found.as_of}" if found.as_of else "without dated overrides"
        now = f"those since {expected.as_of} apply" if expected.as_of else _DATED
        yield f"compiled {was}, and {now}"


def _stale(reasons: dict[str, str]) -> Iterator[Finding]:
    """Yield one finding per group and reason."""
    together: dict[tuple[str, str], list[str]] = defaultdict(list)
    for folder, reason in reasons.items():
        together[_group(folder), reason].append(folder)
    for (group, reason), folders in together.items():
        count = f"{len(folders)} folders" if len(folders) > 1 else "1 folder"
        message = f"{shown(group)} is stale ({reason}): {count} to compile again: {_some(folders, group)}"
        fix = _compile(group)
        if _DATED in reason:
            fix = f"check as of the day that it was compiled for (--as-of), or {fix}, as of the day that shall count"
        yield _error("output-stale", message, group if len(folders) > 1 else folders[0], fix)


def _defects(disk: Disk, folder: str, paths: Sequence[str]) -> Iterator[Finding]:
    """Yield why a folder differs although its inputs did not change."""
    lock_path = inside(folder, lock.NAME)
    absent = [path for path in paths if path not in disk.entries]
    edited = [path for path in paths if path in disk.entries]
    if disk.lock(folder) is None:  # then nobody knows whether the other files are edited or stale
        if lock_path in edited:
            message = f"{shown(lock_path)} cannot be read as a lock: it is cut off, edited or in a merge conflict"
            yield _error("output-lock-broken", message, lock_path, _compile(folder))
        edited = []
    if absent:
        message = f"{_some(absent, folder)} is missing from {shown(folder)}"
        yield _error("output-file-missing", message, absent[0], _compile(folder))
    if edited:
        message = (
            f"{_some(edited, folder)} in {shown(folder)} is not as compiled: edited by hand, damaged or unreadable"
        )
        fix = f"change environments/ instead, and {_compile(folder)}"
        yield _error("output-edited", message, edited[0], fix)


def _left_over(paths: Iterable[str], wanted: Tree) -> Iterator[Finding]:
    """Yield one finding per group."""
    known = set(map(_group, wanted))
    groups: _Folders = defaultdict(list)
    for path in paths:
        groups[_group(path)].append(path)
    for group, found in groups.items():
        remedy = _compile(group if group in known else "")
        message = f"no input yields {_some(found, group)} in {shown(group)} any more"
        yield _error("output-left-over", message, found[0], f"{remedy}, which removes what is left over")


def _foreign(disk: Disk, wanted: Tree, change: Difference, scope: Scope) -> Iterator[Finding]:
    """Yield a warning for each folder of ours that holds files of others; they are left alone."""
    ours = {parent(path) for path in chain(wanted, change.remove)}
    known = {*wanted, *change.remove, *change.obstacles}
    found = (path for path, kind in disk.entries.items() if kind is not Kind.FOLDER and path not in known)
    for folder, paths in _by_folder(path for path in found if parent(path) in ours and scope(path)).items():
        message = f"{_some(sorted(paths), folder)} in {shown(folder)} was not written by Apportion"
        fix = "keep files of your own out of output/; extra/ in an environment takes manifests"
        yield Finding("output-foreign-file", Severity.WARNING, Layer.OUTPUT, message, Location(shown(min(paths))), fix)


def _unfinished() -> Finding:
    message = "output/ is half written or changed while it was read: another apportion is at work, or was killed"
    return _error("output-unfinished", message, JOURNAL, "run the command again; it finishes the work of a killed one")


def _error(rule: str, message: str, path: str, fix: str) -> Finding:
    return error(rule, message, Location(shown(path)), fix, layer=Layer.OUTPUT)


def _compile(path: str) -> str:
    parts = path.split("/")
    return f"run apportion compile {parts[1]}" if parts[0] == "overlays" and len(parts) > 1 else "run apportion compile"


def _group(path: str) -> str:
    """Return what is compiled together: `overlays/<env>`, or the top folder; "" is output/ itself."""
    parts = path.split("/")
    return "/".join(parts[: 2 if parts[0] == "overlays" else 1])


def _by_folder(paths: Iterable[str]) -> _Folders:
    folders: _Folders = defaultdict(list)
    for path in paths:
        folders[parent(path)].append(path)
    return folders


def _some(paths: Sequence[str], below: str) -> str:
    """Name the first few paths, as seen from a folder above them."""
    names = [shown(path).removeprefix(shown(below)).lstrip("/") or "." for path in paths[:_NAMED]]
    more = len(paths) - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")
