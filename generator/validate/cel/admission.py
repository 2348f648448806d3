"""CEL of ValidatingAdmissionPolicies: would the API server take an expression?

Source: k8s.io/apiserver pkg/admission/plugin/cel (compile.go, composition.go); of its types only those of results are
known here, all fields are dyn.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Any

from generator.validate.cel.engine import one_line
from generator.validate.cel.functions import missing
from generator.validate.cel.rewrite import rewrite, tokens

CONDITION = ("authorizer", "object", "oldObject", "request")
VALIDATION = (*CONDITION, "namespaceObject", "params", "variables")
# authz, its selectors, and image: they compile here, and nothing evaluates them. Name → arguments, type of the result
_STUBS = {
    **dict.fromkeys(("path", "group", "resource", "subresource", "namespace", "name", "check"), (1, "DYN")),
    **dict.fromkeys(("fieldSelector", "labelSelector"), (1, "DYN")),
    "serviceAccount": (2, "DYN"),
    **dict.fromkeys(("allowed", "errored", "containsDigest"), (0, "BOOL")),
    **dict.fromkeys(("reason", "error", "registry", "repository", "identifier", "tag", "digest"), (0, "STRING")),
}
_OF_TEXT = {"image": "DYN", "isImage": "BOOL"}


def defect(
    expression: str, result: str, names: Collection[str], variables: Collection[str], kubernetes: str | None
) -> str | None:
    """Return why an API server of a release of Kubernetes (None: any) refuses an expression, or None.

    `result` is the type that it has to have: BOOL, STRING, or DYN for any. `names` is CONDITION or VALIDATION,
    `variables` are those that are declared before it.
    """
    if ("other", "`") in tokens(expression):
        return "names a field in backticks, which API servers do not read: write ['…']"
    for lacking in missing(expression, kubernetes):
        return f"calls {lacking}"
    for name in read(expression):
        if "variables" not in names:
            return f"reads variables.{name}, and a match condition has no variables"
        if name not in variables:
            return f"reads variables.{name}, which is not declared before it"
    try:
        found = result_type(expression, tuple(names))
    except RuntimeError as problem:
        return f"does not compile: {one_line(problem)}"
    # the server knows the types of variables, which are dyn here
    is_open = found == "DYN" and read(expression)
    if result in ("DYN", found) or is_open:
        return None
    if found == "DYN":
        remedy = "… == true" if result == "BOOL" else "string(…)"
        return f"gives a value of a type that only a request tells, and not {result.lower()}: write {remedy}"
    return f"gives {found.lower()} and not {result.lower()}"


def result_type(expression: str, names: tuple[str, ...]) -> str:
    """Return the static type of an expression's result: BOOL, STRING, DYN, …

    Raises:
        RuntimeError: it does not compile.
    """
    found: str = _environment(names).compile(rewrite(expression)).return_type().name()
    return found


def read(expression: str) -> list[str]:
    """Return the variables of the policy that an expression reads."""
    words = [text for kind, text in tokens(expression) if kind not in ("space", "comment")]
    return [
        words[i + 2]
        for i, word in enumerate(words[:-2])
        if word == "variables" and words[i + 1] == "." and words[i - 1 : i] != ["."]
    ]


@cache
def _environment(names: tuple[str, ...]) -> Any:
    """The runtime with what an API server has; neither cel.bind nor math is among it."""
    from cel_expr_python import cel
    from cel_expr_python.ext import ext_optional, ext_strings

    from generator.validate.cel.library import declarations

    kinds = cel.Type
    extensions = [ext_optional.ExtOptional(), ext_strings.ExtStrings()]
    functions = [*declarations(), *(_stub(name, 1 + count, kind) for name, (count, kind) in _STUBS.items())]
    functions += [_stub(name, 1, kind, is_member=False) for name, kind in _OF_TEXT.items()]
    return cel.NewEnv(variables=dict.fromkeys(names, kinds.DYN), extensions=extensions, functions=functions)


def _stub(name: str, parameters: int, result: str, *, is_member: bool = True) -> Any:
    from cel_expr_python import cel

    kinds = cel.Type
    overload = cel.Overload(
        f"{name}_stub", getattr(kinds, result), parameters=[kinds.DYN] * parameters, is_member=is_member
    )
    return cel.FunctionDecl(name, [overload])
