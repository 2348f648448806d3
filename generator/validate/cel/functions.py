"""Which functions the CEL of an API server has, by release of Kubernetes.

A server takes new expressions only in what the release before it had as well, so that it can be rolled back: a library
of 1.31 can be used from 1.32 on. Source: k8s.io/apiserver pkg/cel/environment/base.go (baseOpts,
DefaultCompatibilityVersion).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from generator.validate.cel.rewrite import tokens

_SINCE: Mapping[str, str] = {
    "all bool bytes contains double duration dyn endsWith exists exists_one filter getDate getDayOfMonth getDayOfWeek "
    "getDayOfYear getFullYear getHours getMilliseconds getMinutes getMonth getSeconds has int map matches size "
    "startsWith string timestamp type uint": "1.0",
    "url isURL getScheme getHost getHostname getPort getEscapedPath getQuery find findAll isSorted sum min max indexOf "
    "lastIndexOf charAt join lowerAscii upperAscii replace split substring trim": "1.0",
    "path group serviceAccount resource subresource namespace name check allowed reason errored error": "1.27",
    "of none ofNonZeroValue hasValue value or orValue optMap optFlatMap quantity isQuantity isInteger asInteger "
    "asApproximateFloat sign add sub isLessThan isGreaterThan compareTo": "1.28",
    "format quote equivalent intersects": "1.29",
    "ip isIP isCanonical family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast cidr "
    "isCIDR containsIP containsCIDR masked prefixLength": "1.30",
    "first last": "1.32",
    "named validate dns1123Label dns1123Subdomain dns1035Label dns1123LabelPrefix dns1123SubdomainPrefix "
    "dns1035LabelPrefix qualifiedName labelValue uri uuid byte date datetime fieldSelector labelSelector": "1.31",
    "existsOne transformList transformMap transformMapEntry": "1.32",
    "semver isSemver major minor patch image isImage containsDigest registry repository identifier tag digest": "1.33",
}
SINCE: Mapping[str, int] = {
    name: int(release.split(".")[1]) for names, release in _SINCE.items() for name in names.split()
}
"""Function or macro → minor release of Kubernetes 1 that brought it."""
NAMESPACES = ("cel", "math")
"""Prefixes of extensions that no API server has."""


def missing(expression: str, kubernetes: str | None) -> Iterator[str]:
    """Yield what a server ("1.33"; None: any) lacks of an expression's functions: "shown, which …"."""
    words = [text for kind, text in tokens(expression) if kind not in ("space", "comment")]
    newest = int(kubernetes.split(".")[1]) - 1 if kubernetes else max(SINCE.values())
    told = set()
    for index, word in enumerate(words[:-1]):
        if words[index + 1] != "(" or not (word.isidentifier() and word not in ("in", "true", "false", "null")):
            continue
        space = words[index - 2] if words[index - 1 : index] == ["."] and index > 1 else ""
        name = f"{space}.{word}" if space in NAMESPACES and words[index - 3 : index - 2] != ["."] else word
        if name in told:
            continue
        told.add(name)
        if name != word or word not in SINCE:
            yield f"{name}, which no API server knows"
        elif SINCE[word] > newest:
            yield f"{name}, which API servers know from Kubernetes 1.{SINCE[word] + 1} on"
