"""policies/ → policies, and whatever is wrong with them: a policy that is not sound is not loaded and fails the run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator import __version__
from generator.environment.gate import ENVELOPE
from generator.environment.validate import API_VERSION
from generator.finding import Finding, Location, Related, Severity, error
from generator.policy import fields
from generator.policy.cel import CelError, Program, check_cost
from generator.policy.items import ANYTHING, MANIFESTS, environment, item_forms
from generator.policy.model import FOLDER, Example, Policy, plain
from generator.policy.written import defects
from generator.source import Document, Map, at, parse, value_at
from generator.spelling import remedy

_EXAMPLES = b"\nexamples:\n"
EXPRESSIONS = {"where": "BOOL", "rule": "BOOL", "message": "STRING"}
_LOWEST = (0, 0)


def load(files: Mapping[str, bytes], *, thorough: bool = True) -> tuple[dict[str, Policy], list[Finding]]:
    """Return the policies of files (path below the root → text) by id, in order, and what is wrong.

    Policies that ship are checked by their own tests and not in each run: `thorough` False takes them as sound, and
    leaves out their examples, which are most of their text.
    """
    found: dict[str, Policy] = {}
    findings: list[Finding] = []
    for path, text in sorted(files.items()):
        documents, problems = parse(text if thorough else text.partition(_EXAMPLES)[0], path)
        findings += problems
        for document in documents if not problems else ():
            wrong = _document(document) if thorough else []
            findings += wrong
            if not wrong:
                policy = _policy(document)
                before = found.setdefault(policy.id, policy)
                findings += [] if before is policy else [_twice(policy, before)]
    return dict(sorted(found.items())), findings


def _document(document: Document) -> list[Finding]:
    """Return what is wrong with one document: its envelope, then its form, then what it says."""
    root = document.root
    for key, wanted in zip(ENVELOPE, (API_VERSION, "Policy"), strict=True):
        if root.get(key) != wanted:
            said = f"{key} is {root.get(key)}" if key in root else f"there is no {key}"
            fix = f"write {key}: {wanted}, or move the file out of {FOLDER}/"
            return [error("not-a-policy", said, document.locate((key,)), fix)]
    return defects(document, ENVELOPE) or list(_meaning(root))


def _meaning(root: Map) -> Iterator[Finding]:
    yield from _later(root)
    collection, wrong = _collection(root)
    if wrong:
        yield wrong
        return
    forms = {"item": collection, "environment": environment(), "params": _params_form(root)}
    for key in EXPRESSIONS.keys() & root.keys():
        yield from _expression(root, key, forms)
    yield from _examples(root, collection)


def _later(root: Map) -> Iterator[Finding]:
    since = root.get("since")
    if since is not None and _version(since) > _version(__version__):
        yield error(
            "policy-needs-newer-version",
            f"policy {root['id']} is for Apportion {since} and later, and this is {__version__}",
            value_at(root, "since"),
            "move to that version, or take the policy out",
        )


def _version(text: str) -> tuple[int, ...]:
    numbers = tuple(int(part) for part in text.split(".")[:2] if part.isdecimal())
    return numbers or _LOWEST


def _collection(root: Map) -> tuple[fields.Form, Finding | None]:
    each = root["each"]
    if each.startswith(MANIFESTS) and each.removeprefix(MANIFESTS).isalpha():
        return ANYTHING, None
    known = item_forms()
    if each in known:
        return known[each], None
    fix = f"{remedy(each, known, 'collections are')}, and {MANIFESTS}<Kind>"
    message = f"policy {root['id']} judges each of {each}, which does not exist"
    return ANYTHING, error("invalid-policy", message, value_at(root, "each"), fix)


def _params_form(root: Map) -> fields.Form:
    return fields.Record(dict.fromkeys(root.get("params") or {}, ANYTHING))


def _expression(root: Map, key: str, forms: Mapping[str, fields.Form]) -> Iterator[Finding]:
    """Yield why an expression does not compile, costs too much, has the wrong type, or names fields that are not."""
    place, wanted = value_at(root, key), EXPRESSIONS[key]
    try:
        check_cost(root[key])
        found = Program(root[key]).result
    except CelError as problem:
        yield _invalid(root, f"{key} does not compile: {problem}", place, "correct the expression")
        return
    if found not in (wanted, "DYN"):
        said = f"{key} gives {found.lower()} instead of {wanted.lower()}"
        yield _invalid(root, said, place, f"write an expression that gives a {wanted.lower()}")
    for path, fix in fields.unknown_fields(root[key], forms):
        yield _invalid(root, f"{key} reads {path}, which does not exist", place, fix)


def _examples(root: Map, collection: fields.Form) -> Iterator[Finding]:
    examples = root["examples"]
    side, _, name = root["each"].partition(".")
    for wanted in ("pass", "fail"):
        if not examples[wanted]:
            fix = f"add an example under {wanted}, best at the very edge of the rule"
            yield _invalid(root, f"there is no example that must {wanted}", at(examples, wanted), fix)
        for example in examples[wanted]:
            items = (example.get(side) or {}).get(name)
            if items is None:
                said = f"example {example['name']!r} has no {root['each']}"
                yield _invalid(root, said, at(example), f"write {side}: {{{name}: …}}")
                continue
            for path, fix in fields.strangers(_listed(items), fields.ListOf(collection), root["each"]):
                yield _invalid(root, f"example {example['name']!r} has {path}, which does not exist", at(example), fix)
            for key in example.get("params") or ():
                if key not in (root.get("params") or ()):
                    fix = remedy(key, root.get("params") or (), "params are")
                    yield _invalid(root, f"example {example['name']!r} sets {key}, which is no param", at(example), fix)


def _invalid(root: Map, said: str, place: Location, fix: str) -> Finding:
    return error("invalid-policy", f"policy {root['id']}: {said}", place, fix)


def _listed(items: Any) -> list[Any]:
    return items if isinstance(items, list) else [items]


def _policy(document: Document) -> Policy:
    root = document.root
    folders = document.file.split("/")
    return Policy(
        id=root["id"],
        group=folders[-2] if len(folders) > 1 and folders[-2] != FOLDER else "own",
        title=root["title"],
        severity=Severity(root["severity"]),
        each=root["each"],
        where=root.get("where"),
        rule=root["rule"],
        message=root["message"],
        fix=" ".join(root["fix"].split()),
        why=" ".join(root["why"].split()),
        source=root["source"],
        params=plain(root.get("params") or {}),
        since=root.get("since"),
        effective_on=root.get("effectiveOn"),
        passing=_told(root, "pass"),
        failing=_told(root, "fail"),
        places={"": at(root, "id")} | {key: value_at(root, key) for key in EXPRESSIONS.keys() & root.keys()},
    )


def _told(root: Map, wanted: str) -> tuple[Example, ...]:
    return tuple(_example(example, root["each"]) for example in (root.get("examples") or {}).get(wanted) or ())


def _example(example: Map, each: str) -> Example:
    side, _, name = each.partition(".")
    form = fields.ListOf(item_forms().get(each, ANYTHING))
    items = fields.typed(plain(_listed(example[side][name])), form)
    around = fields.typed(plain(example.get("environment") or {}), environment())
    return Example(example["name"], items, around, plain(example.get("params") or {}), at(example))


def _twice(policy: Policy, before: Policy) -> Finding:
    return error(
        "defined-twice",
        f"policy {policy.id} is defined a second time",
        policy.origin,
        "remove or rename one of them; a policy of your own replaces a shipped one of its id",
        related=(Related(before.origin, f"policy {policy.id} is defined here first"),),
    )
