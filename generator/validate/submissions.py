"""What work says of itself when it is submitted: its queue, its priority, and an image for the cards it asks for.

Source: facts of runtimes, sections 7 and 8; kueue pkg/util/priority (a Workload without any priority has 0).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from generator.finding import Finding, Layer, Severity
from generator.manifest import Manifest
from generator.releases.images import NONE, vendor_of_image, vendor_of_resource
from generator.validate import effective_queue, kinds
from generator.validate.admission.queue_label import queue_name_missing
from generator.validate.cluster import Cluster, annotations_of, labels_of, name_of, namespace_of, related
from generator.validate.effective_queue import DEFAULT, neighbours, queue_of
from generator.validate.kinds import Kind
from generator.validate.pods import Pods, of_workload
from generator.validate.queues import Queues
from generator.validate.shape import items, mapping, mappings, text, whole
from generator.validate.train_jobs import of_runtime, of_train_job, runtime_of

_RECOMMENDED = "opendatahub.io/recommended-accelerators"


def check(cluster: Cluster, queues: Queues) -> Iterator[Finding]:
    """Yield workloads without a queue or a priority, and images that do not know the cards beside them."""
    for kind in kinds.QUEUED:
        for manifest in cluster.of(kind):
            if not items(manifest.body, "metadata", "ownerReferences"):  # else whoever owns it has the labels
                if kind in kinds.WORKLOADS:
                    yield from queue_missing(cluster, queues, kind, manifest)
                yield from priority_missing(cluster, kind, manifest)
            yield from image_for_another_vendor(cluster, kind, manifest)
    if not cluster.whole:  # of an environment a policy says so
        for kind in (kinds.CLUSTER_RUNTIME, kinds.RUNTIME):
            for manifest in cluster.of(kind):
                yield from _images(cluster, kind, manifest, of_runtime(manifest.body))


def pods_of(cluster: Cluster, manifest: Manifest) -> list[list[Pods]]:
    """Return the pods of a workload, lists of those that are admitted together; as far as they are known."""
    return cluster.once_of(_pods_of, manifest)


def _pods_of(cluster: Cluster, manifest: Manifest) -> list[list[Pods]]:
    kind = kinds.kind_of(manifest.body)
    if kind == kinds.INFERENCE_SERVICE:
        runtime = _serving(cluster, manifest)
        return of_workload(kind, manifest.body, runtime.body) if runtime else of_workload(kind, manifest.body)
    if kind != kinds.TRAIN_JOB:
        return of_workload(kind, manifest.body)
    found = of_train_job(manifest.body, runtime_of(cluster, manifest))
    return [found] if found else []


def _serving(cluster: Cluster, service: Manifest) -> Manifest | None:
    """Return the runtime that an InferenceService names, None where it is not here."""
    name = text(service.body, "spec", "predictor", "model", "runtime")
    own = cluster.find(kinds.SERVING_RUNTIME, name, namespace_of(service))
    return own or cluster.find(kinds.CLUSTER_SERVING_RUNTIME, name)


def queue_missing(cluster: Cluster, queues: Queues, kind: Kind, manifest: Manifest) -> Iterator[Finding]:
    """In a managed namespace, work that ends up in no queue is governed by nobody; a webhook may refuse it besides."""
    space, target = namespace_of(manifest), cluster.target
    names = [local.name for local in queues.by_namespace.get(space, ())]
    is_seen = effective_queue.is_seen(kind, target)  # else no label helps, and an advisory says so
    if space not in queues.managed_namespaces or not names or not is_seen or queue_of(cluster, manifest) != "":
        return
    if any(queue_name_missing(manifest.body, target, neighbours(cluster, manifest))):
        return
    why = f"Kueue {target.kueue.version} gives it none" if target.kueue and DEFAULT in names else ""
    why = why or f"namespace {space} has none called {DEFAULT}"
    yield cluster.finding(
        manifest,
        "workload-without-queue",
        Layer.READINESS,
        f"{kind[1]} {name_of(manifest)} names no queue, and {why}: with labelPolicy QueueName it runs outside every "
        "quota, with None it never starts",
        f"label it {kinds.QUEUE_NAME}: {' or '.join(sorted(names))}",
        "metadata.labels",
        severity=Severity.WARNING,
    )


def priority_missing(cluster: Cluster, kind: Kind, manifest: Manifest) -> Iterator[Finding]:
    """Kueue binds no priority to a queue, and a hardware profile's is never applied: the label alone counts."""
    labels = labels_of(manifest)
    classes = {name_of(found): whole(found.body, "value") for found in cluster.of(kinds.PRIORITY_CLASS)}
    if labels.get(kinds.PRIORITY_LABEL) or not classes or not queue_of(cluster, manifest):
        return
    pods = [each for together in pods_of(cluster, manifest) for each in together]
    if any(text(each.spec, "priorityClassName") for each in pods):
        return
    known = ", ".join(sorted(classes, key=lambda name: (-classes[name], name)))
    yield cluster.finding(
        manifest,
        "workload-without-priority",
        Layer.READINESS,
        f"{kind[1]} {name_of(manifest)} has no label {kinds.PRIORITY_LABEL}: its priority is that of its pods, 0",
        f"label it with one of {known}",
        "metadata.labels",
        severity=Severity.WARNING,
    )


