"""Queue presets: what `use: training` means. Source: contract, section 2, with the reason for each."""

from __future__ import annotations

from collections.abc import Mapping

from generator.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Preset:
    """Kueue's preemption, and the borrow and lend defaults; workloads should carry the priority class of its name."""

    within_cluster_queue: str
    reclaim_within_cohort: str
    borrow: str | int
    lend: str


PRESETS: Mapping[str, Preset] = {
    "interactive": Preset("Never", "Any", 0, "all"),
    "serving": Preset("LowerPriority", "Any", 0, "all"),
    "training": Preset("LowerPriority", "Any", "unlimited", "all"),
    "batch": Preset("LowerPriority", "LowerPriority", "unlimited", "all"),
}
FALLBACK = "training"  # of a queue that names no use and is not called like one
