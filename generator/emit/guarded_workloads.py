"""Guardrails of the accelerators: whatever kind asks for some in a managed namespace is in a queue.

What is judged is whoever decides about a queue: the Deployment and not its pods, the RayCluster and not its head.
What a controller makes for an owner that was judged is left alone. That an object says so itself proves nothing:
anybody may write an owner's reference. So it counts only from an account of another namespace, as controllers are.

A label is worth something only where Kueue looks for it. The kinds that it does not watch it queues by their pods, one
by one, if their template has the label; if it does not watch pods either, they cannot be queued at all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from generator.emit.admission import MANAGED, Guard, Rule, break_glass, literal, literals, rule, way_out
from generator.emit.argocd import plural
from generator.emit.guardrails import QUEUE_NAME
from generator.emit.queued_kinds import OWNERS, POD, SHAPES, Shape, label
from generator.plan.model import Plan

_SERVICE_ACCOUNT = "system:serviceaccount:"


def need_a_queue(plan: Plan, resources: list[str]) -> Iterator[Guard]:
    """Yield a policy for each shape; `resources` are those that accelerators have as names.

    An update may leave as it is what was there before the policy: only what becomes wrong is refused.
    """
    frameworks = plan.settings.frameworks
    for shape in SHAPES:
        what = "asks for accelerators" if shape.templates else "may ask for accelerators, through what it refers to,"
        remedy = _by_kind(
            shape,
            frameworks,
            literal(_named(shape.where)),
            literal(_named("its pod template") if POD in frameworks and shape.templates else _unwatched(plan)),
        )
        yield Guard(
            f"apportion-accelerators-need-a-queue-{shape.name}",
            list(_rules(shape)),
            "variables.made || !variables.unqueued[0] || (size(variables.unqueued) == 2 && variables.unqueued[1])",
            f"request.kind.kind + ' ' + request.?name.orValue('') + {literal(f' {what} and is in no queue: ')} + "
            f"({remedy}) + {literal(way_out(plan))}",
            f"this {what} and is in no queue{way_out(plan)}",
            conditions=break_glass(plan),
            variables={
                "states": "request.operation == 'UPDATE' ? [object, oldObject] : [object]",
                "unqueued": f"variables.states.map(o, {_unqueued(shape, frameworks, resources)})",
                "made": _made(),
            },
            namespaces=MANAGED,
        )


def _named(where: str) -> str:
    return f"set the label {QUEUE_NAME} in {where} to the name of a LocalQueue of the namespace"


def _unwatched(plan: Plan) -> str:
    return f"Kueue watches no such kind here, so add its framework to kueue.frameworks in {plan.guardrails.home}/"


def _rules(shape: Shape) -> Iterator[Rule]:
    groups: dict[str, list[str]] = {}
    for judged in shape.kinds:
        groups.setdefault(judged.group, []).append(plural(judged.kind))
    for group, names in sorted(groups.items()):
        yield rule(group, "*", sorted(names), shape.operations)


def _by_kind(shape: Shape, frameworks: Iterable[str], watched: str, otherwise: str, of: str = "object") -> str:
    """Return one CEL expression for kinds that Kueue watches, and another for those that it does not."""
    known = frozenset(frameworks)
    seen = [judged.kind for judged in shape.kinds if known.intersection(judged.frameworks)]
    if len(seen) == len(shape.kinds):
        return watched
    return f"{of}.kind in {literals(seen)} ? {watched} : {otherwise}" if seen else otherwise


def _unqueued(shape: Shape, frameworks: Collection[str], resources: list[str]) -> str:
    """Return whether an object `o` takes accelerators past the queue."""
    if shape.templates is None:
        return f"({_by_kind(shape, frameworks, shape.own, literal(''), 'o')}) == ''"
    of_pod = label("t.?metadata") if POD in frameworks else literal("")
    queue = _by_kind(shape, frameworks, shape.own, of_pod, "o")
    return f"({shape.templates}).exists(ts, ts.exists(t, ({queue}) == '' && ({_accelerated(resources)})))"


def _accelerated(resources: list[str]) -> str:
    """Return whether a pod template `t` asks for one: by its name, or by a claim, which does not say for what."""
    asked = " || ".join(f"string(c.?resources.?{part}[?r].orValue('0')) != '0'" for part in ("limits", "requests"))
    containers = "(t.?spec.?containers.orValue([]) + t.?spec.?initContainers.orValue([]))"
    return (
        f"{containers}.exists(c, {literals(resources)}.exists(r, {asked})) || "
        "size(t.?spec.?resourceClaims.orValue([])) > 0"
    )


def _made() -> str:
    """Return whether a controller asks, for an owner that was judged itself."""
    owned = (
        "object.metadata.?ownerReferences.orValue([])"
        f".exists(o, o.?controller.orValue(false) && o.kind in {literals(OWNERS)})"
    )
    return (
        f"{owned} && request.userInfo.username.startsWith('{_SERVICE_ACCOUNT}') && "
        f"!request.userInfo.username.startsWith('{_SERVICE_ACCOUNT}' + request.namespace + ':')"
    )
