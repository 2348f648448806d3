"""Each kind of scalar at its limit and one past it."""

from __future__ import annotations

import typing
from decimal import Decimal
from typing import Any

import jsonschema
import pytest

from generator.environment import types
from generator.environment.constraint import Constraint, RefusedError

HASH = "sha256:" + "0" * 64


def constraint(name: str) -> Constraint:
    (found,) = typing.get_args(getattr(types, name))[1:]
    assert isinstance(found, Constraint)
    return found


ALLOWED: list[tuple[str, list[Any]]] = [
    ("Name", ["a", "a-b", "0", "a" * 63]),
    ("ObjectName", ["a", "a.b-c", "a" * 253]),
    ("Line", ["x", "a b", "é", "x" * 256]),
    ("Prose", ["x", "two\nlines", "x" * 2048]),
    ("Subject", ["x", "system:authenticated", "Jane Doe", "x" * 253]),
    ("LabelKey", ["a", "a/b", "example.com/A_b.c", "n" * 63, "p" * 253 + "/" + "n" * 63]),
    ("LabelValue", ["", "a", "A_b.c-1", "v" * 63]),
    ("Release", ["3.4", "4.20", "1.0"]),
    ("Date", ["2026-12-31", "2028-02-29"]),
    ("Url", ["https://x", "ssh://git@x/y.git", "git@x:y.git"]),
    ("Server", ["https://x", "https://x:6443/", "https://x/y"]),
    ("Revision", ["main", "v1.0", "feature/a_b", "a" * 250]),
    ("Folder", ["a", "a/b.c", ".hidden", "a/"]),
    ("Image", ["r.example.com/a:1", "r:5000/a/b:tag", f"r/a@{HASH}", f"r/a:1@{HASH}"]),
    ("Slice", ["1g.5gb", "7g.80gb", "1g.10gb+me", "1g.24gb+me.all"]),
    ("Csv", ["kueue-operator.v1.3.0", "a"]),
    ("Channel", ["stable", "v25.10", "stable-3.x"]),
    ("Nodes", [0, 1_000_000]),
    ("Replicas", [1, 1024]),
    ("Priority", [-(2**31), 0, 2**31 - 1]),
    ("Ratio", [1, Decimal("1.2"), 100]),
    ("Weight", [0, 1, Decimal("0.5"), "500m"]),
    ("Cards", [0, 8, "8", "1k"]),
    ("Hardware", ["1m", 1, Decimal("0.001"), "9223372036854775807"]),
    ("Bytes", ["1Mi", "64Gi", 1048576]),
    ("Held", [0, "0", "1m"]),
    ("HeldBytes", [0, "1Mi"]),
    ("Guarantee", [0, 8, "0%", "100%", "100.000%", "99.999%", "12.5%"]),
    ("Divisible", [0, "auto", "1.5", "50%"]),
    ("DivisibleBytes", ["auto", "50%", "1Gi", 0]),
    ("Borrow", [0, 8, "unlimited", "50%"]),
    ("Lend", [0, 8, "all", "50%"]),
]
LABEL = "an RFC 1123 label: at most 63 lower-case letters, digits and '-', no '-' at its ends"
REFUSED: list[tuple[str, Any, str]] = [
    ("Name", "", f"is not {LABEL}"),
    ("Name", "a" * 64, "has 64 characters"),
    ("Name", "A", f"is not {LABEL}"),
    ("Name", "-a", f"is not {LABEL}"),
    ("Name", "a-", f"is not {LABEL}"),
    ("Name", "a.b", f"is not {LABEL}"),
    ("Name", "a\n", f"is not {LABEL}"),
    ("Name", "é", f"is not {LABEL}"),
    ("Name", 4711, "is a number, not text"),
    ("Name", Decimal("1.5"), "is a number, not text"),
    ("Name", True, "is a boolean, not text"),
    ("Name", None, f"is not {LABEL}"),
    ("Name", ["a"], f"is not {LABEL}"),
    ("ObjectName", "a" * 254, "has 254 characters"),
    ("ObjectName", "a..b", "is not an RFC 1123 subdomain"),
    ("Line", "", "is not one line of text"),
    ("Line", " x", "is not one line of text"),
    ("Line", "a\nb", "is not one line of text"),
    ("Line", "x" * 257, "has 257 characters"),
    ("Prose", " ", "is not text"),
    ("Prose", "x" * 2049, "has 2049 characters"),
    ("Subject", "x ", "is not the name of a group or user"),
    ("LabelKey", "n" * 64, "is not a label key such as example.com/pool"),
    ("LabelKey", "p" * 254 + "/n", "is not a label key such as example.com/pool"),
    ("LabelKey", "a/b/c", "is not a label key such as example.com/pool"),
    ("LabelKey", "/a", "is not a label key such as example.com/pool"),
    ("LabelKey", "A.com/a", "is not a label key such as example.com/pool"),
    ("LabelValue", "v" * 64, "has 64 characters"),
    ("LabelValue", "-a", "is not a label value: at most 63 letters, digits, '-', '_' and '.'"),
    ("LabelValue", "a/b", "is not a label value: at most 63 letters, digits, '-', '_' and '.'"),
    ("Release", "3", 'is not a release in quotes, such as "3.4"'),
    ("Release", "3.4.1", 'is not a release in quotes, such as "3.4"'),
    ("Release", Decimal("3.4"), "is a number, not text"),
    ("Date", "2026-2-1", "is not a date such as 2026-12-31"),
    ("Date", "2026-02-29", "is no date of the calendar"),
    ("Date", "2026-13-01", "is no date of the calendar"),
    ("Url", "http://x", "is not a Git address that begins with https://, ssh:// or git@"),
    ("Url", "https://", "is not a Git address that begins with https://, ssh:// or git@"),
    ("Server", "api.example.com", "is not an address that begins with https://"),
    ("Server", "https://a b", "is not an address that begins with https://"),
    ("Revision", "-x", "is not a Git branch, tag or commit"),
    ("Folder", "../a", "is not a folder of the Git repository, without .. in it"),
    ("Folder", "/a", "is not a folder of the Git repository, without .. in it"),
    ("Image", "r.example.com/a", "is not a container image with its registry, and a tag or digest"),
    ("Image", "torch", "is not a container image with its registry, and a tag or digest"),
    ("Image", "r.example.com/a", "is not a container image with its registry, and a tag or digest"),
    ("Image", "r/a@sha256:0", "is not a container image with its registry, and a tag or digest"),
    ("Slice", "0g.5gb", "is not a MIG profile such as 1g.10gb"),
    ("Slice", "10g.5gb", "is not a MIG profile such as 1g.10gb"),
    ("Nodes", -1, "is less than allowed"),
    ("Nodes", 1_000_001, "is more than allowed"),
    ("Nodes", "3", "is text, not a number"),
    ("Nodes", "three", "is not a whole number"),
    ("Nodes", Decimal("1.5"), "is not a whole number"),
    ("Nodes", True, "is not a whole number"),
    ("Replicas", 0, "is less than allowed"),
    ("Replicas", 1025, "is more than allowed"),
    ("Priority", 2**31, "is more than allowed"),
    ("Priority", -(2**31) - 1, "is less than allowed"),
    ("Ratio", Decimal("0.999"), "is less than allowed"),
    ("Ratio", Decimal("100.001"), "is more than allowed"),
    ("Ratio", "1.2", "is not a number"),
    ("Ratio", False, "is not a number"),
    ("Cards", "500m", "is not a whole number"),
    ("Cards", Decimal("1.5"), "is not a whole number"),
    ("Cards", "50%", "is not a quantity such as 8, 500m or 64Gi"),
    ("Cards", -1, "is negative"),
    ("Hardware", 0, "is too little"),
    ("Hardware", "0m", "is too little"),
    ("Hardware", Decimal("0.0001"), "is finer than one thousandth"),
    ("Hardware", "9223372036854775808", "is larger than 2^63 - 1"),
    ("Hardware", None, "is not a quantity such as 8 or 500m"),
    ("Hardware", {"a": 1}, "is not a quantity such as 8 or 500m"),
    ("Hardware", True, "is not a quantity such as 8 or 500m"),
    ("Bytes", 0, "is too little"),
    ("Bytes", 64, "is 64 bytes"),
    ("Bytes", "1048575", "is 1048575 bytes"),
    ("Bytes", "64GB", "is not a quantity such as 8, 500m or 64Gi"),
    ("HeldBytes", "64m", "is 64m bytes"),
    ("Guarantee", "100.001%", "is not from 0% to 100%"),
    ("Guarantee", "101%", "is not from 0% to 100%"),
    ("Guarantee", "-1%", "is not from 0% to 100%"),
    ("Guarantee", "1.2345%", "is not from 0% to 100%"),
    ("Guarantee", "%", "is not from 0% to 100%"),
    ("Guarantee", "auto", "is not a quantity such as 8, 500m or 64Gi"),
    ("Divisible", "unlimited", "is not a quantity such as 8, 500m or 64Gi"),
    ("Borrow", "all", "is not a quantity such as 8, 500m or 64Gi"),
    ("Lend", "unlimited", "is not a quantity such as 8, 500m or 64Gi"),
]


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in ALLOWED for value in values])
def test_allowed(name: str, value: Any) -> None:
    assert constraint(name).check(value) == value


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in ALLOWED for value in values])
def test_the_schema_allows_it_too(name: str, value: Any) -> None:
    plain = float(value) if isinstance(value, Decimal) else value
    jsonschema.Draft202012Validator(constraint(name).schema()).validate(plain)


