from __future__ import annotations

import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.quantity import GI, KI, MI, UNIT, canonical, canonical_bytes, parse

LARGEST = 2**63 - 1


@pytest.mark.parametrize(
    ("written", "thousandths"),
    [
        ("0", 0),
        ("-0", 0),
        ("8", 8000),
        ("+8", 8000),
        ("8.", 8000),
        (".5", 500),
        ("1.5", 1500),
        ("250m", 250),
        ("1000000u", 1000),
        ("1000000n", 1),
        ("2k", 2_000_000),
        ("3M", 3 * 10**9),
        ("4G", 4 * 10**12),
        ("5T", 5 * 10**15),
        ("6P", 6 * 10**18),
        ("7E", 7 * 10**21),
        ("1Ki", KI),
        ("1Mi", MI),
        ("64Gi", 64 * GI),
        ("0.5Gi", GI // 2),
        ("1Ti", 1024 * GI),
        ("1Pi", 1024**2 * GI),
        ("1Ei", 1024**3 * GI),
        ("1e3", 1_000_000),
        ("1E3", 1_000_000),
        ("1E", 10**21),
        ("15e-1", 1500),
        ("1e+2", 100_000),
        ("0.001", 1),
        (str(LARGEST), LARGEST * UNIT),
        (8, 8000),
        (Decimal("1.5"), 1500),
        (Decimal("0.10"), 100),
        # Kubernetes documentation, Resource Management for Pods and Containers: four ways to write about 128974848
        ("128974848", 128974848 * UNIT),
        ("129e6", 129 * 10**6 * UNIT),
        ("129M", 129 * 10**6 * UNIT),
        ("128974848000m", 128974848 * UNIT),
        ("123Mi", 128974848 * UNIT),
        ("0.1", 100),
        ("100m", 100),
    ],
)
def test_parse(written: str | int | Decimal, thousandths: int) -> None:
    assert parse(written) == thousandths


GRAMMAR = "is not a quantity such as 8, 500m or 64Gi"


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("", GRAMMAR),
        (".", GRAMMAR),
        ("m", GRAMMAR),
        ("8 Gi", GRAMMAR),
        (" 8", GRAMMAR),
        ("8\n", GRAMMAR),
        ("8GB", GRAMMAR),
        ("8gi", GRAMMAR),
        ("8K", GRAMMAR),
        ("1,5", GRAMMAR),
        ("1_000", GRAMMAR),
        ("0x10", GRAMMAR),
        ("Infinity", GRAMMAR),
        ("1e", GRAMMAR),
        ("1e3Ki", GRAMMAR),
        ("٣", GRAMMAR),
        ("1" * 65, GRAMMAR),
        ("0.0001", "is finer than one thousandth"),
        ("1u", "is finer than one thousandth"),
        ("0.5m", "is finer than one thousandth"),
        ("0.0000001Ki", "is finer than one thousandth"),
        ("-1", "is negative"),
        ("-0.5", "is negative"),
        (-1, "is negative"),
        (str(LARGEST + 1), "is larger than 2^63 - 1"),
        ("8Ei", "is larger than 2^63 - 1"),
        ("1e31", "is larger than 2^63 - 1 or finer than one thousandth"),
        ("1e-31", "is larger than 2^63 - 1 or finer than one thousandth"),
        ("1e99999999", "is larger than 2^63 - 1 or finer than one thousandth"),
    ],
)
def test_refused(written: str | int, why: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(why)}$"):
        parse(written)


@pytest.mark.parametrize(
    ("written", "decimal", "binary"),
    [
        ("0", "0", "0"),
        ("1", "1", "1"),
        ("0.1", "100m", "100m"),
        ("1.5", "1500m", "1500m"),
        ("999", "999", "999"),
        ("1000", "1k", "1k"),
        ("1001", "1001", "1001"),
        ("1023", "1023", "1023"),
        ("1024", "1024", "1Ki"),
        ("1025", "1025", "1025"),
        ("12000", "12k", "12k"),
        ("1000000", "1M", "1M"),
        ("1024Mi", "1073741824", "1Gi"),
        ("1536Gi", "1649267441664", "1536Gi"),
        ("1.5Gi", "1610612736", "1536Mi"),
        ("2Ti", "2199023255552", "2Ti"),
        ("1024Pi", "1152921504606846976", "1Ei"),
        ("1000Gi", "1073741824k", "1000Gi"),
        ("128000", "128k", "125Ki"),
        ("3E", "3E", "2929687500000000Ki"),
        ("1.024", "1024m", "1024m"),
    ],
)
def test_canonical(written: str, decimal: str, binary: str) -> None:
    assert (canonical(parse(written)), canonical_bytes(parse(written))) == (decimal, binary)


def test_sums_may_be_beyond_what_can_be_written() -> None:
    assert (canonical(10**21 * UNIT), canonical_bytes(1024**7 * UNIT)) == ("1000E", "1024Ei")


AMOUNTS = st.one_of(
    st.integers(0, LARGEST * UNIT),
    st.integers(0, LARGEST).map(lambda whole: whole * UNIT),
    st.builds(lambda n, power: n * 1024**power * UNIT, st.integers(0, 2**12), st.integers(0, 5)),
    st.builds(lambda n, power: n * 10**power, st.integers(0, 9999), st.integers(0, 17)),
)


@given(AMOUNTS)
def test_canonical_forms_are_read_back(amount: int) -> None:
    assert parse(canonical(amount)) == amount
    assert parse(canonical_bytes(amount)) == amount


@given(AMOUNTS)
def test_canonical_forms_are_final(amount: int) -> None:
    assert canonical(parse(canonical(amount))) == canonical(amount)
    assert canonical_bytes(parse(canonical_bytes(amount))) == canonical_bytes(amount)


FACTORS = {"": "1", "k": "1e3", "M": "1e6", "T": "1e12", "Ki": "1024", "Gi": "1073741824", "e2": "100", "E-1": "0.1"}


@given(st.decimals(0, 9999, places=2), st.sampled_from(sorted(FACTORS)))
def test_what_is_written_is_exact(number: Decimal, suffix: str) -> None:
    assert parse(f"{number}{suffix}") == number * Decimal(FACTORS[suffix]) * UNIT
