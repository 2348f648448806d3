"""Files of `environments/` → the inputs of each environment. Every file is read, every error gathered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import zip_longest
from typing import Any, cast

from generator.environment.cluster import Environment
from generator.environment.fleet import Fleet
from generator.environment.inventory import Pool
from generator.environment.quotas import Cohort, Override, TeamQuota
from generator.environment.team import Team
from generator.environment.validate import envelope, validate
from generator.environment.waivers import Waiver
from generator.finding import Finding, Location, Related, error
from generator.frozen import dataclass, field
from generator.source import Document, at, parse
from generator.source.text import decode

FOLDER = "environments"
EXTRA = "extra"
CRDS = "crds"


@dataclass(slots=True)
class Inputs:
    """What was written for one environment; shared documents are in every one."""

    name: str
    environment: Environment
    fleet: Fleet
    teams: dict[str, Team] = field(default_factory=dict)
    pools: list[Pool] = field(default_factory=list)
    cohorts: list[Cohort] = field(default_factory=list)
    quotas: list[TeamQuota] = field(default_factory=list)
    overrides: list[Override] = field(default_factory=list)
    extra: dict[str, str] = field(default_factory=dict)  # path below environments/ -> text
    crds: tuple[dict[str, bytes], ...] = ()  # path -> stored CRD: those of all environments, then its own


@dataclass(slots=True)
class Repository:
    """All of `environments/`, by environment name."""

    environments: dict[str, Inputs]
    waivers: list[Waiver]
    fleet: Fleet
    folders: dict[str, str]  # below environments/ -> the environment; also those whose document is unsound


@dataclass(slots=True)
class _Scope:
    """Documents of one environment's folder, or (folder None) the shared ones."""

    folder: str | None
    documents: list[Document] = field(default_factory=list)
    extra: dict[str, str] = field(default_factory=dict)
    crds: dict[str, bytes] = field(default_factory=dict)

    def of(self, kind: str) -> Iterator[Document]:
        return (d for d in self.documents if d.root.get("kind") == kind)

    def items(self, kind: str, key: str) -> list[Any]:
        return [item for document in self.of(kind) for item in document.root.get(key) or ()]


def load(files: Mapping[str, bytes]) -> tuple[Repository, list[Finding]]:
    """Read every file below `environments/` (path from the root → bytes) and sort the documents by environment."""
    findings: list[Finding] = []
    scopes: dict[str | None, _Scope] = {}
    texts = {path: data for path, data in sorted(files.items()) if not (_is_extra(path) or is_stored(path))}
    parsed = {path: _documents(path, data, findings) for path, data in texts.items()}
    folders = {folder: name for documents, _ in parsed.values() for folder, name in _environments(documents)}
    # One broken file may be what makes its folder an environment: to share the rest would define everything twice.
    closed = folders.keys() | {_folder(f.location.file) for f in findings if f.location}
    for path, (_, sound) in parsed.items():
        folder = _folder(path)
        scope = folder if folder in closed else None
        scopes.setdefault(scope, _Scope(scope)).documents += sound
    shared = scopes.pop(None, _Scope(None))
    for path, data in files.items():
        if _is_extra(path):
            _add_extra(path, data, scopes, findings)
        elif is_stored(path):
            scopes.get(_folder(path), shared).crds[path] = data
    own = list(scopes.values())
    findings += _misplaced(shared, own)
    findings += _repeated(shared, own)
    findings += _without_people([shared, *own])
    return _sorted(shared, own, folders), findings


def _documents(path: str, data: bytes, findings: list[Finding]) -> tuple[list[Document], list[Document]]:
    """Return all documents of a file, and the sound ones: none where the file has errors of syntax."""
    documents, problems = parse(data, path)
    findings += problems
    sound = []
    for document, end in zip_longest(documents, [following.line for following in documents[1:]]):
        wrong = list(envelope(document))
        wrong = wrong or (validate(document) if not _touches(problems, document.line, end) else [])
        findings += wrong
        if not wrong and not problems:
            sound.append(document)
    return documents, sound


def _touches(problems: Iterable[Finding], start: int, end: int | None) -> bool:
    """Tell whether a document from line `start` up to `end` has errors of syntax: what it lacks may only be unread."""
    return any(p.location and start <= p.location.line and (end is None or p.location.line < end) for p in problems)


def _environments(documents: list[Document]) -> Iterator[tuple[str, str]]:
    for document in documents:
        folder, name = _folder(document.file), document.root.get("name")
        if folder is not None and document.root.get("kind") == "Environment":
            yield folder, name if isinstance(name, str) else folder


def _folder(path: str) -> str | None:
    """Return the direct sub-folder of `environments/` that holds a file, None for a file in `environments/` itself."""
    parts = path.split("/")
    return parts[1] if len(parts) > 2 else None


def _is_extra(path: str) -> bool:
    parts = path.split("/")
    return len(parts) > 3 and parts[2] == EXTRA


def is_stored(path: str) -> bool:
    """Tell whether a path is in the folder for the CRDs of one environment, or of all."""
    return CRDS in path.split("/")[1:-1][:2]


def _add_extra(path: str, data: bytes, scopes: Mapping[str | None, _Scope], findings: list[Finding]) -> None:
    scope = scopes.get(_folder(path))
    if scope is None:
        findings.append(
            error(
                "extra-without-environment",
                f"{FOLDER}/{_folder(path)}/ holds no document of kind Environment, so nothing takes this file in",
                Location(path),
                "move it to the folder of an environment",
            )
        )
        return
    text = decode(data, path)
    if isinstance(text, str):
        scope.extra[path] = text.replace("\r\n", "\n")  # the digest of a checkout must not depend on Git's settings
    else:
        findings += text


