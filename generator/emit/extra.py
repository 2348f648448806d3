"""Users' own manifests in `<environment>/extra/`: plain YAML, or a Jinja2 template of some, given the plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.emit.marks import labels
from generator.emit.templates import in_template, render
from generator.environment.explain import shown
from generator.environment.validate import GROUP
from generator.finding import Finding, Location, error
from generator.manifest import Manifest
from generator.plan.model import Plan
from generator.source import Document, at, parse, value_at

TEMPLATE = ".j2"
_BUILD_KINDS = ("Kustomization", "Component")
# Source: kustomize api/konfig/general.go, api/internal/utils/annotations.go, kyaml/kio/kioutil/kioutil.go
_LOCAL_CONFIG = "config.kubernetes.io/local-config"
_INTERNAL = "internal.config.kubernetes.io/"
_ITS_OWN = (
    "alpha.config.kubernetes.io/transformations",
    "config.k8s.io/id",
    "config.kubernetes.io/index",
    "config.kubernetes.io/origin",
    "config.kubernetes.io/path",
)


def emit(plan: Plan) -> tuple[list[Manifest], list[Finding]]:
    """Return the objects of the extra files, labelled like generated ones, and what is wrong with them."""
    manifests: list[Manifest] = []
    findings: list[Finding] = []
    for path, text in sorted(plan.given.extra.items()):
        is_template = path.endswith(TEMPLATE)
        if is_template:
            rendered = render(path, text, plan)
            if isinstance(rendered, Finding):
                findings.append(rendered)
                continue
            text = rendered
        documents, found = parse(text, path, kubernetes=True)
        findings += [in_template(found)] if is_template and found else found
        for document in documents if not found else ():
            for place, item in _items(document):
                defects = list(_defects(item, place))
                findings += defects
                if not defects:
                    manifests.append(_manifest(item, plan, Location(path) if is_template else None))
    return manifests, findings


def _items(document: Document) -> Iterator[tuple[Location, Any]]:
    root = document.root
    if str(root.get("kind", "")).endswith("List") and isinstance(root.get("items"), list):
        yield from ((document.locate(("items", index)), item) for index, item in enumerate(root["items"]))
    else:
        yield document.locate(()), root


def _defects(item: Any, place: Location) -> Iterator[Finding]:
    if not isinstance(item, Mapping):
        yield error("not-a-manifest", f"an item of the list is {shown(item)}, no Kubernetes object", place, "remove it")
        return
    metadata = item.get("metadata")
    lacking = [key for key in ("apiVersion", "kind") if not isinstance(item.get(key), str) or not item[key]]
    if not (isinstance(metadata, Mapping) and isinstance(metadata.get("name"), str) and metadata["name"]):
        lacking.append("metadata.name")
    if str(item.get("apiVersion")).startswith(f"{GROUP}/"):
        yield error(
            "misplaced-document",
            f"this {item.get('kind')} is an input of Apportion, not a Kubernetes manifest",
            place,
            "move it out of extra/, up into the environment's folder",
        )
    elif lacking:
        why = "; generateName cannot be kept in Git" if "metadata.name" in lacking else ""
        yield error(
            "not-a-manifest",
            f"this object has no {', '.join(lacking)}",
            place,
            f"add what is missing, as text: files in extra/ are Kubernetes manifests{why}",
        )
    elif item["kind"] in _BUILD_KINDS and item["apiVersion"].startswith("kustomize.config.k8s.io/"):
        yield error(
            "not-a-manifest", f"a {item['kind']} cannot stand in extra/", place, "put the objects themselves there"
        )
    else:
        yield from _metadata_defects(item["metadata"])


def _metadata_defects(metadata: Mapping[str, Any]) -> Iterator[Finding]:
    namespace = metadata.get("namespace")
    if namespace is not None and not isinstance(namespace, str):
        message = f"metadata.namespace is {shown(namespace)}, not text"
        yield error("not-a-manifest", message, value_at(metadata, "namespace"), "write the name of a namespace")
    for key in ("labels", "annotations"):
        marks = metadata.get(key)
        if marks is not None and not isinstance(marks, Mapping):
            yield error("not-a-manifest", f"metadata.{key} is {shown(marks)}", at(metadata, key), 'write key: "value"')
        for name, value in marks.items() if isinstance(marks, Mapping) else ():
            if not isinstance(value, str):
                message = f"metadata.{key} {name} is {shown(value)}, not text"
                written = "" if value is None else shown(value)
                yield error("not-a-manifest", message, value_at(marks, name), f'write {name}: "{written}"')
            elif key == "annotations" and (lost := _lost(name, value)):
                message = f"a build with kustomize leaves out {lost}, for it takes {name} for its own"
                yield error("kustomize-annotation", message, at(marks, name), "remove the annotation")


def _lost(annotation: str, value: str) -> str | None:
    """Return what `kustomize build` drops without a word because of an annotation, or None."""
    if annotation == _LOCAL_CONFIG and value == "true":
        return "the whole object"
    return "this annotation" if annotation in _ITS_OWN or annotation.startswith(_INTERNAL) else None


def _manifest(item: Mapping[str, Any], plan: Plan, origin: Location | None) -> Manifest:
    metadata = dict(item["metadata"])
    team = next((s.team for t in plan.teams for s in t.namespaces if s.name == metadata.get("namespace")), None)
    metadata["labels"] = dict(sorted({**labels(plan.name, team), **(metadata.get("labels") or {})}.items()))
    own = {"apiVersion": item["apiVersion"], "kind": item["kind"], "metadata": metadata}
    rest = {key: value for key, value in item.items() if key not in own}
    return Manifest({**own, **rest}, origin or at(item), {} if origin else dict(_places(item)))


def _places(item: Mapping[str, Any]) -> Iterator[tuple[str, Location]]:
    """Yield where what stands beside the added labels is written, by its path."""
    metadata = item["metadata"]
    yield from ((key, value_at(item, key)) for key in ("apiVersion", "kind"))
    yield "metadata", at(item, "metadata")
    for key, value in metadata.items():
        yield f"metadata.{key}", value_at(metadata, key) if isinstance(value, str) else at(metadata, key)
    labels_ = metadata.get("labels") or {}
    yield from ((f"metadata.labels[{key}]", value_at(labels_, key)) for key in labels_)
