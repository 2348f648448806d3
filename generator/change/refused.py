"""Updates that the API server or a webhook refuses: fields that may not change once they are set.

An object that changes its API version is compared in the new one; the server converts it just so where field names are
alike, and no rule of ours compares those that are not.
"""

from __future__ import annotations

from collections.abc import Iterator

from generator.change.fields import differences
from generator.change.model import Identity, Step
from generator.finding import Finding, Severity
from generator.manifest import Manifest
from generator.schemas import load
from generator.source.nodes import Map
from generator.validate import admission, kinds
from generator.validate.kinds import Kind
from generator.validate.objects import validate_object
from generator.validate.schema_check import target
from generator.validate.shape import get, steps
from generator.validate.structural import update_rules
from generator.validate.violation import Violation
from generator.validate.wording import some

_ANEW = "leave it as it is, and make another of a new name: move what uses it there, then remove this one"
_FIXED = "put the old value back: it is settled when OpenShift AI is installed"
_WAYS: dict[Kind, str] = {
    kinds.RESOURCE_FLAVOR: "leave the pool as it is, and describe the nodes as a pool of a new name: move quotas "
    "there, then remove this one",
    kinds.TOPOLOGY: "leave its levels as they are, and describe the nodes as a pool of a new name with the new ones: "
    "move quotas there, then remove the old one",
    kinds.DATA_SCIENCE_CLUSTER: _FIXED,
    kinds.DSC_INITIALIZATION: _FIXED,
    kinds.DASHBOARD_CONFIG: _FIXED,
}


def updates(step: Step) -> Iterator[Finding]:
    """Yield what stands against the update of an object, and would not against making it."""
    goal = step.new.cluster.target
    schemas = target(goal)
    for key, (before, after) in step.changed.items():
        old = {**before.body, "apiVersion": after.body["apiVersion"]}
        version = after.api_version.rpartition("/")[2]
        schema = step.new.imported.get((*key.kind, version)) or load.schema(*key.kind, version, schemas)
        found: list[Violation] = []
        if schema is not None and update_rules(schema) is not None:
            made = set(validate_object(after.body, schema))
            found += [v for v in validate_object(after.body, schema, old) if v not in made]
        made = set(admission.validate(after.body, goal))
        places = {violation.path for violation in found}
        found += [v for v in admission.validate(after.body, goal, old) if v not in made and v.path not in places]
        for violation in found:
            if (key.kind, violation.path) != (kinds.LOCAL_QUEUE, "spec.clusterQueue"):  # told by itself
                yield _refused(step, key, before, after, violation)


def _refused(step: Step, key: Identity, before: Manifest, after: Manifest, violation: Violation) -> Finding:
    parts = steps(violation.path)
    changed = differences(get(before.body, *parts), get(after.body, *parts), violation.path)
    fields = some(change.path for change in changed) or violation.path
    return step.of_new(
        key,
        "update-refused",
        Severity.ERROR,
        f"the update of {key} is refused: {violation.message} (changed: {fields})",
        _ANEW if isinstance(after.body.get("spec"), Map) else _WAYS.get(key.kind, _ANEW),  # a Map: somebody's own text
        violation.path,
    )
