"""Texts of the document as data: bounded, without control characters. Names that Aeon accepts."""

import re
from collections.abc import Collection
from typing import Final

from aeon.base.json import Json

LONGEST_NAME: Final = 64
_INVALID_IN_NAME = re.compile(r"[^A-Za-z0-9_.-]+")
_INVALID_IN_INPUT = re.compile(r"[^A-Za-z0-9_]+")
_INVALID_IN_SERVICE = re.compile(r"[^a-z0-9]+")


def bounded_text(value: Json, limit: int) -> str:
    """A text in one paragraph of at most `limit` characters; empty for what is not a text."""
    if not isinstance(value, str):
        return ""
    text = " ".join("".join(letter if letter.isprintable() else " " for letter in value[: limit * 10]).split())
    return text if len(text) <= limit else text[: limit - 4].rstrip() + " ..."


def tool_name(text: str) -> str:
    """A text as the name of a tool."""
    return _INVALID_IN_NAME.sub("_", text).strip("_.-")[:LONGEST_NAME].strip("_.-") or "tool"


def service_name(title: str) -> str:
    """A title as the name of a service."""
    return _INVALID_IN_SERVICE.sub("-", title.lower()).strip("-")[:LONGEST_NAME].strip("-") or "service"


def input_name(text: str, place: str, taken: Collection[str]) -> str:
    """A name for an input that no other input has; `place` distinguishes equal names, such as one in a query."""
    plain = _INVALID_IN_INPUT.sub("_", text).strip("_")[:LONGEST_NAME] or "value"
    plain = f"_{plain}" if plain[0].isdigit() else plain
    wanted = [plain, f"{plain}_{place}", *(f"{plain}_{number}" for number in range(2, len(taken) + 3))]
    return next(name for name in wanted if name not in taken)


def unique_names(wanted: list[str], service: str, taken: Collection[str]) -> list[str]:
    """The names of tools in this order, each once, and none that is `taken`.

    A name that is not free gets the service's name before it, then a number.
    """
    names: list[str] = []
    used = set(taken)
    for name in wanted:
        candidates = [name, tool_name(f"{service}_{name}")]
        numbered = (f"{name[: LONGEST_NAME - 6]}_{number}" for number in range(2, len(wanted) + len(used) + 3))
        chosen = next(each for each in (*candidates, *numbered) if each not in used)
        names.append(chosen)
        used.add(chosen)
    return names
