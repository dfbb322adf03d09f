"""Reads the user's input: requests, plan files, JSON. Any input yields a value or a clear error."""

import os
import stat
import sys
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, BinaryIO, cast

from aeon.base.errors import InputError, PlanError, RequestError
from aeon.base.json import Json, JsonObject, parse_strict
from aeon.cli.console import print_message
from aeon.kernel.request_text import MAX_REQUEST, normalize_request

if TYPE_CHECKING:
    from aeon.plan.models import Plan

_BYTES_A_CHARACTER = 4
_MAX_JSON = 64 * 1024 * 1024
"""The most characters of a Plan JSON or of a trace."""
MAX_PIPED = 2_000_000
"""The most characters of a text on stdin."""
_PATIENCE = 2.0
"""Seconds of silence on stdin before a message shows what is awaited."""
_BINARY = "contains bytes that are not text"


def read_request(argument: str) -> str:
    """Return the request; `-` reads it from stdin. Raises RequestError for an invalid request."""
    if argument == "-":
        argument = _text_from(_stdin(), MAX_REQUEST, "The request on stdin", RequestError)
    if any(
        "\ud800" <= character <= "\udfff" for character in argument
    ):  # how Python represents bytes that are not UTF-8
        raise RequestError(f"The request {_BINARY}.")
    return normalize_request(argument)


def read_request_or_json(what: str) -> str | Json:
    """Return the JSON on stdin if it begins as an object, else the request. Raises InputError, RequestError."""
    text = _text_from(_stdin(), _MAX_JSON, f"{what} on stdin", InputError)
    if not text.lstrip().startswith(("{", "[")):
        return normalize_request(text)
    try:
        return parse_strict(text)
    except ValueError as error:
        raise InputError(f"{what} on stdin is not JSON: {error}.", next_step="Correct it.") from None


def ask_for_request() -> str | None:
    """Return the request that the user types on the terminal; None without a terminal."""
    if sys.stdin is None or not sys.stdin.isatty() or not sys.stderr.isatty():  # pyright: ignore[reportUnnecessaryComparison]  # None after `<&-`
        return None
    print_message("What do you want done? End with Enter; Ctrl-C ends.", "")
    return sys.stdin.readline()


def piped_text(*, is_named: bool) -> str | None:
    """Return the text that another program or a file gives on stdin; None on a terminal, or without any text.

    If the user named stdin, it is read whatever it is. Raises RequestError if it is not text, or too long. If nothing
    comes for a while, a note says what is waited for.
    """
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (AttributeError, OSError, ValueError):  # no stdin, or one that is not a file
        return None
    if not (is_named or stat.S_ISFIFO(mode) or stat.S_ISREG(mode)):
        return None
    waiting = Timer(
        _PATIENCE, print_message, ["reading stdin until its end; if it is not meant, add --no-input", "note: "]
    )
    waiting.daemon = True
    waiting.start()
    try:
        text = _text_from(_stdin(), MAX_PIPED, "The text on stdin", RequestError)
        return text if text.strip() else None
    finally:
        waiting.cancel()


def request_of_plan(plan: "Plan") -> str:
    """Return the request of a supplied plan: its goal. Raises PlanError if the goal is not a valid request."""
    try:
        return normalize_request(plan.goal[:MAX_REQUEST])
    except RequestError as error:
        raise PlanError(f"$.goal is not a valid request: {error.message}") from None


def read_plan(path: Path) -> "Plan":
    """Return the plan in a file, or on stdin for `-`. Raises PlanError with every problem."""
    from aeon.plan.parser import MAX_TEXT, parse_plan

    if str(path) == "-":
        return parse_plan(_text_from(_stdin(), MAX_TEXT, "The plan on stdin", PlanError), source="stdin")
    try:
        with path.open("rb") as file:
            text = _text_from(file, MAX_TEXT, f"The plan {path}", PlanError)
    except OSError as error:
        raise PlanError(f"The plan {path} cannot be read: {error.strerror}.", next_step="Check the path.") from None
    if not text.strip():
        raise PlanError(f"The plan {path} is empty.")
    return parse_plan(text, source=str(path))


def read_text_file(path: Path, what: str) -> str:
    """Return the text in a file, or on stdin for `-`; `what` names it in errors. Raises InputError."""
    if str(path) == "-":
        return _text_from(_stdin(), MAX_PIPED, f"{what} on stdin", InputError)
    try:
        with path.open("rb") as file:
            return _text_from(file, _MAX_JSON, f"{what} in {path}", InputError)
    except OSError as error:
        raise InputError(f"{what} in {path} cannot be read: {error.strerror}.", next_step="Check the path.") from None


def read_json_file(path: Path, what: str) -> Json:
    """Return the JSON in a file, or on stdin for `-`; `what` names it in errors. Raises InputError."""
    try:
        if str(path) == "-":
            text = _text_from(_stdin(), _MAX_JSON, f"{what} on stdin", InputError)
        else:
            with path.open("rb") as file:
                text = _text_from(file, _MAX_JSON, f"{what} {path}", InputError)
        if not text.strip():
            place, advice = ("on stdin", "Pipe it in.") if str(path) == "-" else (str(path), "Check the path.")
            raise InputError(f"{what} {place} is empty.", next_step=advice)
        return parse_strict(text)
    except OSError as error:
        raise InputError(f"{what} {path} cannot be read: {error.strerror}.", next_step="Check the path.") from None
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{what} {path} is not JSON: {error}.", next_step="Correct it.") from None


def read_json_object(argument: str, option: str = "--input") -> JsonObject:
    """Return the JSON object in an option, in a file for `@FILE`, or on stdin for `-` or `@-`. Raises InputError."""
    example = f"""Give a JSON object, such as {option} '{{"text": "hello"}}'."""
    if argument.startswith("@") or argument == "-":
        value = read_json_file(Path(argument.removeprefix("@")), "The input")
    else:
        try:
            value = parse_strict(argument)
        except ValueError as error:
            raise InputError(f"The input is not JSON: {error}.", next_step=example) from None
    if not isinstance(value, dict):
        raise InputError("The input is JSON, but not an object.", next_step=example)
    return cast(JsonObject, value)


def _stdin() -> BinaryIO:
    """Return stdin. Raises InputError if the process was started with stdin closed."""
    if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison]  # None after `<&-`
        raise InputError("The input cannot be read: stdin is closed.", next_step="Name a file, or pipe the input in.")
    return sys.stdin.buffer


def _text_from(stream: BinaryIO, most: int, what: str, kind: type[InputError]) -> str:
    """Read at most `most` characters of UTF-8, and no more bytes than show that there are too many."""
    data = stream.read(_BYTES_A_CHARACTER * most + 1)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        if len(data) <= _BYTES_A_CHARACTER * most:
            raise kind(f"{what} {_BINARY} (UTF-8).", next_step="Give plain text.") from None
        text = data.decode("utf-8-sig", errors="replace")
    if len(text) > most:
        raise kind(f"{what} has more than {most:,} characters, the limit.", next_step="Shorten it.")
    return text
