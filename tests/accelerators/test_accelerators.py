"""Accelerator data, and which layouts of slices a card can hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

import pytest

from generator.accelerators import load
from generator.accelerators.model import Accelerator, MigProfile, invalid_geometry
from generator.frozen import replace

NVIDIA = "v100-32 t4-16 a10-24 a30-24 a100-40 a100-80 l4-24 l40s-48 h100-80 h100-94 h200-141 gh200-96 b200-180"
CONTRACT = {
    "nvidia": NVIDIA.split(),
    "amd": ["mi210-64", "mi250-128", "mi300x-192", "mi325x-256", "mi355x-288"],
    "intel": ["gaudi2-96", "gaudi3-128"],
}
RESOURCES = {"nvidia": "nvidia.com/gpu", "amd": "amd.com/gpu", "intel": "habana.ai/gaudi"}


def model(name: str) -> Accelerator:
    found = load.accelerator(name)
    assert found is not None
    return found


def sliceable() -> list[str]:
    return [name for name in load.ids() if model(name).mig]


def test_ids_are_those_of_the_contract() -> None:
    assert sorted(load.ids()) == sorted(f"{vendor}-{name}gb" for vendor, names in CONTRACT.items() for name in names)


@pytest.mark.parametrize("name", ["nvidia-h100-81gb", "nvidia", "acme-x-1gb", "", "../x-1gb"])
def test_unknown(name: str) -> None:
    assert load.accelerator(name) is None


def test_unknown_vendor() -> None:
    with pytest.raises(KeyError, match="acme"):
        load.vendor("acme")


@pytest.mark.parametrize("name", load.ids())
def test_model(name: str) -> None:
    found = model(name)
    vendor = load.vendor(found.vendor)
    assert name == f"{found.vendor}-{name.split('-')[1]}-{found.memory_gb}gb"
    assert (found.resource, vendor.resource) == (RESOURCES[found.vendor], RESOURCES[found.vendor])
    assert found.product_label or found.products == ()
    assert vendor.sources
    assert found.verified or found.notes or not vendor.verified


def test_product_labels_tell_models_apart() -> None:
    products = [label for name in load.ids() for label in model(name).products]
    assert len(products) == len(set(products))


@pytest.mark.parametrize("name", sliceable())
def test_profiles_add_up(name: str) -> None:
    """A profile's name tells its compute slices and memory; the whole card is one slice."""
    found = model(name)
    for key, profile in found.mig.items():
        assert key.split("g.")[0] == str(profile.compute), key
        assert profile.media == key.endswith("+me")
        assert max(profile.starts) + profile.memory <= found.mig_memory_slices
        assert invalid_geometry(found, {key: profile.limit}) is None
    whole = f"{found.mig_slices}g.{found.memory_gb}gb"
    assert (found.mig[whole].compute, found.mig[whole].memory) == (found.mig_slices, found.mig_memory_slices)


@pytest.mark.parametrize(
    ("profile", "resource"),
    [("1g.10gb", "nvidia.com/mig-1g.10gb"), ("1g.10gb+me", "nvidia.com/mig-1g.10gb.me")],
)
def test_mig_resource(profile: str, resource: str) -> None:
    assert load.vendor("nvidia").mig_resource(profile) == resource


def test_amd_has_no_mig_resource() -> None:
    with pytest.raises(ValueError, match=r"^AMD has no MIG$"):
        load.vendor("amd").mig_resource("1g.10gb")


PER_MODEL = {
    "nvidia-a30-24gb": ("1g.6gb", "2g.12gb", "4g.24gb"),
    "nvidia-a100-40gb": ("1g.5gb", "2g.10gb", "7g.40gb"),
    "nvidia-a100-80gb": ("1g.10gb", "2g.20gb", "7g.80gb"),
    "nvidia-h100-80gb": ("1g.10gb", "2g.20gb", "7g.80gb"),
    "nvidia-h100-94gb": ("1g.12gb", "2g.24gb", "7g.94gb"),
    "nvidia-h200-141gb": ("1g.18gb", "2g.35gb", "7g.141gb"),
    "nvidia-gh200-96gb": ("1g.12gb", "2g.24gb", "7g.96gb"),
    "nvidia-b200-180gb": ("1g.23gb", "2g.45gb", "7g.180gb"),
}


@pytest.mark.parametrize("name", sliceable())
def test_full_card_and_one_too_many(name: str) -> None:
    one, two, whole = PER_MODEL[name]
    card = model(name)
    slices = card.mig_slices
    assert invalid_geometry(card, {one: slices}) is None
    assert invalid_geometry(card, {one: slices + 1}) == f"a card holds at most {slices} of {one}, not {slices + 1}"
    assert invalid_geometry(card, {one: slices - 2, two: 1}) is None
    too_many = f"the layout needs {slices + 1} compute slices and a card has {slices}"
    assert invalid_geometry(card, {one: slices - 1, two: 1}) == too_many
    assert invalid_geometry(card, {whole: 1}) is None
    assert invalid_geometry(card, {whole: 1, one: 1}) == too_many


