"""The tools for files: read, list, search and write, each within the folders that the user allowed."""

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex
from typing import Any

from aeon.adapters.files.folders import FolderAccess
from aeon.adapters.files.texts import read_text
from aeon.base.errors import AeonError, ToolError
from aeon.base.json import JsonObject
from aeon.base.lazy_pattern import LazyPattern
from aeon.base.writing import asks_for_code
from aeon.tools.attachments import choose_part
from aeon.tools.interface import Example, TextRead, Tool

_MAX_LISTED = 200
_MAX_MATCHES = 50
_MAX_LINE = 300
_MAX_SEARCHED = 2_000_000
"""Bytes of a file that is searched; longer ones are named as not searched."""

_FILE_NAME = LazyPattern(r"(?<![\w.:/])[\w./~-]+\.(?!(?:com|org|net|io|de)\b)[A-Za-z]\w{1,7}\b")
_FILE_WORDS = LazyPattern(
    r"\b(files?|folders?|director(y|ies)|documents?|datei(en)?|ordners?|verzeichnis\w*)\b", re.IGNORECASE
)
_SEARCH_WORDS = LazyPattern(
    r"\b(search|find\w*|grep|contain\w*|mention\w*|such\w*|enth[aä]lt\w*|erw[aä]hn\w*)\b", re.IGNORECASE
)
_WRITE_WORDS = LazyPattern(
    r"\b(write|save|store|create|put|append|schreib\w*|speicher\w*|erstell\w*|leg\w*)\b", re.IGNORECASE
)

_ACTION_WORDS = LazyPattern(
    r"\b(delete|remove|erase|rename|move|copy|send|mail|e-?mail|print|upload|share|open|run|execute|edit|change|replace|"
    r"l[oö]sch\w*|entfern\w*|umbenenn\w*|benenn\w*|verschieb\w*|kopier\w*|schick\w*|send\w*|druck\w*|öffne\w*|ändere?)\b",
    re.IGNORECASE,
)
"""Words for what is done with a file, not with its text: reading it does not do that."""


def file_tools(access: FolderAccess) -> list[Tool]:
    """All of them."""
    return [ReadFileTool(access), ListFilesTool(access), SearchFilesTool(access), WriteFileTool(access)]


def _object(required: Sequence[str], **properties: JsonObject) -> JsonObject:
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


_PATH: JsonObject = {"type": "string", "minLength": 1, "maxLength": 500}


class _FileTool(Tool):
    """What the tools share: they are offered for requests about files."""

    is_common = False
    is_repeatable = True  # a file is written whole

    def __init__(self, access: FolderAccess) -> None:
        self._access = access

    def suits(self, request: str) -> bool:
        """Whether the request speaks of files, and does not want a command or a program that works on some."""
        speaks_of_files = _FILE_WORDS.search(request) or _FILE_NAME.search(request)
        return bool(speaks_of_files) and not asks_for_code(request)

    def _named_file(self, request: str) -> str | None:
        """The one file in a request that exists and may be read."""
        found: list[str] = []
        for name in dict.fromkeys(_FILE_NAME.findall(request)):
            with suppress(ToolError, OSError):
                if self._access.readable(name).is_file():
                    found.append(name)
        return found[0] if len(found) == 1 else None


class ReadFileTool(_FileTool):
    """Reads the text of a file."""

    name = "read_file"
    description = "Read the text of a file."
    input_schema = _object(["path"], path=_PATH, part={"type": "integer", "minimum": 1})
    output_schema = _object(["text"], text={"type": "string"})
    offered_schema = _object(["path"], path=_PATH)
    examples = (
        Example(
            "What does lease.txt say about pets?",
            [
                {"description": "read the lease", "tool": "read_file", "arguments": {"path": "lease.txt"}},
                {"description": "say what the text says about pets", "agent": "llm"},
            ],
        ),
    )

    def invoke(self, **kwargs: Any) -> dict[str, Any]:
        """Raises ToolError for what may not or cannot be read, and for a long text without the number of a part."""
        name = str(kwargs["path"])
        return {"text": choose_part(_text(self._access.readable(name), name), name, kwargs.get("part"))}

    def read_request(self, request: str) -> JsonObject | None:
        """The one existing file that the request names, if it is read at once and nothing else is done with it."""
        name = self._named_file(request)
        if name is None or _WRITE_WORDS.search(request) or _ACTION_WORDS.search(request):
            return None
        return {"path": name} if self._is_short(name) else None

    def text_read(self, request: str) -> TextRead | None:
        """The call that reads that file."""
        arguments = self.read_request(request)
        return None if arguments is None else TextRead(self.name, arguments)

    def _is_short(self, name: str) -> bool:
        try:
            self.invoke(path=name)
        except ToolError:
            return False
        return True


class ListFilesTool(_FileTool):
    """Lists files with their sizes and times."""

    name = "list_files"
    description = "List the files in a folder and in the folders inside it; pattern is like *.png."
    input_schema = _object([], path=_PATH, pattern={"type": "string", "maxLength": 200})
    output_schema = _object(["listing"], listing={"type": "string"})
    examples = (
        Example(
            "List the pictures in this folder.",
            [{"description": "list the pictures", "tool": "list_files", "arguments": {"pattern": "*.png"}}],
        ),
    )

    def suits(self, request: str) -> bool:
        return super().suits(request) and not _SEARCH_WORDS.search(request) and self._named_file(request) is None

    def invoke(self, **kwargs: Any) -> dict[str, Any]:
        """A line for each file. Raises ToolError for what may not be read."""
        folder = _folder(self._access, kwargs.get("path", "."))
        pattern = kwargs.get("pattern", "*")
        found = [path for path in self._access.files_in(folder) if path.match(pattern)]
        lines = [_line(self._access.shown(path), path) for path in found[:_MAX_LISTED]]
        return {"listing": _lines(lines, len(found), f"no file matches {pattern}")}


