"""Compile and evaluate CEL expressions over `self` and `oldSelf`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from generator.validate.cel.ahead import compiled
from generator.validate.cel.rewrite import Times, rewrite

ABSENT: Any = object()
"""In place of an old value: there is none, which a rule with optionalOldSelf can tell."""


class CelError(Exception):
    """An expression that does not compile, or whose evaluation failed; the message is the runtime's, on one line."""


@cache
def compile_expression(expression: str, optional_old: bool = False, times: Times = ()) -> Callable[..., Any]:
    """Return the function (self, oldSelf) -> value that evaluates an expression; it raises CelError too.

    `times` are the paths from self to fields that hold times, and how to read one: `((("at",), "timestamp"),)`.
    `optional_old` makes `oldSelf` an optional, as `optionalOldSelf: true` does in a CustomResourceDefinition.

    Raises:
        CelError: the expression has a syntax error, or calls what Kubernetes does not offer.
    """
    text = rewrite(expression, times)
    if optional_old:
        text = f"cel.bind(oldSelf, oldSelfGiven ? optional.of(dyn(before)) : optional.none(), {text})"
    known, error_type = environment()
    try:
        program = compiled(known, "rule", text)
    except RuntimeError as error:
        raise CelError(one_line(error)) from error
    run = program.eval

    def evaluate(value: Any, old: Any = None) -> Any:
        data = {"self": value}
        if optional_old:
            data |= {"before": None if old is ABSENT else old, "oldSelfGiven": old is not ABSENT}
        elif old is not None:
            data["oldSelf"] = old
        try:
            result = run(data=data)
            plain = result.value()
        except (RuntimeError, TypeError, ValueError, OverflowError) as error:
            raise CelError(one_line(error)) from error
        if plain is not True and plain is not False and result.type() == error_type:
            raise CelError(one_line(plain))
        return plain

    return evaluate


@cache
def environment() -> tuple[Any, Any]:
    """The runtime with its own extensions and Kubernetes' functions, made at first use: 15 ms."""
    from cel_expr_python import cel
    from cel_expr_python.ext import ext_bindings, ext_math, ext_optional, ext_strings

    from generator.validate.cel.library import declarations

    kinds = cel.Type
    variables = {"self": kinds.DYN, "oldSelf": kinds.DYN, "before": kinds.DYN, "oldSelfGiven": kinds.BOOL}
    extensions = [ext_optional.ExtOptional(), ext_strings.ExtStrings(), ext_bindings.ExtBindings(), ext_math.ExtMath()]
    made = cel.NewEnv(variables=variables, extensions=extensions, functions=declarations())
    return made, kinds.ERROR


def one_line(error: object) -> str:
    """Return what the runtime says, without its drawing of the place."""
    text = str(error).split("\n |", 1)[0]
    return " ".join(text.replace("INVALID_ARGUMENT: ERROR: <input>:", "").replace("[INVALID_ARGUMENT]", "").split())
