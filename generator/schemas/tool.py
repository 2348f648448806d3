"""Make the compact schemas in data/ from real CustomResourceDefinitions and from Kubernetes' own definitions.

    python -m generator.schemas.tool PRODUCT[:RELEASE]=FOLDER…
    python -m generator.schemas.tool kubernetes=FOLDER-OF-kubernetes_validate

A product is a field of Target (kueue, openshift_ai, argo_cd, trainer) with its release, or one without releases (olm).
What a run is not told about stays as it is. Only structure is kept: fields, types, limits, defaults and CEL rules.
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
from generator.schemas.schema import Schema, dump, from_crd

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


def _unused() -> Iterator[Path]:
    """The schema files that the index does not name any more."""
    index = json.loads((load.DATA / "index.json").read_text())
    used = {
        load.file_of(kind.split("/")[0], kind.split("/")[1], version, release)
        for kind, products in index["kinds"].items()
        for versions in products.values()
        for version, releases in versions.items()
        for release in releases.values()
    }
    return (path for path in load.DATA.glob("*_*.json") if path.name not in used)


def _product(product: str, folders: Mapping[str, Path]) -> None:
    releases = sorted(folders, key=load._order)
    index = (
        json.loads((load.DATA / "index.json").read_text())
        if (load.DATA / "index.json").exists()
        else {"products": {}, "kinds": {}}
    )
    for kinds in index["kinds"].values():
        kinds.pop(product, None)
    index["products"][product] = releases
    found: dict[str, Any] = defaultdict(lambda: defaultdict(dict))
    for release in releases:
        for schema in _schemas(folders[release]):
            found[f"{schema.group}/{schema.kind}"][schema.version][release] = schema
    for kind, by_version in found.items():
        index["kinds"].setdefault(kind, {})[product] = {
            version: _files(by_release) for version, by_release in sorted(by_version.items())
        }
    index = {part: dict(sorted((k, v) for k, v in index[part].items() if v)) for part in ("products", "kinds")}
    _write("index.json", json.dumps(index, indent=1) + "\n")


def _files(by_release: Mapping[str, Schema]) -> dict[str, str]:
    """Write one file per distinct schema; return which release uses whose file."""
    first: dict[str, str] = {}
    used = {}
    for release, schema in by_release.items():
        text = dump(schema)
        used[release] = first.setdefault(text, release)
        _write(load.file_of(schema.group, schema.kind, schema.version, used[release]), text)
    return used


def _schemas(folder: Path) -> Iterator[Schema]:
    for path in sorted(folder.glob("*.yaml")):
        for crd in definitions(path.read_text()):
            yield from (schema for schema in from_crd(crd) if f"{schema.group}/{schema.kind}" in KINDS)


def _kubernetes(folder: Path) -> None:
    folders = {_minor(path): path for path in folder.glob("v1.*-local-strict")}
    known = [release for release in folders if load._order(release) >= load._order(OLDEST_KUBERNETES)]
    releases = {release: read_release(folders[release], _wanted()) for release in known}
    *older, newest = sorted(releases, key=load._order)
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
