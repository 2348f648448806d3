"""What plainly fits is what the engine takes; what the samples hold plainly fits, so that the engine need not come."""

from __future__ import annotations

import subprocess
import sys
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.schemas.load import schema
from generator.validate import metadata
from generator.validate.objects import validate_object
from generator.validate.plain_fit import _fits, fits, fits_metadata
from generator.validate.structural import of_metadata, root
from tests.validate.real import key
from tests.validate.test_mutations import ENVIRONMENTS, mutations, samples, target
from tests.validate.things import body as thing_body
from tests.validate.things import thing

STEP = 25  # every so many mutations; all of them are judged by tests/validate/test_mutations.py, by the engine


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_mutations_of_the_samples(environment: str) -> None:
    judged = plain = 0
    for body in samples(environment):
        found = schema(*key(body), target(ENVIRONMENTS[environment]))
        if found is None:
            continue
        for what, mutated in islice(mutations(body), 0, None, STEP):
            is_plain = fits(mutated, found.structure, found.api_version, found.kind)
            assert is_plain <= root(found).validator.is_valid(mutated), what
            assert validate_object(mutated, found, is_one_of_few=True) == validate_object(mutated, found), what
            judged, plain = judged + 1, plain + is_plain
    assert judged > 40
    assert 0 < plain < judged


def test_the_samples_plainly_fit() -> None:
    unsure = set()
    for environment in ENVIRONMENTS:
        for body in samples(environment):
            found = schema(*key(body), target(ENVIRONMENTS[environment]))
            if found is not None and not fits(body, found.structure, found.api_version, found.kind):
                unsure.add(body["kind"])
            if found is not None:
                form = metadata.object_meta(metadata.name_form(found.group, found.kind))
                assert fits_metadata(body["metadata"], form), body["metadata"]
    assert unsure == set()


TEXTS = st.sampled_from(
    ["", "a", "a-b", "A", "a\n", "é", "a/b", "a" * 64, "-", "1", "9Gi", "1.5", "2026-01-01T00:00:00Z"]
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(2**64), 2**64), st.floats(allow_nan=False), TEXTS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=4,
)
SCALARS = st.fixed_dictionaries(
    {"type": st.sampled_from(["string", "integer", "boolean", "number"])},
    optional={
        "enum": st.lists(TEXTS | st.integers(0, 2) | st.booleans(), min_size=1, max_size=3),
        "minLength": st.integers(0, 2),
        "maxLength": st.integers(0, 3),
        "minimum": st.integers(-1, 1),
        "maximum": st.integers(0, 2),
        "pattern": st.sampled_from(["^a$", "^[a-z]+$", "b", r"^\d+$", "a.b", "[[:alpha:]]"]),
        "format": st.sampled_from(["int32", "int64", "date-time", "byte", "double", "uuid", "other"]),
        "nullable": st.booleans(),
        "not": st.just({"type": "string"}),
    },
)
QUANTITY = st.just({"format": "quantity", "pattern": "^[0-9]+(Gi)?$"})
EITHER = st.just(
    {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}], "pattern": "^[0-9]+Gi$"}
)
NODES = st.recursive(
    SCALARS | EITHER | QUANTITY,
    lambda inner: (
        st.fixed_dictionaries(
            {"type": st.just("object")},
            optional={
                "properties": st.dictionaries(TEXTS, inner, max_size=3),
                "additionalProperties": inner | st.booleans() | st.just({}),
                "required": st.lists(TEXTS, max_size=2, unique=True),
                "minProperties": st.integers(0, 2),
                "maxProperties": st.integers(0, 2),
                "x-kubernetes-preserve-unknown-fields": st.booleans(),
            },
        )
        | st.fixed_dictionaries(
            {"type": st.just("array")},
            optional={"items": inner, "minItems": st.integers(0, 2), "maxItems": st.integers(0, 2)},
        )
    ),
    max_leaves=4,
)


@settings(max_examples=150, derandomize=True, deadline=None)
@given(NODES, VALUES)
def test_any_value_against_any_schema(node: dict[str, Any], value: Any) -> None:
    made = thing(node)
    if _fits(value, node):
        assert root(made).validator.is_valid(thing_body(value))


META = st.fixed_dictionaries(
    {},
    optional={
        "name": VALUES,
        "namespace": VALUES,
        "labels": VALUES | st.dictionaries(TEXTS, TEXTS, max_size=2),
        "annotations": VALUES | st.dictionaries(TEXTS, TEXTS, max_size=2),
        "finalizers": VALUES,
    },
)


@settings(max_examples=150, derandomize=True, deadline=None)
@given(META, st.sampled_from([("", "Namespace"), ("", "Service"), ("rbac.authorization.k8s.io", "Role"), ("x", "Y")]))
def test_any_metadata(meta: dict[str, Any], of: tuple[str, str]) -> None:
    form = metadata.name_form(*of)
    if fits_metadata(meta, metadata.object_meta(form)):
        assert of_metadata(form).validator.is_valid(meta)


def test_the_engine_stays_out_of_a_run_of_few_sound_objects(tmp_path: Path) -> None:
    code = (
        "import sys; from generator.cli import main;"
        f"assert main(['init', {str(tmp_path)!r}, '-q']) == 0;"
        f"assert main(['check', '--inputs-only', '-q', '--root', {str(tmp_path)!r}]) == 0;"
        "assert 'jsonschema_rs' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
