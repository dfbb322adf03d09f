"""Reads the descriptions of parameters in a function's docstring: Google style, reStructuredText, NumPy style."""

import inspect
from collections.abc import Collection
from typing import Any

from aeon.base.suggestions import closest_name

_SECTIONS = frozenset({"param", "parameter", "arg", "argument", "key", "keyword"})
"""The words with which the parser marks parameters; it lists attributes with them."""


def docstring_of(function: object) -> str:
    """The docstring of a function, or of an object: that of its class, else that of its `__call__`; empty without."""
    described = inspect.getdoc(function)
    if described is None and not inspect.isroutine(function):
        described = inspect.cleandoc(type(function).__call__.__doc__ or "")
    return described or ""


def parameter_descriptions(function: Any) -> dict[str, str]:
    """The description of each parameter that the docstring describes, in one line each."""
    text = docstring_of(function)
    if "\n" not in text:
        return {}
    from docstring_parser import ParseError, parse  # 15 ms, for tools with such a docstring only

    try:
        described = [each for each in parse(text).params if each.args[0] in _SECTIONS]
    except ParseError:  # the text is in none of the styles
        return {}
    return {
        name.strip(): " ".join(each.description.split())
        for each in described
        for name in each.arg_name.split(",")  # NumPy: "a, b : int"
        if each.description
    }


def unknown_parameter_problems(described: Collection[str], parameters: Collection[str]) -> list[str]:
    """A problem for each described name that is not a parameter. Otherwise a typing error would hide a description."""
    unknown = [name for name in described if name.lstrip("*") not in parameters]
    return [
        f"its docstring describes {name!r}, which is not a parameter{_suggestion(name, parameters)}" for name in unknown
    ]


def _suggestion(name: str, parameters: Collection[str]) -> str:
    near = closest_name(name, parameters)
    return f"; did you mean {near!r}?" if near else ""