def _misplaced(shared: _Scope, own: list[_Scope]) -> Iterator[Finding]:
    """Yield environments outside a folder of their own, and fleets inside one."""
    for document in shared.of("Environment"):
        name = document.root["name"]
        yield error(
            "misplaced-document",
            f"the environment {name} is not in a folder of its own",
            document.locate(()),
            f"move this file to {FOLDER}/{name}/",
        )
    for scope in own:
        for document in scope.of("Fleet") if any(scope.of("Environment")) else ():
            yield error(
                "misplaced-document",
                f"the Fleet is shared by all environments and stands in the folder of {scope.folder}",
                document.locate(()),
                f"move it to {FOLDER}/",
            )


def _repeated(shared: _Scope, own: list[_Scope]) -> Iterator[Finding]:
    """Yield every second definition of a name."""
    yield from _twice((("Fleet", "", d.locate(())) for d in shared.of("Fleet")), "the repository", "merge the two")
    yield from _twice(
        (("environment", d.root["name"], d.locate(("name",))) for s in own for d in s.of("Environment")),
        "the repository",
    )
    for scope in own:
        both_in_one = (("Environment", "", d.locate(())) for d in scope.of("Environment"))
        yield from _twice(both_in_one, f"folder {scope.folder}", "give each a folder of its own")
    yield from _twice(_servers(own), "the repository", "two environments cannot be one cluster: correct the address")
    fleet = [d.root for d in shared.of("Fleet")]
    for kind, key in (("priority", "priorities"), ("profile", "profiles"), ("runtime", "runtimes")):
        yield from _twice(((kind, i["name"], at(i)) for f in fleet for i in f.get(key) or ()), "the fleet")
    among_shared = list(_repeated_in([shared], "the shared documents"))
    yield from among_shared
    said = {finding.location for finding in among_shared}
    for scope in own:
        both = _repeated_in([shared, scope], f"environment {scope.folder}")
        yield from (finding for finding in both if finding.location not in said)


def _repeated_in(both: list[_Scope], where: str) -> Iterator[Finding]:
    """Yield every second definition of a name in one environment and what it shares."""
    yield from _twice((("team", d.root["name"], d.locate(("name",))) for s in both for d in s.of("Team")), where)
    yield from _twice((("pool", i["name"], at(i)) for s in both for i in s.items("Inventory", "pools")), where)
    yield from _twice((("cohort", i["name"], at(i)) for s in both for i in s.items("Quotas", "cohorts")), where)
    teams = [i for s in both for i in s.items("Quotas", "teams")]
    yield from _twice((("quota of team", i["team"], at(i)) for i in teams), where, "merge the two")
    yield from _twice((("namespace", n["name"], at(n)) for t in teams for n in t.get("namespaces") or ()), where)
    for team in teams:
        named = (("queue", q["name"], at(q)) for q in team.get("queues") or ())
        yield from _twice(named, f"team {team['team']}")


def _servers(own: list[_Scope]) -> Iterator[tuple[str, str, Location]]:
    for scope in own:
        for document in scope.of("Environment"):
            if server := (document.root.get("cluster") or {}).get("server"):
                yield "cluster", server.rstrip("/"), document.locate(("cluster", "server"))


def _twice(
    named: Iterable[tuple[str, str, Location]], where: str, fix: str = "remove or rename one of them"
) -> Iterator[Finding]:
    first: dict[tuple[str, str], Location] = {}
    for kind, name, place in named:
        before = first.setdefault((kind, name), place)
        if before != place:
            label = f"{kind} {name}".strip()
            yield error(
                "defined-twice",
                f"{label} is defined a second time in {where}",
                place,
                fix,
                related=(Related(before, f"{label} is defined here first"),),
            )


def _without_people(scopes: Iterable[_Scope]) -> Iterator[Finding]:
    for scope in scopes:
        for document in scope.of("Team"):
            team = document.root
            roles = [team.get(role) or {} for role in ("admins", "members", "viewers")]
            if not any(role.get("groups") or role.get("users") for role in roles):
                yield error(
                    "team-without-people",
                    f"team {team['name']} has no group and no user",
                    document.locate(("name",)),
                    "add admins, members or viewers with a group or user, such as members: {groups: [<group>]}",
                )


def _sorted(shared: _Scope, own: list[_Scope], folders: dict[str, str]) -> Repository:
    fleet = next((cast("Fleet", d.root) for d in shared.of("Fleet")), cast("Fleet", {}))
    environments: dict[str, Inputs] = {}
    for scope in own:
        document = next(scope.of("Environment"), None)
        if document is None:
            continue  # broken, as a finding says
        name = document.root["name"]
        both = (shared, scope)
        inputs = Inputs(name, cast("Environment", document.root), fleet, extra=scope.extra)
        inputs.crds = (shared.crds, scope.crds)
        inputs.teams = {d.root["name"]: cast("Team", d.root) for s in both for d in s.of("Team")}
        inputs.pools = [i for s in both for i in s.items("Inventory", "pools")]
        inputs.cohorts = [i for s in both for i in s.items("Quotas", "cohorts")]
        inputs.quotas = [i for s in both for i in s.items("Quotas", "teams")]
        inputs.overrides = [i for s in both for i in s.items("Quotas", "overrides")]
        environments.setdefault(name, inputs)
    waivers = [w for s in (shared, *own) for w in s.items("Waivers", "waivers")]
    return Repository(dict(sorted(environments.items())), waivers, fleet, folders)
