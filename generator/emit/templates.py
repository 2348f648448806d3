"""Users' Jinja2 templates: rendered in a sandbox, with bounds on what one can take of the machine that renders it."""

from __future__ import annotations

from typing import Any

from generator.finding import Finding, Location, error
from generator.frozen import replace
from generator.pattern import pattern
from generator.plan.model import Plan
from generator.source.text import MAX_SIZE

_OF_MODEL = pattern(r"'generator\.[\w.]*?(\w+) object'")


def render(path: str, text: str, plan: Plan) -> str | Finding:
    """Return the text that a template makes of a plan, or why it makes none."""
    parts: list[str] = []
    left = MAX_SIZE
    try:
        for part in _engine().from_string(text).generate(plan=plan, environment=plan.name):
            left -= len(part)
            if left < 0:
                raise ValueError(f"it yields more than {MAX_SIZE // 1024 // 1024} MiB")
            parts.append(part)
    except Exception as problem:  # noqa: BLE001 - what a template calls may raise anything, and the template is at fault
        return _error(path, problem)
    return "".join(parts)


def _engine() -> Any:
    from jinja2 import StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Sandbox(ImmutableSandboxedEnvironment):
        intercepted_binops = frozenset({"*", "**"})

        def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:  # noqa: ARG002 - jinja2 names it
            """Multiply numbers; a text times a billion, and powers, would take all memory."""
            if operator == "**" or not (isinstance(left, int | float) and isinstance(right, int | float)):
                raise ValueError(f"{operator} is not for {type(left).__name__} and {type(right).__name__} here")
            return left * right

    return Sandbox(undefined=StrictUndefined, autoescape=False, keep_trailing_newline=True)


def in_template(findings: list[Finding]) -> Finding:
    """Return the finding about rendered text that explains the others, placed at the template as a whole."""
    first = next((f for f in findings if f.rule == "yaml-syntax"), findings[0])
    place = first.location or Location("")
    message = f"{first.message} (line {place.line} of the rendered text)"
    return replace(first, message=message, location=Location(place.file), related=())


def _error(path: str, problem: Exception) -> Finding:
    said = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
    line = getattr(problem, "lineno", None) or _line(problem)
    return error(
        "template-error",
        f"the template cannot be rendered: {_OF_MODEL.sub(lambda found: found[1], said)}",
        Location(path, line, 1 if line else 0),
        "it is given `plan` and `environment`; the user guide lists what they hold",
    )


def _line(problem: Exception) -> int:
    """Return the line of the template at which a traceback ends; 0: none."""
    import traceback

    frames = traceback.walk_tb(problem.__traceback__)
    return next((line for frame, line in reversed(list(frames)) if frame.f_code.co_filename == "<template>"), 0)
