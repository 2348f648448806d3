"""A waiver accepts what it names, until its day, and says so when it is of no use."""

import pytest

from generator.environment.load import load
from generator.environment.waivers import Waiver
from generator.finding import Finding, Layer, Location, ObjectRef, Severity
from generator.policy.waivers import waive

PLACE = Location("environments/prod/inventory.yaml", 4, 5)
FILE = "environments/waivers.yaml"


def waiver(rule: str = "accelerator-overcommit", on: str = "prod/pool/h100", expires: str = "2026-12-20") -> Waiver:
    line = f"{{rule: {rule}, object: '{on}', reason: nodes arrive, owner: platform, expires: {expires}}}"
    text = f"apiVersion: apportion.dev/v1\nkind: Waivers\nwaivers:\n- {line}\n"
    repository, findings = load({FILE: text.encode()})
    assert findings == []
    (found,) = repository.waivers
    return found


def finding(ref: ObjectRef | None, layer: Layer = Layer.POLICY, rule: str = "accelerator-overcommit") -> Finding:
    return Finding(rule, Severity.ERROR, layer, "too much", PLACE, "take less", ref)


POOL = ObjectRef("prod", "pool", "h100")


def said(given: Waiver, found: Finding, as_of: str | None) -> tuple[list[str], int]:
    """Return what is left, as rules with their severity, and how many findings were accepted."""
    left = waive([found], [given], as_of)
    return [f"{f.rule} ({f.severity})" for f in left.findings], left.accepted


@pytest.mark.parametrize(
    ("as_of", "expected"),
    [
        ("2026-12-01", ([], 1)),
        ("2026-12-05", ([], 1)),
        ("2026-12-06", (["waiver-ends-soon (info)"], 1)),
        ("2026-12-20", (["waiver-ends-soon (info)"], 1)),
        ("2026-12-21", (["accelerator-overcommit (error)", "waiver-expired (error)"], 0)),
        (None, (["waiver-date-unchecked (info)"], 1)),
    ],
)
def test_it_holds_until_its_last_day(as_of: str | None, expected: tuple[list[str], int]) -> None:
    assert said(waiver(), finding(POOL), as_of) == expected


@pytest.mark.parametrize(
    ("on", "ref", "matches"),
    [
        ("prod/pool/h100", POOL, True),
        ("*/pool/h100", POOL, True),
        ("prod/pool/h*", POOL, True),
        ("prod/pool/h10", POOL, False),
        ("dev/pool/h100", POOL, False),
        ("prod/queue/a-training", ObjectRef("prod", "ClusterQueue", "a-training"), True),
        ("prod/ClusterQueue/a-*", ObjectRef("prod", "ClusterQueue", "a-training"), True),
        ("prod/pool/h100", ObjectRef("prod", "ResourceFlavor", "h100"), True),
        ("prod/Secret/a/token", ObjectRef("prod", "Secret", "token", "a"), True),
        ("prod/Secret/token", ObjectRef("prod", "Secret", "token", "a"), False),
        ("prod/pool/h100", None, False),
    ],
)
def test_it_names_objects_by_environment_kind_namespace_and_name(on: str, ref: ObjectRef | None, matches: bool) -> None:
    assert waive([finding(ref)], [waiver(on=on)], "2026-12-01").accepted == int(matches)


def test_it_is_for_one_rule() -> None:
    assert said(waiver(rule="host-overcommit"), finding(POOL), "2026-12-01") == (
        ["accelerator-overcommit (error)", "waiver-unused (warning)"],
        0,
    )


@pytest.mark.parametrize("layer", Layer)
def test_what_a_cluster_refuses_is_not_made_right(layer: Layer) -> None:
    accepted = {Layer.POLICY, Layer.READINESS, Layer.DRIFT, Layer.CHANGE}
    expected = ([], 1) if layer in accepted else (["accelerator-overcommit (error)", "waiver-in-vain (warning)"], 0)
    assert said(waiver(), finding(POOL, layer), "2026-12-01") == expected


def test_an_expired_one_is_an_error_though_nothing_is_left_to_accept() -> None:
    left = waive([], [waiver()], "2027-01-01")
    assert [(f.rule, str(f.location), f.message) for f in left.findings] == [
        (
            "waiver-expired",
            f"{FILE}:4:108",
            "the waiver of accelerator-overcommit for prod/pool/h100 expired on 2026-12-20",
        )
    ]


def test_one_for_an_environment_that_was_not_judged_is_not_said_to_be_of_no_use() -> None:
    assert waive([], [waiver()], "2026-12-01", ["dev"]).findings == []
    assert [f.rule for f in waive([], [waiver()], "2026-12-01", ["prod"]).findings] == ["waiver-unused"]


def test_dates_that_were_not_compared_are_one_finding() -> None:
    found = [finding(POOL), finding(ObjectRef("prod", "pool", "a100"))]
    left = waive(found, [waiver(), waiver(on="prod/pool/a100")], None)
    assert [f.message for f in left.findings] == ["2 waivers hold, and no expiry was compared with a day"]
