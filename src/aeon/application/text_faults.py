"""What is wrong with a YAML text that a person edits, by line."""

import re
from typing import Final, NamedTuple

from aeon.base.errors import InputError
from aeon.base.json import Json, JsonObject, json_problems
from aeon.plan.yaml import YamlError, find_lines, load_yaml
from aeon.platform.errors import PlatformError

_MAX_TEXT: Final = 500_000
_PART: Final = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]")


class TextFault(NamedTuple):
    """A fault of a text: its line, counted from 1, and the path of the field, which may be empty."""

    line: int
    path: str
    message: str


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
        raise InvalidTextError([TextFault(error.line, "", str(error))]) from None
    if not isinstance(value, dict) or json_problems(value):
        raise InvalidTextError([TextFault(1, "", "the text is not a mapping of fields to JSON values")])
    return {**value}


def find_faults(text: str, error: PlatformError) -> list[TextFault]:
    """What an error says is wrong with what a text describes, by line."""
    alone: JsonObject = {"path": getattr(error, "field", "") or "$", "message": error.message}
    problems: list[Json] = error.details.get("problems") or [alone]
    lines = find_lines(text, [_parts(each["path"]) for each in problems])
    return sorted(TextFault(line, each["path"], each["message"]) for line, each in zip(lines, problems, strict=True))


def fault_at(text: str, path: str, message: str) -> TextFault:
    """A fault of the field at a path such as `$.steps[0].inputs`."""
    return TextFault(find_lines(text, [_parts(path)])[0], path, message)


def _parts(path: str) -> list[str | int]:
    return [name or int(place) for name, place in _PART.findall(path)]
