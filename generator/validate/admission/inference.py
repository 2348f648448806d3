"""InferenceService, LLMInferenceService and ServingRuntime: KServe's webhooks, and what its controller cannot serve.

Source: kserve pkg/apis/serving/v1beta1/inference_service_validation.go, v1alpha1/llm_inference_service_validation.go,
pkg/controller/v1beta1/inferenceservice (GetDeploymentMode; "failed to find kserve-container in ServingRuntime
containers"); odh-model-controller internal/webhook/serving/v1beta1; facts of runtimes, section 5.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from generator.finding import Layer, Severity
from generator.pattern import pattern
from generator.validate.admission.words import REQUIRED, refusal
from generator.validate.cluster import Target
from generator.validate.kinds import DSC_INITIALIZATION, PROFILE_NAME, kind_of
from generator.validate.shape import get, mapping, mappings, text, whole
from generator.validate.violation import Violation

MODE = "serving.kserve.io/deploymentMode"
MAIN, SERVER = "main", "kserve-container"
MOST_CHARACTERS = 53  # and "-predictor" makes 63, the most of a Service
_NAME = pattern(r"[a-z]([-a-z0-9]*[a-z0-9])?")


def validate_service(
    body: Mapping[str, Any], target: Target, existing: Iterable[Mapping[str, Any]]
) -> Iterator[Violation]:
    """Yield what is wrong with an InferenceService; `existing` may hold the DSCInitialization."""
    name, release = text(body, "metadata", "name"), target.openshift_ai
    if name and not _NAME.fullmatch(name):
        message = f"name {name!r} must begin with a letter and hold lower case letters, digits and dashes alone"
        yield refusal("inference-service-name", "metadata.name", message, "rename it")
    elif len(name) > MOST_CHARACTERS:
        message = f"name of {len(name)} characters: an InferenceService may have {MOST_CHARACTERS}"
        yield refusal("inference-service-name", "metadata.name", message, "shorten it")
    space, home = text(body, "metadata", "namespace"), _applications_namespace(target, existing)
    if space and space == home:
        message = f"namespace {space} is OpenShift AI's own: models are not served there"
        yield refusal("inference-service-namespace", "metadata.namespace", message, "move it into a project")
    mode = text(body, "metadata", "annotations", MODE)
    if release is not None and mode and mode not in release.deployment_modes:
        yield Violation(
            "deployment-mode",
            Layer.READINESS,
            f"metadata.annotations[{MODE}]",
            f"OpenShift AI {release.version} does not serve in mode {mode}: KServe ignores what it does not know, and "
            "rejects what needs Knative Serving or ModelMesh, which no component installs",
            f"write {' or '.join(release.deployment_modes)}",
            Severity.WARNING,
        )


def _applications_namespace(target: Target, existing: Iterable[Mapping[str, Any]]) -> str:
    written = (text(o, "spec", "applicationsNamespace") for o in existing if kind_of(o) == DSC_INITIALIZATION)
    release = target.openshift_ai
    return next(filter(None, written), release.applications_namespace if release else "")


def validate_llm(body: Mapping[str, Any], target: Target) -> Iterator[Violation]:
    """Yield what the webhook refuses in an LLMInferenceService, and a hardware profile that it does not get."""
    for path in ("spec", "spec.prefill"):
        yield from parallelism(mapping(body, *path.split(".")), path)
    release, profile = target.openshift_ai, text(body, "metadata", "annotations", PROFILE_NAME)
    names = [text(container, "name") for _, container in mappings(body, "spec", "template", "containers")]
    if profile and names and MAIN not in names and (release is None or text(body, "kind") in release.profile_webhook):
        yield Violation(
            "profile-not-applied",
            Layer.WEBHOOK,
            "spec.template.containers",
            f"hardware profile {profile} is for the container {MAIN}, and the template has {', '.join(names)}: its "
            "resources are not applied",
            f"call the container of the model server {MAIN}",
            Severity.WARNING,
        )


def parallelism(part: Mapping[str, Any], path: str) -> Iterator[Violation]:
    """Workers share a model by its layers (pipeline) or its requests (data, of which dataLocal on each), never both."""
    parallel = get(part, "parallelism")
    pipeline = whole(parallel, "pipeline") > 0
    data = whole(parallel, "data") > 0 or whole(parallel, "dataLocal") > 0
    if get(part, "worker") is not None and not pipeline and not data:
        message = "worker is set, and parallelism has neither pipeline nor data: nothing says how many there are"
        yield refusal("llm-worker", f"{path}.worker", message, "set parallelism.pipeline, or data and dataLocal")
    if pipeline and data:
        message = "pipeline and data are both set: a model is shared in one way"
        yield refusal("llm-parallelism", f"{path}.parallelism", message, "keep one of them")
    has = [key for key in ("data", "dataLocal") if get(parallel, key) is not None]
    if len(has) == 1:
        other = "dataLocal" if has == ["data"] else "data"
        message = f"{has[0]} is set without {other}"
        yield refusal("llm-parallelism", f"{path}.parallelism.{other}", message, f"set {other} as well", REQUIRED)
    for key in ("pipeline", "data", "dataLocal"):
        if get(parallel, key) is not None and whole(parallel, key, default=1) < 1:
            message = f"{key} is {whole(parallel, key)}: it must be greater than 0"
            yield refusal("llm-parallelism", f"{path}.parallelism.{key}", message, "write 1 or more")


def validate_runtime(body: Mapping[str, Any]) -> Iterator[Violation]:
    """Yield that the controller does not find a ServingRuntime's model server; ModelMesh knows its own names."""
    names = [text(container, "name") for _, container in mappings(body, "spec", "containers")]
    if names and SERVER not in names and get(body, "spec", "multiModel") is not True:
        message = f"no container is called {SERVER}; it has {', '.join(names)}: no model is ever served with it"
        fix = f"call the container of the model server {SERVER}"
        yield Violation("serving-runtime-container", Layer.READINESS, "spec.containers", message, fix)
