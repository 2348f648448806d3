"""`apportion lint PATH…`: the cluster's verdict on manifests that Apportion did not write."""

from __future__ import annotations

import gc
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Mapping

from generator.commands import manifests
from generator.commands.answer import answer
from generator.finding import FatalError, Finding, in_order
from generator.releases import load
from generator.report.text import amount, counted
from generator.spelling import remedy
from generator.validate.all import judge
from generator.validate.cluster import Cluster, Target
from generator.validate.nodes import pools

PRODUCTS = {"openshift": "openshift", "openshiftAI": "openshift-ai", "kueue": "kueue", "gitops": "gitops"}


def arguments(parser: ArgumentParser) -> None:
    """Declare paths, target and what exists elsewhere."""
    parser.add_argument("paths", nargs="+", metavar="PATH", help="file, folder or -; each is taken as one cluster")
    parser.add_argument("--target", metavar="RELEASES", default="", help="such as openshiftAI=3.4,kueue=1.3")
    parser.add_argument("--external", metavar="KIND/NAME", action="append", default=[], help="exists elsewhere")


def run(options: Namespace) -> int:
    """Judge each PATH; findings go to stdout."""
    gc.disable()  # a batch process, as compile
    goal = target(options.target)
    findings: list[Finding] = []
    count = 0
    for path in options.paths:
        read = manifests.read(path)
        count += len(read.objects)
        findings += read.findings
        cluster = Cluster(
            read.objects,
            goal,
            pools=pools(read.objects),
            external=frozenset(options.external),
            folders=read.folders,
            bases=read.bases,
        )
        findings += judge(cluster)
    findings = in_order(findings)
    line = f"{counted(findings)} in {amount(count, 'object')}"
    return answer(options, findings, sys.stdout, line, {"objects": count})


def target(text: str) -> Target:
    """Return the releases of `--target`; what is not named is not known.

    Raises:
        FatalError: no such product or release.
    """
    named: dict[str, str] = {}
    for part in filter(None, (p.strip() for p in text.split(","))):
        product, _, version = part.partition("=")
        if product not in PRODUCTS:
            raise FatalError(f"--target {part}: unknown product", remedy(product, PRODUCTS))
        named[product] = version
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