@pytest.mark.parametrize(
    "layout",
    [
        {"1g.10gb": 3, "2g.20gb": 2},
        {"3g.40gb": 1, "1g.10gb": 4},
        {"4g.40gb": 1, "3g.40gb": 1},
        {"4g.40gb": 1, "2g.20gb": 1, "1g.20gb": 1},
        {"1g.10gb": 6, "1g.20gb": 1},
        {"1g.10gb+me": 1, "1g.10gb": 6},
        {"1g.20gb": 4},
        {"2g.20gb": 1, "7g.80gb": 0},
    ],
)
def test_valid_layout(layout: Mapping[str, int]) -> None:
    assert invalid_geometry(model("nvidia-a100-80gb"), layout) is None


@pytest.mark.parametrize(
    ("layout", "reason"),
    [
        ({"4g.40gb": 1, "2g.20gb": 2}, "the layout needs 8 compute slices and a card has 7"),
        ({"3g.40gb": 2, "1g.10gb": 1}, "the layout needs 9 memory slices and a card has 8"),
        ({"1g.20gb": 4, "1g.10gb": 1}, "the layout needs 9 memory slices and a card has 8"),
        ({"1g.10gb+me": 2}, "a card holds at most 1 of 1g.10gb+me, not 2"),
        (
            {"1g.5gb": 1},
            "nvidia-a100-80gb has no profile 1g.5gb; it has "
            "1g.10gb, 1g.10gb+me, 1g.20gb, 2g.20gb, 3g.40gb, 4g.40gb, 7g.80gb",
        ),
        ({}, "the layout holds no slice"),
        ({"1g.10gb": 0}, "the layout holds no slice"),
    ],
)
def test_invalid_layout(layout: Mapping[str, int], reason: str) -> None:
    assert invalid_geometry(model("nvidia-a100-80gb"), layout) == reason


def test_two_kinds_of_media_slices() -> None:
    reason = "2 slices ask for media extensions (+me) and a card has them once"
    assert invalid_geometry(model("nvidia-a30-24gb"), {"1g.6gb+me": 1, "2g.12gb+me": 1}) == reason


def test_a_card_without_slices() -> None:
    assert invalid_geometry(model("nvidia-l40s-48gb"), {"1g.10gb": 1}) == "nvidia-l40s-48gb cannot be cut into slices"


def odd_card() -> Accelerator:
    """A card of a site's own, on which two slices that add up get in each other's way."""
    profiles = {
        "1g.1gb": MigProfile("1g.1gb", 1, 1, (0, 1), 2, media=False),
        "2g.2gb": MigProfile("2g.2gb", 2, 2, (1,), 1, media=False),
        "1g.2gb": MigProfile("1g.2gb", 1, 2, (0, 2), 2, media=False),
    }
    return replace(model("nvidia-a30-24gb"), id="acme-odd-4gb", mig=profiles)


def test_no_placement() -> None:
    assert invalid_geometry(odd_card(), {"2g.2gb": 1, "1g.1gb": 1}) is None
    reason = "no placement on a card holds 1 x 2g.2gb, 1 x 1g.2gb together, though the number of slices would do"
    assert invalid_geometry(odd_card(), {"2g.2gb": 1, "1g.2gb": 1}) == reason


def by_trying_everything(card: Accelerator, layout: Mapping[str, int]) -> bool:
    """Whether any choice of starts works: the definition, without the order and the cuts of the real search."""
    slices = [card.mig[name] for name, count in layout.items() for _ in range(count)]
    if sum(item.compute for item in slices) > card.mig_slices or sum(item.media for item in slices) > 1:
        return False
    for starts in product(*(item.starts for item in slices)):
        taken = [cell for item, start in zip(slices, starts, strict=True) for cell in range(start, start + item.memory)]
        if len(taken) == len(set(taken)):
            return True
    return False


def layouts(card: Accelerator, most: int) -> Iterator[dict[str, int]]:
    for counts in product(*(range(min(profile.limit, most) + 1) for profile in card.mig.values())):
        if 0 < sum(counts) <= most:
            yield dict(zip(card.mig, counts, strict=True))


@pytest.mark.parametrize(
    "card", [model("nvidia-a30-24gb"), model("nvidia-h100-80gb"), odd_card()], ids=lambda card: card.id
)
def test_the_search_agrees_with_trying_everything(card: Accelerator) -> None:
    found = {str(layout): invalid_geometry(card, layout) is None for layout in layouts(card, most=4)}
    assert found == {str(layout): by_trying_everything(card, layout) for layout in layouts(card, most=4)}
    assert set(found.values()) == {True, False}
