"""Texts that look like references or expressions and are none: `{n - 1}`, `{ n }`, `{{n}}` (platform 41)."""

import re
from collections.abc import Iterator
from typing import Final

from aeon.base.json import Json
from aeon.platform.processes.expressions.bindings import InputPath, is_reference, iterate_texts
from aeon.platform.processes.expressions.computed import OPENING, split_expressions
from aeon.platform.processes.expressions.conditions import ConditionError, compile_expression

_BRACES: Final = re.compile(r"(?P<double>\{\{\s*(?P<name>[^{}\n]{1,200}?)\s*\}\})|\{(?P<inner>[^{}\n]{1,500})\}")


def find_mistaken_references(inputs: Json, names: frozenset[str]) -> Iterator[tuple[InputPath, str]]:
    """Yield the location of each such text in a step's inputs, and what to write instead.

    A text in braces counts only if it is valid CEL over `names` and reads at least one of them, so that JSON and code
    in a prompt are left alone.
    """
    for location, text in iterate_texts(inputs):
        for part in split_expressions(text)[::2]:
            yield from ((location, message) for message in _mistakes(part, names))


def _mistakes(text: str, names: frozenset[str]) -> Iterator[str]:
    for match in _BRACES.finditer(text):
        name, inner = match["name"], match["inner"]
        if name is not None and is_reference(f"{{{name}}}") and _reads_one_of(name, names):
            yield f"{match[0]} is not a reference in inputs; write {{{name}}}"
        elif inner is not None and not is_reference(match[0]) and _reads_one_of(inner, names):
            stripped = inner.strip()
            right = f"{{{stripped}}}" if is_reference(f"{{{stripped}}}") else f"{OPENING} {stripped}}}"
            yield f"{match[0]} is passed on as text, because it is not a reference; write {right}"


def _reads_one_of(source: str, names: frozenset[str]) -> bool:
    """Return whether a text is valid CEL that reads one of these names."""
    try:
        return bool(compile_expression(source, names).paths)
    except ConditionError:
        return False
