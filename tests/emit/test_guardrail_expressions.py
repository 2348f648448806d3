"""Would the API server take the guardrails: their form, what their CEL calls, the types of what it gives, its cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from generator.releases import load
from generator.validate.cel.admission import CONDITION, VALIDATION, defect, result_type
from tests.admission import Request, admit
from tests.api import Target
from tests.emit.test_guardrails import FRAMEWORKS, GUARDRAILS, MANAGED, policies

# OpenShift → an OpenShift AI and a Kueue that are in its catalog; 4.17 has no Kueue, 4.23 no OpenShift AI
BESIDE = {"4.18": ("2.25", "1.1"), "4.19": ("3.0", "1.2")}
RELEASES = ("4.18", "4.19", "4.20", "4.21", "4.22")


def of_release(openshift: str, frameworks: str = "") -> Sequence[Mapping[str, Any]]:
    openshift_ai, kueue = BESIDE.get(openshift, ("3.4", "1.3"))
    return policies(frameworks + GUARDRAILS, openshift=openshift, openshift_ai=openshift_ai, kueue=kueue)


def expressions(spec: Mapping[str, Any]) -> Iterator[tuple[str, str, tuple[str, ...], tuple[str, ...]]]:
    """Yield each expression, the type it has to have, what it may read, and the variables declared before it."""
    for condition in spec.get("matchConditions", ()):
        yield condition["expression"], "BOOL", CONDITION, ()
    declared: tuple[str, ...] = ()
    for variable in spec.get("variables", ()):
        yield variable["expression"], "DYN", VALIDATION, declared
        declared += (variable["name"],)
    for validation in spec["validations"]:
        yield validation["expression"], "BOOL", VALIDATION, declared
        if "messageExpression" in validation:
            yield validation["messageExpression"], "STRING", VALIDATION, declared


@pytest.mark.parametrize("openshift", RELEASES)
def test_their_form_is_that_of_the_release(openshift: str) -> None:
    target = Target({"openshift": openshift, "openshiftAI": "3.4", "kueue": "1.3", "gitops": "1.18"})
    found = of_release(openshift)
    assert len(found) == 22
    for each in found:
        assert list(target.problems(each)) == [], each["metadata"]["name"]


@pytest.mark.parametrize("frameworks", ["", "kueue: {frameworks: [Pod]}\n", FRAMEWORKS])
@pytest.mark.parametrize("openshift", RELEASES)
def test_their_cel_is_that_of_the_release(openshift: str, frameworks: str) -> None:
    release = load.openshift(openshift)
    assert release is not None
    if frameworks == FRAMEWORKS and openshift in BESIDE:
        frameworks = frameworks.replace("TrainJob, ", "")  # which its Kueue does not know yet
    for each in of_release(openshift, frameworks):
        if each["kind"] == "ValidatingAdmissionPolicy":
            for text, kind, names, declared in expressions(each["spec"]):
                assert defect(text, kind, names, declared, release.kubernetes) is None, text
                assert kind == "DYN" or result_type(text, names) == kind, text


def test_limits_of_the_api_server() -> None:
    """At most 64 conditions and a message of 5 KiB; and a name no longer than its label would be."""
    for each in of_release("4.20"):
        spec = each["spec"]
        assert len(each["metadata"]["name"]) <= 63
        assert len(spec.get("matchConditions", ())) <= 64
        assert all(len(v["message"]) < 1024 for v in spec.get("validations", ()))


def test_a_large_object_is_judged_within_the_budget() -> None:
    """The server ends an expression after a million units of cost, our runtime after 10,000 steps of loops."""
    container = {"name": "a", "resources": {"limits": {"cpu": "1"}, "requests": {"cpu": "1"}}}
    pod = {"containers": [container] * 10, "initContainers": [container] * 10}
    groups = [{"template": {"spec": pod}}] * 50
    spec = {"headGroupSpec": {"template": {"spec": pod}}, "workerGroupSpecs": groups}
    body = {"apiVersion": "ray.io/v1", "kind": "RayCluster", "metadata": {"name": "x"}, "spec": spec}
    assert admit(of_release("4.20"), Request("rayclusters", object=body, old=body, namespace=MANAGED)).denied == []
