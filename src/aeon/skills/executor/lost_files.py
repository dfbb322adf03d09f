"""Warns of files that a script may have written to bubblewrap's /tmp, which ends with the script."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

from aeon.base.json import Json, JsonObject
from aeon.skills.plan_json import ToolInvocation, ToolResult

_TEMPORARY_FILE = re.compile(r"(?<![\w/.])/tmp/[^\s'\"]+")
_MOST_NAMED = 5


def lost_file_warnings(tools: Sequence[ToolInvocation], results: Sequence[ToolResult]) -> list[str]:
    """Returns a warning for each successful script whose input names a file in /tmp that does not exist."""
    warnings: list[str] = []
    for tool, result in zip(tools, results, strict=True):
        if result.sandbox != "bubblewrap" or not result.ok:
            continue
        named = [file for text in _texts(tool.input) for file in _TEMPORARY_FILE.findall(text)]
        if missing := [file for file in dict.fromkeys(named) if not Path(file).exists()]:
            warnings.append(
                f"{tool.tool_path} has a /tmp of its own, which is gone: what it wrote to "
                f"{', '.join(missing[:_MOST_NAMED])} is lost. Name a file in a folder that is granted."
            )
    return warnings


def _texts(value: Json) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            yield from (text for item in cast(JsonObject, value).values() for text in _texts(item))
        case list():
            yield from (text for item in cast(list[Json], value) for text in _texts(item))
        case _:
            pass
