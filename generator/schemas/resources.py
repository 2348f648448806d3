"""The resource of a kind: the plural that RBAC rules name."""

from __future__ import annotations

_VOWELS = "aeiou"
# Kinds that are plurals already.
_AS_IS = frozenset(("endpoints", "securitycontextconstraints"))


def plural(kind: str) -> str:
    """Return the resource of a kind: "clusterqueues" of ClusterQueue, "networkpolicies" of NetworkPolicy.

    Source: apimachinery pkg/api/meta, UnsafeGuessKindToResource; where CRDs differ from that guess
    ("gateways", "servicemeshes"), the rules of English that controller-gen goes by.
    """
    name = kind.lower()
    if name in _AS_IS:
        return name
    if name.endswith(("s", "x", "ch", "sh")):
        return f"{name}es"
    if name.endswith("y") and name[-2:-1] not in _VOWELS:
        return f"{name[:-1]}ies"
    return f"{name}s"
