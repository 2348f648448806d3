"""Namespaces and queues: who is let in, who is governed, and where work without a queue's name goes.

Source: facts of faults A26 to A29, A31; facts of Kueue, sections 5 and 7.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from generator.finding import Finding, Layer, Severity
from generator.validate import kinds
from generator.validate.cluster import Cluster, annotations_of, labels_of, name_of, related
from generator.validate.platform import runs_embedded_kueue
from generator.validate.queues import LocalQueue, Queue, Queues, is_managed
from generator.validate.shape import mapping, mappings, text
from generator.validate.wording import some


def check(cluster: Cluster, queues: Queues) -> Iterator[Finding]:
    """Yield queues that let nobody in, or everybody, and namespaces that Kueue does not govern."""
    for queue in queues.all:
        if queue.selector is None:
            yield from selector_left_out(cluster, queues, queue)
        elif _asks_for_nothing(queue.selector):
            yield from selector_of_everybody(cluster, queues, queue)
        else:
            yield from selector_misses_namespace(cluster, queues, queue)
    is_embedded = runs_embedded_kueue(cluster)
    for space, local in queues.by_namespace.items():
        if not is_embedded:
            yield from namespace_not_managed(cluster, space, local)
        if space in queues.managed_namespaces:
            yield from default_queue_annotation(cluster, space, local)


def _asks_for_nothing(selector: Mapping[str, Any]) -> bool:
    """Whether a selector matches every namespace, in whichever spelling: {}, or with empty parts."""
    return not any(selector.get(part) for part in ("matchLabels", "matchExpressions"))


def selector_left_out(cluster: Cluster, queues: Queues, queue: Queue) -> Iterator[Finding]:
    """A selector that is absent matches no namespace; `{}` would match all."""
    spaces = sorted({local.namespace for local in queues.by_queue.get(queue.name, ())})
    names = f"{{matchExpressions: [{{key: {kinds.NAME_LABEL}, operator: In, values: [{', '.join(spaces)}]}}]}}"
    yield cluster.finding(
        queue.manifest,
        "namespace-selector-missing",
        Layer.READINESS,
        f"queue {queue.name} has no namespaceSelector, which matches no namespace: every workload is refused",
        f"add namespaceSelector: {names if spaces else 'with the namespaces that may use it'}",
        "spec",
    )


def selector_of_everybody(cluster: Cluster, queues: Queues, queue: Queue) -> Iterator[Finding]:
    """An empty selector lets other teams' namespaces in, which only matters where there are others."""
    others = [other.name for other in queues.all if other.name != queue.name]
    if others and not queue.is_stopped and queue.owns:
        yield cluster.finding(
            queue.manifest,
            "namespace-selector-of-everybody",
            Layer.READINESS,
            f"queue {queue.name}: an empty namespaceSelector lets all namespaces in, those of {some(others)} too",
            f"name its namespaces by {kinds.NAME_LABEL}",
            "spec.namespaceSelector",
            severity=Severity.WARNING,
        )


def selector_misses_namespace(cluster: Cluster, queues: Queues, queue: Queue) -> Iterator[Finding]:
    """A queue lets in each namespace that has a LocalQueue to it. LocalQueues are not told that they are shut out."""
    out: dict[str, LocalQueue] = {}
    for local in queues.by_queue.get(queue.name, ()):
        if local.namespace not in out and queues.admits(queue, local.namespace) is False:
            out[local.namespace] = local
    if not out:
        return
    path = "spec.namespaceSelector"
    yield cluster.finding(
        queue.manifest,
        "namespace-not-selected",
        Layer.READINESS,
        f"queue {queue.name} selects {_selector(queue)}, and namespace {some(out)} with a LocalQueue to it does not "
        f"match{_own_labels(cluster, next(iter(out)))}: its workloads are refused",
        f"select by {kinds.NAME_LABEL}, or by a label that the namespace carries",
        path,
        related=[
            related(local.manifest, "spec.clusterQueue", f"LocalQueue {local.name}") for local in list(out.values())[:1]
        ],
    )


def _selector(queue: Queue) -> str:
    pairs = [f"{key}={value}" for key, value in mapping(queue.selector, "matchLabels").items()]
    pairs += [f"{text(e, 'key')} {text(e, 'operator')}" for _, e in mappings(queue.selector, "matchExpressions")]
    return f"namespaces with {', '.join(pairs)}"


def _own_labels(cluster: Cluster, space: str) -> str:
    manifest = cluster.find(kinds.NAMESPACE, space)
    labels = labels_of(manifest) if manifest else {}
    return f" (it carries {some(f'{key}={value}' for key, value in labels.items())})" if labels else ""


def namespace_not_managed(cluster: Cluster, space: str, local: Sequence[LocalQueue]) -> Iterator[Finding]:
    """Red Hat's build looks only at namespaces with its label; elsewhere work runs past its queues."""
    manifest = cluster.find(kinds.NAMESPACE, space)
    if manifest is None or is_managed(labels_of(manifest), cluster):
        return
    names = [queue.name for queue in local]
    stuck = ""
    if "default" in names:
        stuck = "; worse, jobs without a queue's name are given LocalQueue default and then stay suspended, unmanaged"
    written = labels_of(manifest).get(kinds.MANAGED_LABEL)
    state = "lacks" if written is None else f"has {written!r} for"
    yield cluster.finding(
        manifest,
        "namespace-not-managed",
        Layer.READINESS,
        f"namespace {space} holds LocalQueue {some(names)} and {state} the label {kinds.MANAGED_LABEL}: its jobs run "
        f"outside every quota{stuck}",
        f'label the namespace {kinds.MANAGED_LABEL}: "true"',
        "metadata.labels" if written is None else f"metadata.labels[{kinds.MANAGED_LABEL}]",
        related=[related(local[0].manifest, "", f"LocalQueue {local[0].name}")],
    )


def default_queue_annotation(cluster: Cluster, space: str, local: Sequence[LocalQueue]) -> Iterator[Finding]:
    """The SDK submits to the one LocalQueue with an annotation; Kueue itself goes by the name `default`."""
    marked = [q for q in local if str(annotations_of(q.manifest).get(kinds.DEFAULT_QUEUE)).lower() == "true"]
    if len(marked) > 1:
        yield cluster.finding(
            marked[1].manifest,
            "several-default-queues",
            Layer.READINESS,
            f"namespace {space} has {len(marked)} LocalQueues annotated as the default queue "
            f"({some(q.name for q in marked)}): the SDK takes whichever the server lists first",
            f"keep {kinds.DEFAULT_QUEUE} on one of them",
            f"metadata.annotations[{kinds.DEFAULT_QUEUE}]",
            severity=Severity.WARNING,
            related=[related(marked[0].manifest, "", f"LocalQueue {marked[0].name}")],
        )
    elif not marked:
        named = any(name_of(q.manifest) == "default" for q in local)
        rest = "" if named else ", and none is called default"
        yield cluster.finding(
            local[0].manifest,
            "no-default-queue",
            Layer.READINESS,
            f"no LocalQueue of namespace {space} is annotated as the default queue{rest}: what the SDK submits without "
            "a queue's name goes past Kueue",
            f'annotate one of {some(q.name for q in local)} with {kinds.DEFAULT_QUEUE}: "true"',
            "metadata",
            severity=Severity.INFO,
        )
