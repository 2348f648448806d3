"""`apportion lint PATH…`: the cluster's verdict on manifests that Apportion did not write."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Mapping

from generator.commands import crd_files, manifests
from generator.commands.answer import answer
from generator.finding import FatalError, Finding, in_order
from generator.pattern import pattern
from generator.releases import load
from generator.report.text import amount, counted
from generator.spelling import remedy
from generator.validate.all import judge
from generator.validate.cluster import Cluster, Target
from generator.validate.kinds import DEFINITION, kind_of
from generator.validate.nodes import pools

PRODUCTS = {"openshift": "openshift", "openshiftAI": "openshift-ai", "kueue": "kueue", "gitops": "gitops"}
_EXTERNAL = pattern(r"[A-Za-z][A-Za-z0-9]*(?:/[a-z0-9](?:[-a-z0-9.:]*[a-z0-9])?){1,2}")


def arguments(parser: ArgumentParser) -> None:
    """Declare paths, target and what exists elsewhere."""
    parser.add_argument("paths", nargs="+", metavar="PATH", help="file, folder or -; each is taken as one cluster")
    parser.add_argument(
        "--target", metavar="RELEASES", action="append", default=[], help="such as openshiftAI=3.4,kueue=1.3"
    )
    parser.add_argument(
        "--external",
        metavar="KIND/NAME",
        action="append",
        default=[],
        help="exists elsewhere; also KIND/NAMESPACE/NAME",
    )
    parser.add_argument(
        "--crds",
        metavar="PATH",
        action="append",
        default=[],
        help="CRDs to judge by: as oc get prints them, or what crds import stores",
    )


def run(options: Namespace) -> int:
    """Judge each PATH; findings go to stdout."""
    goal = target(",".join(options.target))
    external = frozenset(map(_external, options.external))
    definitions = _Definitions(options.crds)
    findings = definitions.findings
    count = 0
    for path in options.paths:
        read = manifests.read(path)
        count += len(read.objects)
        cluster = Cluster(
            read.objects,
            goal,
            pools(read.objects),
            external=external | frozenset(read.unread),
            folders=read.folders,
            bases=read.bases,
        )
        imported, wrong = definitions.of(cluster)
        findings += read.findings + wrong + judge(cluster, imported)
    findings = in_order(findings)
    line = f"{counted(findings)} in {amount(count, 'object')}"
    return answer(options, findings, sys.stdout, line, {"objects": count})


class _Definitions:
    """The CRDs that were named; of a kind that several define, the last one counts."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.findings: list[Finding] = []
        self._schemas: crd_files.Schemas = {}
        self._stored: list[dict[str, bytes]] = []
        for path in paths:
            read = manifests.read(path)
            found = (m for m in read.objects if kind_of(m.body) == DEFINITION)
            schemas, wrong = crd_files.schemas_of(found)
            crd_files.override(self._schemas, schemas)
            stored = crd_files.files_at(path) if path != manifests.STDIN else {}
            self.findings += [f for f in read.findings if not stored or f.rule != "no-manifest"] + wrong
            self._stored.append(stored)

    def of(self, cluster: Cluster) -> tuple[crd_files.Schemas, list[Finding]]:
        """Return the schemas for a cluster, its own CRDs before all others, and what is wrong with those."""
        found, findings = crd_files.of_environment(self._stored, cluster.kinds)
        crd_files.override(found, self._schemas)
        own, wrong = crd_files.schemas_of(cluster.of(DEFINITION))
        crd_files.override(found, own)
        return found, findings + wrong


def _external(name: str) -> str:
    """Return a name as it is given.

    Raises:
        FatalError: neither KIND/NAME nor KIND/NAMESPACE/NAME.
    """
    if not _EXTERNAL.fullmatch(name):
        raise FatalError(f"--external {name}: no such form", "write KIND/NAME or KIND/NAMESPACE/NAME")
    return name


def target(text: str) -> Target:
    """Return the releases of `--target`; what is not named is not known.

    Raises:
        FatalError: no such product or release, or two of one product.
    """
    named: dict[str, str] = {}
    for part in filter(None, (p.strip() for p in text.split(","))):
        product, _, version = part.partition("=")
        if product not in PRODUCTS:
            raise FatalError(f"--target {part}: unknown product", remedy(product, PRODUCTS))
        if named.setdefault(product, version) != version:
            raise FatalError(f"--target {part}: {product} is named twice", "name one release of it")
    _check_known(named)
    return Target(
        openshift_ai=load.openshift_ai(named["openshiftAI"]) if "openshiftAI" in named else None,
        kueue=load.kueue(named["kueue"]) if "kueue" in named else None,
        gitops=load.gitops(named["gitops"]) if "gitops" in named else None,
        openshift=named.get("openshift"),
    )


def _check_known(named: Mapping[str, str]) -> None:
    for product, version in named.items():
        known: Iterable[str] = load.known(PRODUCTS[product])
        if version not in known:
            raise FatalError(f"--target {product}={version}: unknown release", f"known are {', '.join(known)}")
