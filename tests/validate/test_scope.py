"""Kinds of the cluster have no namespace, whatever is written: the server drops it, and so do references."""

from __future__ import annotations

import pytest

from generator.schemas.builtin import KINDS
from generator.schemas.load import every
from generator.validate import kinds
from tests.validate.builders import Body, flavor, local_queue, namespace, queue, rules, sound


def in_namespace(body: Body, space: str = "prod") -> Body:
    return {**body, "metadata": {**body["metadata"], "namespace": space}}


def test_every_kind_of_the_cluster_is_listed() -> None:
    built_in = {(*name.split("/")[::2],) for name, (_, namespaced) in KINDS.items() if not namespaced}
    others = {(found.group, found.kind) for found in every() if not found.namespaced}
    spaced = {(found.group, found.kind) for found in every() if found.namespaced}
    assert (built_in | others) - kinds.CLUSTER_SCOPED == set()
    assert spaced & kinds.CLUSTER_SCOPED == set()


@pytest.mark.parametrize(
    ("bodies", "want"),
    [
        ([namespace(), in_namespace(flavor()), in_namespace(queue()), local_queue()], []),
        ([in_namespace(namespace()), flavor(), queue(), local_queue()], []),
        ([*sound(), in_namespace(flavor(nodeLabels={"model": "b"}))], ["error object-twice"]),
        ([*sound(), in_namespace(local_queue())], ["error namespace-not-selected"]),
    ],
    ids=["queue and flavor", "namespace", "twice", "a LocalQueue keeps its own"],
)
def test_a_namespace_on_a_kind_of_the_cluster(bodies: list[Body], want: list[str]) -> None:
    assert rules(bodies) == want