class SearchFilesTool(_FileTool):
    """Finds a text in files."""

    name = "search_files"
    description = "Find the lines with a text in the files of a folder, upper and lower case alike."
    input_schema = _object(["text"], text={"type": "string", "minLength": 1, "maxLength": 200}, path=_PATH)
    output_schema = _object(["found"], found={"type": "string"})
    examples = (
        Example(
            "Which file mentions the plumber?",
            [{"description": "find the plumber", "tool": "search_files", "arguments": {"text": "plumber"}}],
        ),
    )

    def suits(self, request: str) -> bool:
        return super().suits(request) and bool(_SEARCH_WORDS.search(request))

    def invoke(self, **kwargs: Any) -> dict[str, Any]:
        """A line for each match, as `path:number: text`; names what could not be searched. Raises ToolError."""
        folder = _folder(self._access, kwargs.get("path", "."))
        wanted = str(kwargs["text"]).casefold()
        matches: list[str] = []
        skipped: list[str] = []
        for path in self._access.files_in(folder):
            shown = self._access.shown(path)
            text = _searchable(path)
            if text is None:
                skipped.append(shown)
                continue
            matches += [
                f"{shown}:{number}: {line.strip()[:_MAX_LINE]}"
                for number, line in enumerate(text.splitlines(), 1)
                if wanted in line.casefold()
            ]
        found = _lines(matches[:_MAX_MATCHES], len(matches), f"no line has {kwargs['text']!r}")
        unread = f"\nnot searched: {', '.join(skipped[:_MAX_MATCHES])}" if skipped else ""
        return {"found": found + unread}


class WriteFileTool(_FileTool):
    """Writes a file, whole or not at all."""

    name = "write_file"
    description = "Write a text into a file. An existing file is only replaced with overwrite."
    timeout = None  # a text of bounded size; only the user may take longer, who is asked
    input_schema = _object(
        ["path", "text"],
        path=_PATH,
        text={"type": "string", "maxLength": 1_000_000},
        overwrite={"type": "boolean"},
    )
    output_schema = _object(["written"], written={"type": "string"})
    offered_schema = _object(["path", "text"], path=_PATH, text={"type": "string", "maxLength": 2000})
    examples = (
        Example(
            "Save the sum of 12 and 30 in sum.txt.",
            [
                {"description": "add", "tool": "calculator", "arguments": {"expression": "12 + 30"}},
                {
                    "description": "write it",
                    "tool": "write_file",
                    "arguments": {"path": "sum.txt", "text": "{step.s1.result}"},
                },
            ],
        ),
    )

    def suits(self, request: str) -> bool:
        return super().suits(request) and bool(_WRITE_WORDS.search(request))

    def invoke(self, **kwargs: Any) -> dict[str, Any]:
        """Raises ToolError for what may not be written, and for an existing file without `overwrite`."""
        path, text = self._access.writable(kwargs["path"]), str(kwargs["text"])
        if path.exists() and not kwargs.get("overwrite"):
            raise ToolError(f"{kwargs['path']} exists already.", next_step="Choose another name, or set overwrite.")
        try:
            _write_whole(path, text)
        except OSError as error:
            raise ToolError(f"{kwargs['path']} cannot be written: {error.strerror}.") from None
        return {"written": f"{self._access.shown(path)} ({len(text):,} characters)"}


def _text(path: Path, name: str) -> str:
    try:
        return read_text(path)
    except AeonError as error:
        raise ToolError(error.message.replace(str(path), name), next_step=error.advice) from None


def _folder(access: FolderAccess, name: str) -> Path:
    path = access.readable(name)
    if not path.is_dir():
        raise ToolError(f"{name} is not a folder.", next_step="Name a folder, or leave the path out.")
    return path


def _line(shown: str, path: Path) -> str:
    status = path.stat()
    changed = datetime.fromtimestamp(status.st_mtime, UTC).astimezone()
    return f"{shown}  {status.st_size:,} bytes, changed {changed:%Y-%m-%d %H:%M}"


def _lines(shown: Sequence[str], total: int, nothing: str) -> str:
    """Lines as one text, which says how many more there are, or that there is nothing."""
    more = [f"and {total - len(shown):,} more"] if total > len(shown) else []
    return "\n".join([*shown, *more]) or nothing


def _searchable(path: Path) -> str | None:
    """The text of a file; None if it has none, or too much."""
    try:
        return read_text(path) if path.stat().st_size <= _MAX_SEARCHED else None
    except (AeonError, OSError):
        return None


def _write_whole(path: Path, text: str) -> None:
    """Writes a new file beside the target and puts it in its place, so that no reader sees a part."""
    new = path.with_name(f".{path.name}.{token_hex(4)}")
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
    try:
        with open(descriptor, "w", encoding="utf-8", newline="") as file:  # noqa: PTH123  # a descriptor
            file.write(text)
        new.replace(path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
