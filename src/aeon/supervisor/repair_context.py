"""The sources from which a repair may take values, and the lookup of a value in them (core 18)."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from aeon.base.json import Json, JsonObject, canonical_json
from aeon.llm.material import as_material
from aeon.supervisor.numerals import find_numbers

_MAX_RESULTS = 4000
"""Characters of the results in a repair's prompt; the whole results are sources."""

_TRUE = frozenset(("true", "yes", "ja", "wahr"))
_FALSE = frozenset(("false", "no", "nein", "falsch"))
_NO_WORD_BEFORE = r"(?<!\w)(?<!\w[.@-])(?<!\d,)"
_NO_WORD_AFTER = r"(?!\w)(?![.@-]\w)(?!,\d)"


@dataclass(frozen=True, slots=True)
class RepairContext:
    """The context of a repair: the request, the goal, the step's description and arguments, results of earlier steps.

    Values read from memory are results. Examples, schemas, descriptions of tools and prompts do not belong to it.
    """

    request: str = ""
    goal: str = ""
    step: str = ""
    arguments: JsonObject = field(default_factory=dict[str, Any])
    results: Mapping[str, Json] = field(default_factory=dict[str, Json])

    def as_prompt(self) -> str:
        """The context as text for a repair's prompt."""
        texts = {"Request": self.request, "Goal": self.goal, "Step": self.step}
        lines = [f"{name}: {text}" for name, text in texts.items() if text]
        if self.arguments:
            lines.append(f"Given arguments: {canonical_json(self.arguments)}")
        results = {f"result of {step_id}": value for step_id, value in self.results.items()}
        return "\n".join([*lines, *filter(None, as_material(results, _MAX_RESULTS)[:1])])

    def values(self) -> list[Json]:
        """All values from which a repair may take values."""
        texts = [text for text in (self.request, self.goal, self.step) if text]
        return [*texts, *self.arguments.values(), *self.results.values()]


class KnownValues:
    """A lookup of the values in a repair's sources."""

    def __init__(self, values: Iterable[Json]) -> None:
        leaves = [leaf for value in values for leaf in iterate_leaves(value)]
        text = "\n".join(leaf for leaf in leaves if isinstance(leaf, str))
        self._exact = {canonical_json(leaf) for leaf in leaves}
        self._text = _folded(text)
        self._words = set(re.findall(r"\w+", self._text))
        self._numbers = find_numbers(text) | {leaf for leaf in leaves if _is_number(leaf)}

    def contains(self, leaf: Json) -> bool:
        """Whether the sources contain `leaf`: as a value, or in a text as a whole word or number."""
        if canonical_json(leaf) in self._exact:
            return True
        if leaf in (None, "", [], {}):
            return canonical_json(leaf) in self._text.split()
        if isinstance(leaf, bool):
            return bool(self._words & (_TRUE if leaf else _FALSE))
        if isinstance(leaf, (int, float)):
            return leaf in self._numbers
        return self._has(_folded(str(leaf)))

    def _has(self, phrase: str) -> bool:
        if not re.search(r"\w", phrase):
            return phrase in self._text.split()
        before = _NO_WORD_BEFORE if re.match(r"\w", phrase) else ""
        after = _NO_WORD_AFTER if re.search(r"\w\Z", phrase) else ""
        return re.search(before + re.escape(phrase) + after, self._text) is not None


def iterate_leaves(value: Json) -> Iterator[Json]:
    """Yields every value in `value` without values inside it; an empty object or list counts."""
    if value in ({}, []):
        yield value
    elif isinstance(value, dict):
        for item in cast(JsonObject, value).values():
            yield from iterate_leaves(item)
    elif isinstance(value, list):
        for item in cast(list[Json], value):
            yield from iterate_leaves(item)
    else:
        yield value


def _is_number(value: Json) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