@pytest.mark.parametrize(("name", "value", "why"), REFUSED)
def test_refused(name: str, value: Any, why: str) -> None:
    with pytest.raises(RefusedError) as refused:
        constraint(name).check(value)
    assert refused.value.why == why


@pytest.mark.parametrize(
    ("name", "value", "likely"),
    [
        ("Name", "My Team", "my-team"),
        ("Name", "a_b", "a-b"),
        ("Name", "!", None),
        ("Name", True, '"true"'),
        ("Name", 4711, '"4711"'),
        ("Release", Decimal("3.4"), '"3.4"'),
        ("Release", "v3.4.1", '"3.4"'),
        ("Release", "latest", None),
        ("Line", True, '"true"'),
        ("Line", " x", "x"),
        ("Folder", "a\\b", "a/b"),
        ("Folder", "/a/", "a"),
        ("Nodes", "3", "3"),
        ("Nodes", "007", "7"),
        ("Nodes", "three", None),
        ("Bytes", "64GB", "64Gi"),
        ("Bytes", "1.5 tib", "1.5Ti"),
        ("Bytes", "much", None),
        ("Cards", "8GB", None),
        ("Date", "2026-02-30", None),
    ],
)
def test_likely_value(name: str, value: Any, likely: str | None) -> None:
    with pytest.raises(RefusedError) as refused:
        constraint(name).check(value)
    assert refused.value.value == likely


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("Cards", "a whole number"),
        ("Held", "a quantity such as 8 or 500m"),
        ("Guarantee", "a whole number or a percentage"),
        ("Borrow", "a whole number, a percentage or unlimited"),
        ("DivisibleBytes", "a quantity such as 64Gi or 512Mi, a percentage or auto"),
        ("Nodes", "a whole number from 0 to 1000000"),
        ("Ratio", "a number from 1 to 100, without quotes"),
    ],
)
def test_what_is_wanted(name: str, what: str) -> None:
    with pytest.raises(RefusedError) as refused:
        constraint(name).check(None)
    assert refused.value.what == what


def test_a_constraint_is_more_than_its_name() -> None:
    with pytest.raises(NotImplementedError):
        Constraint().check(1)
    with pytest.raises(NotImplementedError):
        Constraint().schema()
