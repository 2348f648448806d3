"""Two Applications and one object: an error in one cluster, nothing in two."""

from __future__ import annotations

from typing import Any

import pytest

from tests.validate.builders import KUEUE, Body, body, cluster, flavor, judged, local_queue
from tests.validate.test_boundaries import application

HERE = {"server": "https://kubernetes.default.svc", "namespace": "vision"}
THERE = {"server": "https://other.example.com", "namespace": "vision"}


def to(where: Body, path: str = "x", name: str = "a", **source: Any) -> Body:
    made = application(path, name)
    made["spec"]["destination"] = where
    made["spec"]["source"] |= source
    return made


def limits() -> Body:
    return body("v1", "LimitRange", "l")


def twice(bodies: list[Body], folders: dict[str, list[Body]]) -> list[str]:
    whole = [*bodies, *(held for content in folders.values() for held in content)]
    found = judged(cluster(whole, folders=folders))
    return [f"{f.severity} {f.message.split(':')[0]}" for f in found if f.rule == "object-twice"]


SAME, OTHER = {"x": [flavor()], "y": [flavor()]}, {"x": [flavor()], "y": [flavor(nodeLabels={"model": "b"})]}
BY_BOTH = "error ResourceFlavor a100 is defined twice, by Applications a and b"
FOLDER = "error Applications a and b both apply folder x to the same cluster, and so ResourceFlavor a100"
CASES: list[tuple[str, list[Body], dict[str, list[Body]], list[str]]] = [
    ("no Applications", [], SAME, ["warning ResourceFlavor a100 is defined twice"]),
    ("one Application", [to(HERE)], SAME, ["warning ResourceFlavor a100 is defined twice"]),
    ("two Applications", [to(HERE), to(HERE, "y", "b")], SAME, [BY_BOTH]),
    ("two, differently", [to(HERE), to(HERE, "y", "b")], OTHER, [f"{BY_BOTH}, and differently"]),
    ("one cluster by two names", [to(HERE), to({"name": "in-cluster"}, "y", "b")], SAME, [BY_BOTH]),
    ("two clusters", [to(HERE), to(THERE, "y", "b")], SAME, []),
    ("two clusters, differently", [to(HERE), to(THERE, "y", "b")], OTHER, []),
    ("one folder", [to(HERE), to(HERE, "x", "b")], {"x": [flavor()]}, [FOLDER]),
    ("more of one folder", [to(HERE), to(HERE, "x", "b")], {"x": [flavor(), limits()]}, [f"{FOLDER} and 1 more"]),
    ("one folder at two revisions", [to(HERE), to(HERE, "x", "b", targetRevision="v2")], {"x": [flavor()]}, [FOLDER]),
    ("one folder, two clusters", [to(HERE), to(THERE, "x", "b")], {"x": [flavor()]}, []),
    ("one folder, renamed", [to(HERE), to(HERE, "x", "b", kustomize={"nameSuffix": "-b"})], {"x": [flavor()]}, []),
    ("one folder, two namespaces", [to(HERE), to({**HERE, "namespace": "nlp"}, "x", "b")], {"x": [limits()]}, []),
    ("one folder that is not here", [to(HERE), to(HERE, "x", "b")], {}, []),
    (
        "two namespaces",
        [to(HERE), to({**HERE, "namespace": "nlp"}, "y", "b")],
        {"x": [limits()], "y": [limits()]},
        [],
    ),
    (
        "of one namespace",
        [to(HERE), to({**HERE, "namespace": "nlp"}, "y", "b")],
        {"x": [local_queue()], "y": [local_queue()]},
        ["error LocalQueue default in namespace vision is defined twice, by Applications a and b"],
    ),
    ("a cohort", [], {"x": [body(KUEUE, "Cohort", "c")], "y": []}, []),
]


@pytest.mark.parametrize(("bodies", "folders", "want"), [row[1:] for row in CASES], ids=[row[0] for row in CASES])
def test_owners(bodies: list[Body], folders: dict[str, list[Body]], want: list[str]) -> None:
    assert twice(bodies, folders) == want
