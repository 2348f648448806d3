"""What an accelerator is, and whether a card can be cut into a given set of slices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from generator.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Vendor:
    """What all cards of a vendor share on a node.

    `resource` is what pods ask for. `product_label` is the node label that names the model; None: the vendor sets none.
    `shared_suffix` and `shared_product_suffix` are appended to the resource of a renamed shared card and to the product
    label of one that is shared without renaming. `mig_prefix` and `mig_product_infix` stand before a slice's profile in
    its resource and in the product label. The two `…_label` fields name the node labels by which a node chooses its
    device plugin configuration and its slices. None: the vendor has no such thing.
    """

    id: str
    title: str
    resource: str
    product_label: str | None
    taint_key: str
    shared_suffix: str | None
    shared_product_suffix: str | None
    mig_prefix: str | None
    mig_product_infix: str | None
    device_plugin_label: str | None
    mig_label: str | None
    operators: tuple[str, ...]
    verified: bool
    sources: tuple[str, ...]

    def mig_resource(self, profile: str) -> str:
        """Return the resource of a slice where slices are mixed: "1g.5gb+me" is nvidia.com/mig-1g.5gb.me.

        Raises:
            ValueError: the vendor has no such slices.
        """
        if self.mig_prefix is None:
            raise ValueError(f"{self.title} has no MIG")
        return self.mig_prefix + label_text(profile)


@dataclass(frozen=True, slots=True)
class MigProfile:
    """A kind of slice: how many compute and memory slices of the card it takes, and where in memory it may begin.

    `limit` is how many of it one card holds. `media` slices have the media extensions, of which a card has one set.
    """

    name: str
    compute: int
    memory: int
    starts: tuple[int, ...]
    limit: int
    media: bool


@dataclass(frozen=True, slots=True)
class Accelerator:
    """One model. `memory_gb` is what its name says; `products` are known values of the product label.

    `mig_slices` and `mig_memory_slices` are what one card can be cut into; 0: it cannot.
    """

    id: str
    vendor: str
    title: str
    memory_gb: int
    resource: str
    product_label: str | None
    products: tuple[str, ...]
    taint_key: str
    mig_slices: int
    mig_memory_slices: int
    mig: Mapping[str, MigProfile]
    operators: tuple[str, ...]
    verified: bool
    notes: str


def label_text(profile: str) -> str:
    """Return a profile as it stands in resource names and label values, where "+" is not allowed.

    Source: NVIDIA/k8s-device-plugin internal/rm and internal/lm, which replace "+" by ".".
    """
    return profile.replace("+", ".")


def invalid_geometry(accelerator: Accelerator, layout: Mapping[str, int]) -> str | None:
    """Return why one card cannot hold these slices (profile: count), or None when it can.

    Source: NVIDIA MIG user guide, supported profiles and placements (`nvidia-smi mig -lgipp`).
    """
    if not accelerator.mig:
        return f"{accelerator.id} cannot be cut into slices"
    if unknown := sorted(layout.keys() - accelerator.mig.keys()):
        return f"{accelerator.id} has no profile {unknown[0]}; it has {', '.join(accelerator.mig)}"
    for name, count in layout.items():
        if count > accelerator.mig[name].limit:
            return f"a card holds at most {accelerator.mig[name].limit} of {name}, not {count}"
    slices = [accelerator.mig[name] for name in accelerator.mig for _ in range(layout.get(name, 0))]
    if not slices:
        return "the layout holds no slice"
    return _too_much(accelerator, slices) or _unplaceable(accelerator, slices)


def _too_much(accelerator: Accelerator, slices: Sequence[MigProfile]) -> str | None:
    compute, memory = sum(item.compute for item in slices), sum(item.memory for item in slices)
    if compute > accelerator.mig_slices:
        return f"the layout needs {compute} compute slices and a card has {accelerator.mig_slices}"
    if memory > accelerator.mig_memory_slices:
        return f"the layout needs {memory} memory slices and a card has {accelerator.mig_memory_slices}"
    if (media := sum(item.media for item in slices)) > 1:
        return f"{media} slices ask for media extensions (+me) and a card has them once"
    return None


def _unplaceable(accelerator: Accelerator, slices: Sequence[MigProfile]) -> str | None:
    # The pickiest first: the search is then over after a few steps, and there are never more than eight slices.
    waiting = sorted(slices, key=lambda item: (-item.memory, len(item.starts)))
    if _place(waiting, frozenset(range(accelerator.mig_memory_slices))):
        return None
    counts = {item.name: slices.count(item) for item in waiting}
    named = ", ".join(f"{count} x {name}" for name, count in counts.items())
    return f"no placement on a card holds {named} together, though the number of slices would do"


def _place(waiting: Sequence[MigProfile], free: frozenset[int]) -> bool:
    if not waiting:
        return True
    first, rest = waiting[0], waiting[1:]
    spans = (frozenset(range(start, start + first.memory)) for start in first.starts)
    return any(_place(rest, free - span) for span in spans if span <= free)
