"""Make the compact schemas in data/ from real CustomResourceDefinitions and from Kubernetes' own definitions.

    python -m generator.schemas.tool PRODUCT[:RELEASE]=FOLDER…
    python -m generator.schemas.tool kubernetes=FOLDER-OF-kubernetes_validate

A product is a field of Target (kueue, openshift_ai, argo_cd, trainer) with its release, or one without releases (olm).
What a run is not told about stays as it is: `kueue:1.5=crds/` adds a release.
Only structure is kept: fields, types, limits, defaults and CEL rules.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from generator.schemas import load
from generator.schemas.builtin import KINDS as BUILTIN
from generator.schemas.crds import definitions
from generator.schemas.kubernetes import read_release
from generator.schemas.schema import Schema, dump, from_crd, parse

# in OpenShift 4.16, the oldest on which a release of OpenShift AI that we know runs
OLDEST_KUBERNETES = "1.29"

# what Apportion writes or judges; a product's other kinds are left out
KINDS = frozenset(
    {
        *(f"kueue.x-k8s.io/{kind}" for kind in (
            "ClusterQueue", "Cohort", "LocalQueue", "ResourceFlavor", "Topology", "WorkloadPriorityClass",
            "AdmissionCheck", "ProvisioningRequestConfig", "MultiKueueConfig", "MultiKueueCluster")),
        *(f"trainer.kubeflow.org/{kind}" for kind in ("ClusterTrainingRuntime", "TrainingRuntime", "TrainJob")),
        "kueue.openshift.io/Kueue",
        "datasciencecluster.opendatahub.io/DataScienceCluster",
        "dscinitialization.opendatahub.io/DSCInitialization",
        "infrastructure.opendatahub.io/HardwareProfile",
        "dashboard.opendatahub.io/HardwareProfile",
        "dashboard.opendatahub.io/AcceleratorProfile",
        "opendatahub.io/OdhDashboardConfig",
        "services.platform.opendatahub.io/Auth",
        "services.platform.opendatahub.io/GatewayConfig",
        "operator.openshift.io/JobSetOperator",
        "operator.openshift.io/LeaderWorkerSetOperator",
        "argoproj.io/Application",
        "argoproj.io/AppProject",
        "operators.coreos.com/Subscription",
        "operators.coreos.com/OperatorGroup",
    }
)  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    """Write the schemas of the products on the command line; return the exit status."""
    if not arguments or not all("=" in argument for argument in arguments):
        sys.stderr.write(__doc__ or "")
        return 2
    sources: dict[str, dict[str, Path]] = defaultdict(dict)
    for argument in arguments:
        name, _, folder = argument.partition("=")
        product, _, release = name.partition(":")
        sources[product][release] = Path(folder)
    for product, folders in sources.items():
        if product == "kubernetes":
            _kubernetes(folders[""])
        else:
            _product(product, folders)
    for path in _unused():
        path.unlink()
    return 0


def _product(product: str, folders: Mapping[str, Path]) -> None:
    """Put releases of a product in the index, and its files; its other releases stay as they are."""
    index = _index()
    found = _kept(index, product, folders)
    for release, folder in folders.items():
        for schema in _schemas(folder):
            found[f"{schema.group}/{schema.kind}"][schema.version][release] = schema
    index["products"][product] = sorted({*index["products"].get(product, ()), *folders}, key=load.order)
    for kind, by_version in found.items():
        files = {version: _files(product, by_release) for version, by_release in sorted(by_version.items())}
        index["kinds"].setdefault(kind, {})[product] = files
    ordered = {part: dict(sorted(index[part].items())) for part in ("products", "kinds")}
    _write("index.json", json.dumps(ordered, indent=1) + "\n")


def _index() -> dict[str, Any]:
    path = load.DATA / "index.json"
    found: dict[str, Any] = json.loads(path.read_bytes()) if path.exists() else {"products": {}, "kinds": {}}
    return found


def _kept(index: Mapping[str, Any], product: str, but: Iterable[str]) -> dict[str, Any]:
    """A product's schemas by kind, version and release, but for the releases that are read anew."""
    found: dict[str, Any] = defaultdict(lambda: defaultdict(dict))
    for kind, products in index["kinds"].items():
        for version, releases in products.pop(product, {}).items():
            for release, origin in releases.items():
                if release not in but:
                    text = (load.DATA / load.file_of(*load.halves(kind), version, product, origin)).read_bytes()
                    found[kind][version][release] = parse(text)
    return found


def _files(product: str, by_release: Mapping[str, Schema]) -> dict[str, str]:
    """Write one file per distinct schema; return which release uses whose file."""
    first: dict[str, str] = {}
    used = {}
    for release in sorted(by_release, key=load.order):
        schema = by_release[release]
        text = dump(schema)
        used[release] = first.setdefault(text, release)
        _write(load.file_of(schema.group, schema.kind, schema.version, product, used[release]), text)
    return used


def _unused() -> Iterator[Path]:
    """The schema files that the index does not name any more."""
    used = {
        load.file_of(*load.halves(kind), version, product, release)
        for kind, products in _index()["kinds"].items()
        for product, versions in products.items()
        for version, releases in versions.items()
        for release in releases.values()
    }
    return (path for path in load.DATA.glob("*_*.json") if path.name not in used)


def _schemas(folder: Path) -> Iterator[Schema]:
    for path in sorted(folder.glob("*.yaml")):
        for crd in definitions(path.read_text()):
            yield from (schema for schema in from_crd(crd) if f"{schema.group}/{schema.kind}" in KINDS)


def _kubernetes(folder: Path) -> None:
    folders = {_minor(path): path for path in folder.glob("v1.*-local-strict")}
    known = [release for release in folders if load.order(release) >= load.order(OLDEST_KUBERNETES)]
    releases = {release: read_release(folders[release], _wanted()) for release in known}
    *older, newest = sorted(releases, key=load.order)
    head = f'"release":{json.dumps(newest)},\n"older":{json.dumps(older)},\n"definitions":'
    _write("kubernetes.json", f"{{\n{head}{_one_a_line(releases[newest])}\n}}\n")
    for release in older:
        _write(f"kubernetes-{release}.json", _one_a_line(_difference(releases[release], releases[newest])) + "\n")


def _difference(older: Mapping[str, Any], newest: Mapping[str, Any]) -> dict[str, Any]:
    """The definitions that were otherwise in an older release; null for those that it had not yet."""
    return {name: older.get(name) for name in older.keys() | newest.keys() if older.get(name) != newest.get(name)}


def _minor(path: Path) -> str:
    return ".".join(path.name.removeprefix("v").split(".")[:2])


def _wanted() -> Iterable[str]:
    return {definition for definition, _ in BUILTIN.values()}


def _one_a_line(made: Mapping[str, Any]) -> str:
    inner = ",\n".join(
        f"{json.dumps(name)}:{json.dumps(node, separators=(',', ':'))}" for name, node in sorted(made.items())
    )
    return f"{{\n{inner}\n}}"


def _write(name: str, text: str) -> None:
    (load.DATA / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
