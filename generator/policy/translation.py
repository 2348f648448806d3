"""CEL of a policy → CEL of an admission policy: `item` is `object`, a parameter is a variable that holds its value.

The API server's CEL differs in little: it has none of our functions, knows neither cel.bind nor math, wants results
to be of a type that it can tell beforehand, and all entries of a list to be of one type.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from generator.policy.cel import MACROS
from generator.policy.loose_lists import loosen
from generator.policy.model import Policy

_OURS = {"listed": "write names.join(', ')", "shown": "write the amount as the object has it"}
_TAKEN = ("authorizer", "namespaceObject", "object", "oldObject", "request", "variables")


class NotTranslatableError(Exception):
    """Why a policy cannot be carried over: `key` is the part of it that stands in the way, "" for the whole."""

    def __init__(self, key: str, why: str, fix: str) -> None:
        super().__init__(why)
        self.key, self.fix = key, fix


def variables(policy: Policy, values: Mapping[str, Any]) -> dict[str, str]:
    """Return the parameters that a policy reads as variables, with their values in an environment.

    Raises:
        NotTranslatableError: one holds what is neither text, number, boolean, nor a list of one of them.
    """
    names = {name for part in (policy.where, policy.rule, policy.message) if part for name in _parameters(part)}
    return {name: _constant(name, values[name]) for name in sorted(names) if name in values}


def predicate(policy: Policy, known: Mapping[str, str], kubernetes: str | None) -> str:
    """Return what must hold for an object.

    Raises:
        NotTranslatableError: it cannot be carried over.
    """
    where = f"!({translated(policy, 'where', known, kubernetes)}) || " if policy.where else ""
    return f"{where}({translated(policy, 'rule', known, kubernetes)})"


def text(policy: Policy, known: Mapping[str, str], kubernetes: str | None) -> str:
    """Return the message about an object.

    Raises:
        NotTranslatableError: it cannot be carried over.
    """
    return f"({translated(policy, 'message', known, kubernetes)})"


def translated(policy: Policy, key: str, known: Mapping[str, str], kubernetes: str | None) -> str:
    """Return one expression of a policy as the API server takes it.

    Raises:
        NotTranslatableError: it reads or calls what there is only here.
    """
    from generator.validate.cel.admission import VALIDATION, defect, result_type

    expression: str = getattr(policy, key)
    tokens, solid = _tokens(expression)
    words = [tokens[position] for position in solid]
    for index in range(len(words)):
        if (found := _renamed(words, index, key)) is not None:
            tokens[solid[index]] = found
    loosen(tokens, solid, words)
    written = "".join(tokens).strip()
    if why := defect(written, "DYN", VALIDATION, known, kubernetes):
        raise NotTranslatableError(key, f"its {key} {why}", "write it with what the API server has")
    if key == "message":
        return written if result_type(written, VALIDATION) == "STRING" else f"string({written})"
    return written if result_type(written, VALIDATION) == "BOOL" else f"({written}) == true"


def _renamed(words: Sequence[str], index: int, key: str) -> str | None:
    """Return what stands for a word in an admission policy, or None: the word itself."""
    word, after = words[index], words[index + 1 : index + 3]
    if words[index - 1 : index] == ["."]:
        if word in _OURS and after[:1] == ["("]:
            raise NotTranslatableError(key, f"its {key} calls {word}, which is Apportion's own", _OURS[word])
        return None
    if after[:1] == ["("] and word in _OURS:
        raise NotTranslatableError(key, f"its {key} calls {word}, which is Apportion's own", _OURS[word])
    is_loop = words[index - 1 : index] == ["("] and words[index - 2 : index - 1] and words[index - 2] in MACROS
    if word in _TAKEN or (word in ("item", "params", "environment") and is_loop):
        raise NotTranslatableError(key, f"its {key} calls something {word} itself", "give that another name")
    if word == "environment":
        said = f"its {key} reads environment, which the API server does not have"
        raise NotTranslatableError(key, said, "let a parameter say it, which each environment sets")
    if word == "{":
        said = f"its {key} makes a mapping, whose values have to be of one type"
        raise NotTranslatableError(key, said, "compare its parts one by one")
    if word == "params":
        if after[:1] != ["."] or not after[1:] or words[index - 2 : index] == ["has", "("]:
            raise NotTranslatableError(key, f"its {key} uses params as a whole", "name a parameter: params.name")
        return "variables"
    return "object" if word == "item" else None


def _tokens(expression: str) -> tuple[list[str], list[int]]:
    """Return all tokens, comments blanked, and which of them are neither space nor comment."""
    from generator.validate.cel.rewrite import tokens

    found = tokens(expression)
    texts = [" " if kind == "comment" else word for kind, word in found]
    return texts, [index for index, (kind, _) in enumerate(found) if kind not in ("space", "comment")]


def _parameters(expression: str) -> set[str]:
    tokens, solid = _tokens(expression)
    words = [tokens[position] for position in solid]
    at = (i for i, word in enumerate(words) if word == "params" and words[i - 1 : i] != ["."])
    return {words[i + 2] for i in at if words[i + 1 : i + 2] == ["."] and len(words) > i + 2}


def _constant(name: str, value: Any) -> str:
    """Return a value as CEL. A list is of one type, and so may be compared with anything."""
    if isinstance(value, list) and all(isinstance(item, str | int | float) for item in value):
        return f"[{', '.join(f'dyn({_constant(name, item)})' for item in value)}]"
    if isinstance(value, bool | str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, int | float):
        return f"dyn({value!r})"
    said = f"its parameter {name} is neither text, number, boolean nor a list of them"
    raise NotTranslatableError("", said, "write a parameter for each part")
