"""What a condition looks at, cut out of a run's values and brought into a form that CEL reads right."""

from collections.abc import Iterable, Iterator, Mapping
from typing import cast

from aeon.base.binding import STEP_PREFIX
from aeon.base.json import Json, JsonObject
from aeon.platform.processes.expressions.cel_paths import CelPath
from aeon.platform.processes.expressions.cel_programs import ConditionError

_SMALLEST_INT, _LARGEST_INT = -(2**63), 2**63 - 1


def select_values(paths: Iterable[CelPath], values: Mapping[str, Json]) -> Iterator[tuple[str, Json]]:
    """What the condition reads, by root; an object only with the fields that are read."""
    tails: dict[tuple[str, ...], list[CelPath]] = {}
    for path in paths:
        length = 2 if path[0] == STEP_PREFIX else 1
        tails.setdefault(path[:length], []).append(path[length:])
    for root, inner in tails.items():
        held = values.get(STEP_PREFIX, {}) if root[0] == STEP_PREFIX else values
        if root[-1] in held:
            yield ".".join(root), _prune(held[root[-1]], inner)


def _prune(value: Json, tails: list[CelPath]) -> Json:
    if not isinstance(value, dict) or () in tails:
        return cast(Json, value)
    fields = cast(JsonObject, value)
    by_field: dict[str, list[CelPath]] = {}
    for tail in tails:
        by_field.setdefault(tail[0], []).append(tail[1:])
    return {name: _prune(fields[name], inner) for name, inner in by_field.items() if name in fields}


class CelConverter:
    """Values as CEL can take them, and how large they are."""

    def __init__(self) -> None:
        self.longest = 0
        """The length of the longest text or list."""
        self.texts = (0, 0)
        """The lengths of the two longest texts, the longer first."""
        self.elements = 0
        """Elements of all lists, and keys of all objects."""

    def convert(self, value: Json, place: str) -> Json:
        """The value, integers beyond 64 bits as doubles. Raises ConditionError for text that CEL would misread."""
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
            return _as_double(value)
        return value

    def _text(self, text: str, place: str) -> str:
        if fault := find_text_fault(text):
            raise ConditionError(f"{place} holds {fault}, so no condition can look at it.")
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
    """What CEL would misread: it ends a text at a NUL, and cannot hold half a character."""
    if "\0" in text:
        return "a NUL character"
    if text.isascii():
        return None
    try:
        text.encode()
    except UnicodeEncodeError:
        return "half of a surrogate pair"
    return None
