"""Which channels and versions of an operator install the releases that are wanted."""

from __future__ import annotations

from generator.frozen import dataclass
from generator.releases.load import DATA_VERSION
from generator.releases.model import Kueue, OpenShiftAI, Operator


@dataclass(frozen=True, slots=True)
class Wanted:
    """The releases that are to be installed; None: any."""

    openshift_ai: OpenShiftAI | None = None
    kueue: Kueue | None = None
    openshift: str | None = None


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why OLM would not install a version; not `is_certain` where it may be younger than the data."""

    message: str
    fix: str
    is_certain: bool = True


def channels(operator: Operator, wanted: Wanted) -> tuple[str, tuple[str, ...]]:
    """Return the default channel and all channels that hold the wanted releases; none: any channel may be written."""
    channel, known = operator.channel, operator.channels
    for product, release in (("kueue", wanted.kueue), ("openshift-ai", wanted.openshift_ai)):
        version = release.version if release else ""
        channel = operator.channel_by.get(product, {}).get(version, channel)
        known = operator.channels_by.get(product, {}).get(version, known)
    return channel, known


def csv_doubt(operator: Operator, csv: str, wanted: Wanted) -> Doubt | None:
    """Return what is wrong with a startingCSV, or None."""
    if not csv.startswith(operator.csv_prefix):
        return Doubt(f"{csv} is no version of {operator.title}", f"write {operator.csv_prefix}X.Y.Z")
    release = {"kueue": wanted.kueue, "openshift-ai": wanted.openshift_ai}.get(operator.id)
    if release is None:
        return None
    if not csv.startswith(f"{operator.csv_prefix}{release.version}."):
        return Doubt(
            f"{csv} is no version of {operator.title} {release.version}",
            f"write {operator.csv_prefix}{release.version}.Z, or name the release that it is of",
        )
    if isinstance(release, Kueue):
        return _kueue_doubt(csv, release, wanted.openshift or "")
    is_younger = _patch(csv.removeprefix(operator.csv_prefix)) > _patch(release.latest)
    return _younger(csv, f"{operator.csv_prefix}{release.latest}") if is_younger else None


def _kueue_doubt(csv: str, release: Kueue, openshift: str) -> Doubt | None:
    carried = release.csvs_on.get(openshift, release.csvs)
    if csv in carried:
        return None
    if csv in release.csvs:
        return Doubt(f"the catalog of OpenShift {openshift} has no {csv}", f"write {' or '.join(carried)}")
    return _younger(csv, " and ".join(carried))


def _younger(csv: str, known: str) -> Doubt:
    return Doubt(f"{csv} is not known as of {DATA_VERSION}: OLM waits for it for ever", f"known is {known}", False)


def _patch(version: str) -> int:
    """Return the third number of a version; 0 for what is none, as in "3.5.0-ea.2"."""
    patch = version.split(".")[2]
    return int(patch) if patch.isdecimal() else 0
