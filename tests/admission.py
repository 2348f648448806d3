"""What the API server does with a request under ValidatingAdmissionPolicies: the whole of it, on one object.

An evaluator of its own, so that what we emit is tried and not only compared: rules, selectors, match conditions,
variables when they are read, validations, messages. Source: k8s.io/apiserver pkg/admission/plugin/policy.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

Object = Mapping[str, Any]
_NO_OBJECT: Object = {}
HUMAN = "ana"


class EvaluationError(Exception):
    """An expression that does not compile, or fails on this request."""


@dataclass(frozen=True)
class Request:
    """One request; `namespace` is the Namespace object, as far as its labels go. `resource` may name a subresource."""

    resource: str
    object: Object | None = None
    old: Object | None = None
    user: str = HUMAN
    groups: Sequence[str] = ("system:authenticated",)
    namespace: Mapping[str, str] | None = None
    dry_run: bool = False

    @property
    def operation(self) -> str:
        if self.object is None:
            return "DELETE"
        return "CREATE" if self.old is None else "UPDATE"

    @property
    def subject(self) -> Object:
        found = self.object or self.old
        assert found is not None
        return found


@dataclass(frozen=True)
class Answer:
    """What became of a request: the message of each policy that objects, by its action."""

    denied: list[str] = field(default_factory=list)
    warned: list[str] = field(default_factory=list)
    audited: list[str] = field(default_factory=list)


def admit(objects: Iterable[Object], request: Request) -> Answer:
    """Return what the policies among some objects, by their bindings, say to a request."""
    found = list(objects)
    policies = {o["metadata"]["name"]: o for o in found if o["kind"] == "ValidatingAdmissionPolicy"}
    answer = Answer()
    for binding in (o for o in found if o["kind"] == "ValidatingAdmissionPolicyBinding"):
        policy = policies[binding["spec"]["policyName"]]
        for message in objections(policy["spec"], request):
            for action in binding["spec"]["validationActions"]:
                {"Deny": answer.denied, "Warn": answer.warned, "Audit": answer.audited}[action].append(message)
    return answer


def objections(spec: Object, request: Request) -> Iterator[str]:
    """Yield the messages of one policy about a request; a failure is one, unless failurePolicy is Ignore."""
    if not matches(spec["matchConstraints"], request):
        return
    fails = spec.get("failurePolicy", "Fail") == "Fail"
    values = _values(request)
    try:
        conditions = [_evaluate(c["expression"], values) for c in spec.get("matchConditions", ())]
    except EvaluationError as problem:
        # a condition that is false decides, whatever fails beside it
        if fails and not _any_is_false(spec["matchConditions"], values):
            yield str(problem)
        return
    if not all(conditions):
        return
    namespace = None if request.namespace is None else {"metadata": {"labels": dict(request.namespace)}}
    whole = {**values, "namespaceObject": namespace}
    variables = {v["name"]: v["expression"] for v in spec.get("variables", ())}
    for validation in spec["validations"]:
        try:
            if _lazily(validation["expression"], whole, variables) is True:
                continue
        except EvaluationError as problem:
            if fails:
                yield str(problem)
            continue
        yield _message(validation, whole, variables)


def _any_is_false(conditions: Iterable[Object], values: Object) -> bool:
    for condition in conditions:
        try:
            if _evaluate(condition["expression"], values) is False:
                return True
        except EvaluationError:
            continue
    return False


def _message(validation: Object, values: Object, variables: Mapping[str, str]) -> str:
    """Return what a validation says; text that is empty, of several lines or too long is replaced by the fixed one."""
    try:
        said = _lazily(validation["messageExpression"], values, variables) if "messageExpression" in validation else ""
    except EvaluationError:
        said = ""
    sound = isinstance(said, str) and said.strip() and "\n" not in said and len(said) <= 5 * 1024
    return str(said if sound else validation.get("message") or f"failed expression: {validation['expression']}")


def matches(constraints: Object, request: Request) -> bool:
    """Whether a policy looks at a request at all."""
    if not any(_rule(rule, request) for rule in constraints["resourceRules"]):
        return False
    if not any(_selects(constraints.get("objectSelector", {}), o) for o in (request.object, request.old) if o):
        return False
    # a selector of namespaces lets everything without a namespace through
    if request.namespace is None:
        return True
    return _selects(constraints.get("namespaceSelector", {}), {"metadata": {"labels": request.namespace}})


def _rule(rule: Object, request: Request) -> bool:
    group, _, version = request.subject["apiVersion"].rpartition("/")
    given = (("apiGroups", group), ("apiVersions", version), ("operations", request.operation))
    if not all(value in rule[key] or "*" in rule[key] for key, value in given):
        return False
    wanted = {"*": True, "Cluster": request.namespace is None, "Namespaced": request.namespace is not None}
    return wanted[rule.get("scope", "*")] and any(_names(name, request.resource) for name in rule["resources"])


def _names(pattern: str, resource: str) -> bool:
    """`*` is every resource without the subresources, which `pods/*` and `*/*` name."""
    return pattern == resource or (pattern == "*" and "/" not in resource)


def _selects(selector: Object, of: Object) -> bool:
    assert selector.keys() <= {"matchLabels", "matchExpressions"}
    labels = of.get("metadata", {}).get("labels", {})
    if any(labels.get(key) != value for key, value in selector.get("matchLabels", {}).items()):
        return False
    return all(_expression(e, labels) for e in selector.get("matchExpressions", ()))


def _expression(expression: Object, labels: Mapping[str, str]) -> bool:
    key, operator = str(expression["key"]), str(expression["operator"])
    if operator in ("Exists", "DoesNotExist"):
        return (key in labels) == (operator == "Exists")
    assert operator in ("In", "NotIn")
    return bool((labels.get(key) in expression["values"]) == (operator == "In"))


def _values(request: Request) -> dict[str, Any]:
    metadata = request.subject["metadata"]
    group, _, version = request.subject["apiVersion"].rpartition("/")
    resource, _, subresource = request.resource.partition("/")
    kind = {"group": group, "version": version, "kind": request.subject["kind"]}
    sent: dict[str, Any] = {
        "operation": request.operation,
        "kind": kind,
        "resource": {"group": group, "version": version, "resource": resource},
        "userInfo": {"username": request.user, "groups": list(request.groups)},
        "dryRun": request.dry_run,
    }
    # what is empty is absent: json omitempty
    optional = {"name": metadata.get("name"), "namespace": metadata.get("namespace"), "subResource": subresource}
    sent |= {key: value for key, value in optional.items() if value}
    if not request.groups:
        del sent["userInfo"]["groups"]
    return {"object": request.object, "oldObject": request.old, "request": sent}


_READ = re.compile(r"\bvariables\.(\w+)")


def _lazily(expression: str, values: Object, variables: Mapping[str, str]) -> Any:
    """Evaluate with the variables that the expression reads, and those that they read: a failure counts where read.

    A variable that fails where its value is not needed is absent, and reading it fails.
    """
    known: dict[str, Any] = {}
    for name, text in variables.items():
        if name in _closure(expression, variables):
            try:
                known[name] = _evaluate(text, {**values, "variables": dict(known)})
            except EvaluationError:
                continue
    return _evaluate(expression, {**values, "variables": known})


def _closure(expression: str, variables: Mapping[str, str]) -> set[str]:
    found: set[str] = set()
    left = _READ.findall(expression)
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += _READ.findall(variables[name])  # one that is declared nowhere is a mistake of the policy
    return found


def _evaluate(expression: str, values: Object) -> Any:
    try:
        found = _compiled(expression, frozenset(values)).eval(data=dict(values))
        plain = found.plain_value()
    except (RuntimeError, TypeError, ValueError) as problem:
        raise EvaluationError(f"{expression}: {problem}") from problem
    if found.type().name() == "ERROR":
        raise EvaluationError(f"{expression}: {plain}")
    return plain


@cache
def _compiled(expression: str, names: frozenset[str]) -> Any:
    """Compile with the product's functions; only what the API server offers at this place is declared.

    Neither cel.bind nor math is among its extensions.
    """
    from generator.validate.cel.rewrite import rewrite

    return _environment(names).compile(rewrite(expression))


@cache
def _environment(names: frozenset[str]) -> Any:
    from cel_expr_python import cel
    from cel_expr_python.ext import ext_optional, ext_strings

    from generator.validate.cel.library import declarations

    extensions = [ext_optional.ExtOptional(), ext_strings.ExtStrings()]
    return cel.NewEnv(variables=dict.fromkeys(names, cel.Type.DYN), extensions=extensions, functions=declarations())
