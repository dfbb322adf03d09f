"""Outputs a result: the trace to a file, the answer to stdout, the rest to stderr."""

import errno
import os
import secrets
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from aeon.application.skills import FAILED_STATES, answer_text
from aeon.base.errors import LogError
from aeon.base.json import JsonObject, canonical_json
from aeon.base.next_steps import words_of
from aeon.base.project_folder import make_folder
from aeon.bootstrap.app import App
from aeon.cli.console import discard_unwritten, print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.next_steps import COMMANDS
from aeon.cli.text import indented_json, printable
from aeon.skills.plan_json import ExecutionResult, ExecutionState

_MAX_NAMED = 10
"""Maximum number of nodes named in a message."""


class TraceFile:
    """The file for a result with its trace, written atomically.

    It is opened before anything runs. Links are followed; a pipe or a device is written to directly. Raises LogError
    if the path cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._replaced = _regular(path)
            self._written = _temporary_path(self._replaced) if self._replaced else path
            self._file = self._written.open("x" if self._replaced else "w", encoding="ascii")
        except OSError as error:
            raise _unwritable(path, error.strerror or str(error)) from None

    def write(self, result: ExecutionResult) -> str | None:
        """Writes the result. Returns why it could not be written, or None."""
        try:
            with self._file as file:
                file.write(canonical_json(result.as_dict()) + "\n")
            if self._replaced:
                self._written.replace(self._replaced)
        except OSError as error:
            return error.strerror or str(error)
        return None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):  # a failed write was reported before
            self._file.close()
        if self._replaced:
            self._written.unlink(missing_ok=True)


def _regular(path: Path) -> Path | None:
    """Returns the resolved path of a regular or missing file, and makes its folder.

    Returns None for a pipe or a device.
    """
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if path.exists() and not path.is_file():
        return None
    make_folder(path.parent)
    return Path(os.path.realpath(path))


def _temporary_path(path: Path) -> Path:
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}")


def new_trace_path(app: App) -> Path:
    """Returns a new trace path in the folder of the run logs."""
    folder = Path(app.settings.run.log_dir).expanduser()
    return folder / f"skills-{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(3)}.json"


def report_result(result: ExecutionResult, trace: TraceFile, *, as_json: bool) -> ExitCode:
    """Stores the trace and prints the result: data to stdout, all else to stderr.

    Returns the exit code.
    """
    fault = trace.write(result)
    is_printed = _print_answer(result, as_json=as_json)
    for name, path in _assets(result):
        print_message(f"{name}: {path}")
    _report_unfinished(result)
    for warning in result.warnings:
        print_message(warning, "warning: ", "  ")
    if result.usage is not None and result.usage.calls:
        print_message(f"used: {printable(str(result.usage))}")
    _report_trace(trace, fault)
    return ExitCode.DONE if result.success and is_printed and fault is None else ExitCode.FAILED


def keep_trace(result: ExecutionResult, trace: TraceFile) -> None:
    """Stores the trace and prints only its path."""
    _report_trace(trace, trace.write(result))


def _report_trace(trace: TraceFile, fault: str | None) -> None:
    if fault is None:
        print_message(f"trace: {trace.path}")
    else:
        print_message(f"The trace could not be written to {trace.path}: {fault}.", "error: ", "  ")


def _print_answer(result: ExecutionResult, *, as_json: bool) -> bool:
    """Prints the answer. Returns whether stdout accepted it."""
    answer = indented_json(_as_json(result)) if as_json else printable(answer_text(result))
    try:
        if answer:
            print_data(answer)
    except OSError as error:
        discard_unwritten(sys.stdout)
        print_message(f"The answer could not be written to stdout: {error.strerror}.", "error: ", "  ")
        return False
    return True


def _as_json(result: ExecutionResult) -> JsonObject:
    usage: JsonObject = {} if result.usage is None else {"usage": result.usage.as_dict()}
    return {**result.as_dict(), **usage}


def _assets(result: ExecutionResult) -> list[tuple[str, str]]:
    """Returns the name and path of every asset of successful nodes."""
    events = [event for node in result.execution_trace if node.ok for event in node.events]
    return [(str(event["assetId"]), str(event["path"])) for event in events if event.get("type") == "asset"]


def _report_unfinished(result: ExecutionResult) -> None:
    """Prints which scripts failed and which did not run, and what to do about it.

    The reasons were printed during the run.
    """
    for states, label in ((FAILED_STATES, "failed"), ((ExecutionState.SKIPPED,), "not run")):
        names = [node.tool_id for node in result.execution_trace if node.state in states]
        if names:
            more = f" and {len(names) - _MAX_NAMED:,} more" if len(names) > _MAX_NAMED else ""
            print_message(f"{label}: {', '.join(names[:_MAX_NAMED])}{more}")
    errors = [node.error for node in result.execution_trace if node.error and node.error.next_step]
    for step in list(dict.fromkeys(words_of(error.next_step, COMMANDS) for error in errors))[:_MAX_NAMED]:
        print_message(step, "next: ")


def _unwritable(path: Path, reason: str) -> LogError:
    return LogError(
        f"The trace {path} cannot be written: {reason}.",
        next_step="Choose another path with --trace, or another folder for all runs with AEON_RUN_LOG_DIR.",
    )
