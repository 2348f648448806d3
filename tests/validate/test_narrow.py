"""A schema compiled for the fields of some objects alone takes and refuses what the whole one does."""

from __future__ import annotations

import re
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.schemas.load import schema
from generator.validate.defaults import keys
from generator.validate.objects import validate_object
from generator.validate.structural import root
from generator.validate.translation import _LIGHTER
from tests.validate.real import key
from tests.validate.test_mutations import ENVIRONMENTS, mutations, samples, target

STEP = 25  # every so many mutations; all of them are judged by tests/validate/test_mutations.py, as wholes


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_mutations_of_the_samples(environment: str) -> None:
    judged = refused = 0
    for body in samples(environment):
        found = schema(*key(body), target(ENVIRONMENTS[environment]))
        if found is None:
            continue
        names = frozenset(keys(body))
        assert validate_object(body, found, names=names) == validate_object(body, found) == []
        assert root(found, names).validator.is_valid(body) <= root(found).validator.is_valid(body)
        for what, mutated in islice(mutations(body), 0, None, STEP):
            whole = validate_object(mutated, found)
            assert validate_object(mutated, found, names=frozenset(keys(mutated))) == whole, what
            judged, refused = judged + 1, refused + bool(whole)
    assert judged > 30
    assert 0 < refused < judged


PARTS = st.sampled_from(
    ["+", "-", "0", "12", ".", ".5", "Ki", "k", "m", "E", "e", "E3", "e-1", "e+1.5", "i", " ", "\n"]
)


@settings(max_examples=2000, derandomize=True, deadline=None)
@given(st.lists(PARTS, max_size=6).map("".join))
def test_the_lighter_pattern_takes_the_same_strings(text: str) -> None:
    for heavy, light in _LIGHTER.items():
        assert bool(re.search(heavy, text)) == bool(re.search(light, text))