def image_for_another_vendor(cluster: Cluster, kind: Kind, manifest: Manifest) -> Iterator[Finding]:
    """An image of another vendor finds no card that it knows, and holds those it was given."""
    if kind == kinds.INFERENCE_SERVICE and mapping(manifest.body, "spec", "predictor", "model"):
        yield from _of_model(cluster, manifest)
        return
    pods = [each for together in pods_of(cluster, manifest) for each in together]
    yield from _images(cluster, kind, manifest, pods)


def _images(cluster: Cluster, kind: Kind, manifest: Manifest, pods: list[Pods]) -> Iterator[Finding]:
    for each in pods:
        for index, container in mappings(each.spec, "containers"):
            is_there = each.path.endswith("containers")  # a TrainJob's containers are those of its runtime
            path = f"{each.path}[{index}].image" if is_there else each.path
            resources = mapping(container, "resources")
            yield from _mismatch(cluster, kind, manifest, text(container, "image"), resources, path)


def _of_model(cluster: Cluster, manifest: Manifest) -> Iterator[Finding]:
    """The image of a model server is its ServingRuntime's, the cards are the model's."""
    path = "spec.predictor.model"
    model = mapping(manifest.body, "spec", "predictor", "model")
    runtime = _serving(cluster, manifest)
    images = [text(c, "image") for _, c in mappings(runtime.body, "spec", "containers")] if runtime else []
    own, resources = text(model, "image"), mapping(model, "resources")
    place = f"{path}.image" if own else f"{path}.runtime"
    found = [
        finding
        for image in ([own] if own else images)
        for finding in _mismatch(cluster, kinds.INFERENCE_SERVICE, manifest, image, resources, place)
    ]
    yield from found
    if runtime and not found:
        yield from not_recommended(cluster, manifest, runtime, resources)


def not_recommended(
    cluster: Cluster, manifest: Manifest, runtime: Manifest, resources: Mapping[str, Any]
) -> Iterator[Finding]:
    """A ServingRuntime says for which accelerators it is made; those of one vendor pass for each other."""
    listed = _strings(text(annotations_of(runtime), _RECOMMENDED))
    vendors = {vendor_of_resource(name) for name in listed}
    asked = {**mapping(resources, "limits"), **mapping(resources, "requests")}
    odd = [name for name in asked if (vendor := vendor_of_resource(name)) and vendor not in vendors]
    if listed and odd:
        yield cluster.finding(
            manifest,
            "accelerator-not-recommended",
            Layer.READINESS,
            f"InferenceService {name_of(manifest)} asks for {odd[0]}, and its runtime {name_of(runtime)} is made for "
            f"{', '.join(listed)}",
            f"ask for {' or '.join(listed)}, or name a runtime for {odd[0]}",
            "spec.predictor.model.runtime",
            severity=Severity.WARNING,
            related=[related(runtime, f"metadata.annotations[{_RECOMMENDED}]", f"runtime {name_of(runtime)}")],
        )


def _strings(written: str) -> list[str]:
    """Return the strings of a JSON list; none where it is something else."""
    try:
        found = json.loads(written or "[]")
    except (ValueError, RecursionError):
        return []
    return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []


def _mismatch(
    cluster: Cluster, kind: Kind, manifest: Manifest, image: str, resources: Mapping[str, Any], path: str
) -> Iterator[Finding]:
    made_for = vendor_of_image(image)
    asked = {**mapping(resources, "limits"), **mapping(resources, "requests")}
    vendors = {name: vendor for name in asked if (vendor := vendor_of_resource(name))}
    if not made_for or not vendors or made_for in vendors.values():
        return
    resource, vendor = next(iter(vendors.items()))
    whose = "no accelerator" if made_for == NONE else f"the accelerators of {made_for}"
    yield cluster.finding(
        manifest,
        "image-for-another-vendor",
        Layer.READINESS,
        f"{kind[1]} {name_of(manifest)} asks for {resource} and its image {image} is made for {whose}: it finds no "
        "card that it knows, and holds those it was given",
        f"name an image for {vendor}, or ask for what the image is made for",
        path,
        severity=Severity.WARNING if made_for == NONE else Severity.ERROR,
    )
