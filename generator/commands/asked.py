"""What Argo CD asks of the plug-in: parameters of the Application, in the environment variables that it sets.

Source: Argo CD docs/operator-manual/config-management-plugins.md; pkg/apis/application/v1alpha1/types.go, Environ of
ApplicationSourcePluginParameters, which writes "null" for an Application without parameters.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from generator.emit.plugin import AS_OF, ENV, PART
from generator.finding import FatalError
from generator.spelling import remedy

LISTED = "ARGOCD_APP_PARAMETERS"
VARIABLES: Mapping[str, tuple[str, str]] = {
    ENV: ("PARAM_ENV", "ARGOCD_ENV_ENVIRONMENT"),
    PART: ("PARAM_PART", "ARGOCD_ENV_PART"),
    AS_OF: ("PARAM_AS_OF", "ARGOCD_ENV_AS_OF"),
}
_Way = tuple[str, str]  # how a parameter is given, and its value
_LONGEST = 80  # of a value that a message repeats: Argo CD shows it in its UI


def asked(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the parameters that are given, by name, whichever way: `plugin.parameters` or `plugin.env`.

    Raises:
        FatalError: one is unknown, empty, no text, or given twice with different values.
    """
    ways: dict[str, list[_Way]] = {name: [] for name in VARIABLES}
    for name, value in _listed(variables.get(LISTED, "")):
        ways[name].append((f"{name} of {LISTED}", value))
    for name, names in VARIABLES.items():
        ways[name] += [(variable, variables[variable]) for variable in names if variable in variables]
    return {name: _one(found) for name, found in ways.items() if found}


def checked_date(text: str | None) -> str | None:
    """Return the day, if there is one, to apply overrides of.

    Raises:
        FatalError: it is none.
    """
    if text is not None and not _is_date(text):
        raise FatalError(f"{AS_OF} is {quoted(text)}, no date of the calendar", "write it as 2026-12-31")
    return text


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text  # it also takes 20261231 and 2026-W53-4
    except ValueError:
        return False


def _listed(text: str) -> Iterator[tuple[str, str]]:
    try:
        parameters = json.loads(text or "null") or []
    except (ValueError, RecursionError):
        parameters = None
    if not isinstance(parameters, list) or not all(isinstance(item, dict) for item in parameters):
        raise FatalError(f"{LISTED} is no JSON list of parameters", "set parameters in the Application's source.plugin")
    for item in parameters:
        yield _parameter(item)


def _parameter(item: Mapping[str, Any]) -> tuple[str, str]:
    name, value = str(item.get("name")), item.get("string")
    if name not in VARIABLES:  # were it passed over, a misspelt part would bring the whole environment
        raise FatalError(f"the plug-in has no parameter {quoted(name)}", remedy(name[:_LONGEST], VARIABLES))
    if not isinstance(value, str):
        raise FatalError(f"parameter {name} is no text", f"write {{name: {name}, string: …}} in source.plugin")
    return name, value


def _one(ways: Sequence[_Way]) -> str:
    values = {value for _, value in ways}
    if len(values) > 1:
        said = ", ".join(f"{way} is {quoted(value)}" for way, value in ways)
        raise FatalError(f"the Application contradicts itself: {said}", "keep one of them in its source.plugin")
    [value] = values
    if not value:
        raise FatalError(f"{', '.join(way for way, _ in ways)} is empty", "give it a value, or remove it")
    return value


def quoted(text: str) -> str:
    """Return a value of unknown origin for a message."""
    return repr(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…")
