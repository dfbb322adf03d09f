"""What is wrong with a YAML text that a person edits, by line."""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from aeon.base.errors import InputError
from aeon.base.json import Json, JsonObject
from aeon.plan.yaml import YamlError, find_positions, find_unplain, load_yaml
from aeon.platform.errors import PlatformError

_MAX_TEXT: Final = 500_000
_PART: Final = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]")


class TextFault(NamedTuple):
    """A fault of a text: its line and column, counted from 1, and the path of the field, which may be empty."""

    line: int
    path: str
    message: str
    column: int = 1


class CheckedText(NamedTuple):
    """The faults of a text, and of a valid one what is probably a mistake, both by line."""

    faults: list[TextFault]
    warnings: Sequence[TextFault] = ()


class InvalidTextError(InputError):
    """The text is not valid; nothing was saved.

    `faults` are all that is wrong, by line.
    """

    next_step = "Correct the text and save it again."

    def __init__(self, faults: list[TextFault]) -> None:
        listed = "; ".join(f"line {each.line}: {each.message}" for each in faults[:5])
        super().__init__(
            f"The text has {len(faults)} fault(s): {listed}.", problems=[each._asdict() for each in faults]
        )
        self.faults = faults


def read_mapping(text: str) -> JsonObject:
    """The fields of a text. Raises InvalidTextError."""
    if len(text) > _MAX_TEXT:
        raise InvalidTextError([TextFault(1, "", f"the text has {len(text):,} characters; {_MAX_TEXT:,} are read")])
    try:
        value = load_yaml(text)
    except YamlError as error:
        raise InvalidTextError([TextFault(error.line, "", str(error), error.column)]) from None
    if unplain := find_unplain(value):
        raise InvalidTextError(sorted(faults_at(text, unplain)))
    if not isinstance(value, dict):
        raise InvalidTextError([TextFault(1, "", "the text is not a mapping of fields to JSON values")])
    return {**value}


def find_faults(text: str, error: PlatformError) -> list[TextFault]:
    """What an error says is wrong with what a text describes, by line."""
    alone: JsonObject = {"path": getattr(error, "field", "") or "$", "message": error.message}
    problems: list[Json] = error.details.get("problems") or [alone]
    return sorted(faults_at(text, [(each["path"], each["message"]) for each in problems]))


def fault_at(text: str, path: str, message: str) -> TextFault:
    """A fault of the field at a path such as `$.steps[0].inputs`."""
    return faults_at(text, [(path, message)])[0]


def faults_at(text: str, problems: Sequence[tuple[str, str]]) -> list[TextFault]:
    """The faults of problems, each of which has a path and a message."""
    positions = find_positions(text, [path_parts(path) for path, _ in problems])
    return [TextFault(line, *each, column) for (line, column), each in zip(positions, problems, strict=True)]


def path_parts(path: str) -> list[str | int]:
    return [name or int(place) for name, place in _PART.findall(path)]
