"""Users' own manifests in `<environment>/extra/`: plain YAML, or a Jinja2 template of some, given the plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.emit.marks import labels
from generator.finding import Finding, Location, error
from generator.manifest import Manifest
from generator.plan.model import Plan
from generator.source import Document, at, parse

TEMPLATE = ".j2"
_BUILD_KINDS = ("Kustomization", "Component")


def emit(plan: Plan) -> tuple[list[Manifest], list[Finding]]:
    """Return the objects of the extra files, labelled like generated ones, and what is wrong with them."""
    manifests: list[Manifest] = []
    findings: list[Finding] = []
    for path, text in sorted(plan.given.extra.items()):
        is_template = path.endswith(TEMPLATE)
        if is_template:
            rendered, found = _rendered(path, text, plan)
            findings += found
            if rendered is None:
                continue
            text = rendered
        documents, found = parse(text, path, kubernetes=True)
        findings += [_in_template(f) if is_template else f for f in found]
        for document in documents if not found else ():
            for item in _items(document):
                defects = list(_defects(item, document))
                findings += defects
                if not defects:
                    manifests.append(_manifest(item, plan, Location(path) if is_template else None))
    return manifests, findings


def _rendered(path: str, text: str, plan: Plan) -> tuple[str | None, list[Finding]]:
    from jinja2 import StrictUndefined, TemplateError
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    engine = ImmutableSandboxedEnvironment(undefined=StrictUndefined, autoescape=False, keep_trailing_newline=True)
    try:
        return engine.from_string(text).render(plan=plan, environment=plan.name), []
    except TemplateError as problem:
        line = getattr(problem, "lineno", None) or 0
        return None, [_template_error(path, line, problem)]
    except (
        ArithmeticError,
        LookupError,
        TypeError,
        ValueError,
        AttributeError,
        OverflowError,
        RecursionError,
    ) as problem:
        return None, [_template_error(path, 0, problem)]


def _template_error(path: str, line: int, problem: Exception) -> Finding:
    said = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
    return error(
        "template-error",
        f"the template cannot be rendered: {said}",
        Location(path, line, 1 if line else 0),
        "it is given `plan` and `environment`; docs/user-guide.md lists what they hold",
    )


def _in_template(finding: Finding) -> Finding:
    """Return a finding about rendered text, placed at the template as a whole."""
    place = finding.location or Location("")
    return Finding(
        finding.rule,
        finding.severity,
        finding.layer,
        f"{finding.message} (line {place.line} of the rendered text)",
        Location(place.file),
        finding.fix,
    )


def _items(document: Document) -> Iterator[Mapping[str, Any]]:
    root = document.root
    if str(root.get("kind", "")).endswith("List") and isinstance(root.get("items"), list):
        yield from root["items"]
    else:
        yield root


def _defects(item: Any, document: Document) -> Iterator[Finding]:
    if not isinstance(item, Mapping):
        yield error(
            "not-a-manifest", "an item of the list is no Kubernetes object", document.locate(("items",)), "remove it"
        )
        return
    place, metadata = at(item), item.get("metadata")
    for key in ("apiVersion", "kind"):
        if not isinstance(item.get(key), str) or not item[key]:
            yield error(
                "not-a-manifest",
                f"this object has no {key}",
                place,
                f"add {key}; files in extra/ are Kubernetes manifests",
            )
    if not isinstance(metadata, Mapping) or not isinstance(metadata.get("name"), str):
        yield error(
            "not-a-manifest", "this object has no metadata.name", place, "add it; generateName cannot be kept in Git"
        )
        return
    if item.get("kind") in _BUILD_KINDS and str(item.get("apiVersion", "")).startswith("kustomize.config.k8s.io/"):
        yield error(
            "not-a-manifest", f"a {item['kind']} cannot stand in extra/", place, "put the objects themselves there"
        )
    for key in ("labels", "annotations"):
        marks = metadata.get(key)
        if marks is not None and not (isinstance(marks, Mapping) and all(isinstance(v, str) for v in marks.values())):
            yield error(
                "not-a-manifest", f"metadata.{key} is no mapping of text", at(metadata, key), 'write key: "value" pairs'
            )


def _manifest(item: Mapping[str, Any], plan: Plan, origin: Location | None) -> Manifest:
    metadata = dict(item["metadata"])
    team = next((s.team for t in plan.teams for s in t.namespaces if s.name == metadata.get("namespace")), None)
    metadata["labels"] = dict(sorted({**labels(plan.name, team), **(metadata.get("labels") or {})}.items()))
    own = {"apiVersion": item["apiVersion"], "kind": item["kind"], "metadata": metadata}
    rest = {key: value for key, value in item.items() if key not in own}
    return Manifest({**own, **rest}, origin or at(item))
