"""Selects the values that a condition reads, and converts them for CEL."""

from collections.abc import Iterable, Iterator, Mapping
from typing import cast

from aeon.base.binding import STEP_PREFIX
from aeon.base.json import Json, JsonObject
from aeon.platform.processes.expressions.cel_paths import CelPath
from aeon.platform.processes.expressions.cel_programs import ConditionError

_SMALLEST_INT, _LARGEST_INT = -(2**63), 2**63 - 1


def select_values(paths: Iterable[CelPath], values: Mapping[str, Json]) -> Iterator[tuple[str, Json]]:
    """Yield the values that the condition reads, by root; objects with only the read fields."""
    tails: dict[tuple[str, ...], list[CelPath]] = {}
    for path in paths:
        length = 2 if path[0] == STEP_PREFIX else 1
        tails.setdefault(path[:length], []).append(path[length:])
    for root, inner in tails.items():
        fields = values.get(STEP_PREFIX, {}) if root[0] == STEP_PREFIX else values
        if root[-1] in fields:
            yield ".".join(root), _prune(fields[root[-1]], inner)


def _prune(value: Json, tails: list[CelPath]) -> Json:
    if not isinstance(value, dict) or () in tails:
        return cast(Json, value)
    fields = cast(JsonObject, value)
    by_field: dict[str, list[CelPath]] = {}
    for tail in tails:
        by_field.setdefault(tail[0], []).append(tail[1:])
    return {name: _prune(fields[name], inner) for name, inner in by_field.items() if name in fields}


class CelConverter:
    """Converts values for CEL, and measures their size.

    Integers beyond 64 bits, which CEL does not have, become doubles, unless a digit could matter.
    """

    def __init__(self, *, is_exact: bool = False) -> None:
        """`is_exact`: no integer may lose a digit, since the result is a value and not a decision."""
        self._is_exact = is_exact
        self._large: dict[float, int] = {}
        self.longest = 0
        """The length of the longest text or list."""
        self.texts = (0, 0)
        """The lengths of the two longest texts, the longer first."""
        self.elements = 0
        """Elements of all lists, and keys of all objects."""

    def convert(self, value: Json, place: str) -> Json:
        """Convert a value. Raises ConditionError for what CEL would misread."""
        if isinstance(value, str):
            return self._text(value, place)
        if isinstance(value, dict):
            self.elements += len(cast(JsonObject, value))
            return {
                self._text(key, place): self.convert(item, f"{place}.{key}")
                for key, item in cast(JsonObject, value).items()
            }
        if isinstance(value, list):
            items = cast(list[Json], value)
            self.longest = max(self.longest, len(items))
            self.elements += len(items)
            return [self.convert(item, place) for item in items]
        if isinstance(value, int) and not _SMALLEST_INT <= value <= _LARGEST_INT:
            return self._large_number(value, place)
        return value

    def _large_number(self, value: int, place: str) -> float:
        """The double for an integer beyond 64 bits, if no other integer of this evaluation has the same one."""
        double = _as_double(value)
        if self._is_exact or self._large.setdefault(double, value) != value:
            raise ConditionError(
                f"{place} has a number beyond 64 bits, of which conditions and expressions cannot read every digit.",
                next_step="Give such a number as a text.",
            )
        return double

    def _text(self, text: str, place: str) -> str:
        if fault := find_text_fault(text):
            raise ConditionError(f"{place} contains {fault}, so conditions cannot read it.")
        self.longest = max(self.longest, len(text))
        if len(text) > self.texts[1]:
            self.texts = (max(self.texts[0], len(text)), min(self.texts[0], len(text)))
        return text


def _as_double(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def find_text_fault(text: str) -> str | None:
    """Return why CEL would misread a text, or None.

    CEL ends a text at a NUL, and cannot represent a lone surrogate.
    """
    if "\0" in text:
        return "a NUL character"
    if text.isascii():
        return None
    try:
        text.encode()
    except UnicodeEncodeError:
        return "half of a surrogate pair"
    return None
