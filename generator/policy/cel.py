"""CEL for policies: Google's C++ runtime with Kubernetes' functions, and limits on what an expression may cost.

The runtime itself ends an evaluation after 10,000 steps of loops ("Iteration budget exceeded").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

from generator.pattern import pattern
from generator.quantity import UNIT, canonical, canonical_bytes

LONGEST = 2000  # characters of an expression
DEEPEST = 3  # loops within loops
LISTED = 10  # names that a message spells out
BATCH = 100  # items of one evaluation: with a loop over a hundred entries each still within the runtime's budget

MACROS = frozenset(("all", "exists", "exists_one", "existsOne", "filter", "map"))
BYTES = frozenset(("memory", "ephemeral-storage", "storage"))
# Python's regular expressions take exponential time where RE2 (`matches`) does not.
_REFUSED = frozenset(("find", "findAll"))

_NOISE = pattern(r"ERROR: <input>:|\[?\b[A-Z]+(_[A-Z]+)*\b(: |\])| \(in container ''\)")


class CelError(Exception):
    """An expression that does not compile, costs too much, or whose evaluation failed; on one line."""


class Program:
    """One compiled expression; `result` is the name of its static type: BOOL, STRING, DYN, …"""

    __slots__ = ("_run", "result")

    def __init__(self, text: str) -> None:
        from generator.validate.cel.ahead import compiled
        from generator.validate.cel.rewrite import rewrite

        try:
            program = compiled(runtime(), "policy", rewrite(text))
        except RuntimeError as problem:
            raise CelError(_one_line(problem)) from problem
        self._run = program.eval
        self.result: str = program.return_type().name()

    def value(self, activation: Any) -> Any:
        """Return the value as plain Python.

        Raises:
            CelError: the evaluation failed, such as by a missing key, or went beyond the budget.
        """
        try:
            found = self._run(activation)
            plain = found.plain_value()
        except (RuntimeError, TypeError, ValueError, OverflowError) as problem:
            raise CelError(_one_line(problem)) from problem
        if found.type().name() == "ERROR":
            raise CelError(_one_line(plain))
        return plain

    def holds(self, activation: Any) -> bool:
        """Whether the value is true; false also for any failure, which `value` then tells."""
        try:
            return self._run(activation).value() is True
        except (RuntimeError, TypeError, ValueError, OverflowError):
            return False


def activation(values: Mapping[str, Any]) -> Any:
    """Return values in the runtime's form, which costs far more than to evaluate: make it once, use it often."""
    return runtime().Activation(dict(values))


def check_cost(text: str) -> None:
    """Refuse an expression by its length and by how deep its loops are nested.

    Raises:
        CelError: it is longer than 2,000 characters, or loops are nested more than three deep.
    """
    if len(text) > LONGEST:
        raise CelError(f"the expression has {len(text)} characters and {LONGEST} are allowed")
    tokens = words(text)
    depth = deepest(tokens)
    if depth > DEEPEST:
        raise CelError(f"the expression nests {depth} loops and {DEEPEST} are allowed")
    for before, word in pairwise(tokens):
        if before == "." and word in _REFUSED:
            raise CelError(f"{word} is not for policies: write matches, whose time is bounded")


def words(text: str) -> list[str]:
    """Return the tokens of an expression without space and comments; string literals as they are written."""
    from generator.validate.cel.rewrite import tokens

    return [word for kind, word in tokens(text) if kind not in ("space", "comment")]


def deepest(tokens: Sequence[str]) -> int:
    """Return how many loops (`all`, `map`, …) an expression nests at most."""
    open_loops: list[bool] = []
    most = 0
    for index, word in enumerate(tokens):
        if word == "(":
            is_loop = index > 1 and tokens[index - 1] in MACROS and tokens[index - 2] == "."
            open_loops.append(is_loop)
            most = max(most, sum(open_loops))
        elif word == ")" and open_loops:
            open_loops.pop()
    return most


def listed(names: Sequence[Any]) -> str:
    """Return "a, b and 3 more": what `names.listed()` is in a message."""
    texts = [str(name) for name in names]
    rest = len(texts) - LISTED
    return ", ".join(texts[:LISTED]) + (f" and {rest} more" if rest > 0 else "")


def shown(amount: float, resource: str) -> str:
    """Return an amount as people write it: `shown(17179869184, "memory")` is 16Gi, `shown(1.5, "cpu")` 1500m."""
    thousandths = round(amount * UNIT)
    return canonical_bytes(thousandths) if resource.rpartition(".")[2] in BYTES else canonical(thousandths)


@cache
def runtime() -> Any:
    """The runtime with its extensions and functions, made at first use: 15 ms."""
    from cel_expr_python import cel
    from cel_expr_python.ext import ext_bindings, ext_math, ext_optional, ext_strings

    from generator.validate.cel.library import declarations

    kinds = cel.Type
    variables = {
        "item": kinds.DYN,
        "items": kinds.List(kinds.DYN),
        "params": kinds.DYN,
        "parameters": kinds.Map(kinds.STRING, kinds.DYN),
        "environment": kinds.DYN,
    }
    own = [
        cel.FunctionDecl(
            "listed",
            [cel.Overload("list_listed", kinds.STRING, [kinds.LIST], is_member=True, impl=listed)],
        ),
        cel.FunctionDecl(
            "shown",
            [
                cel.Overload(f"shown_{kind.name()}", kinds.STRING, [kind, kinds.STRING], is_member=False, impl=shown)
                for kind in (kinds.INT, kinds.DOUBLE)
            ],
        ),
    ]
    extensions = [ext_optional.ExtOptional(), ext_strings.ExtStrings(), ext_bindings.ExtBindings(), ext_math.ExtMath()]
    return cel.NewEnv(variables=variables, extensions=extensions, functions=[*declarations(), *own])


def _one_line(problem: object) -> str:
    text = _NOISE.sub("", str(problem).split("\n |", 1)[0])
    return " ".join(text.split())
