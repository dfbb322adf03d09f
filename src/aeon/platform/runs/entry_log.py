"""Logs the stored entries of runs of Processes to `aeon.runs`, the same for every engine.

Texts of failures were masked before they were stored; inputs, answers and outputs are not logged.
"""

import logging
from collections.abc import Sequence
from typing import NamedTuple

from aeon.base.json import JsonObject
from aeon.base.loggers import room_logger, safe_text
from aeon.platform.runs.machine.events import (
    AttemptFailure,
    AttemptStarted,
    HistoryEvent,
    RunCancelled,
    RunCompleted,
    RunFailed,
    RunStarted,
    StepCompleted,
    StepFailed,
    StepRefused,
    StepTimedOut,
)
from aeon.platform.runs.model import RunEntry

_LOG = room_logger("runs")


class LogLine(NamedTuple):
    """The level and the text of a record."""

    level: int
    text: str


def log_entries(run: str, entries: Sequence[RunEntry]) -> None:
    """Logs entries that were just stored, each with the run's id as `run_id` and its step, if it is of one."""
    for entry in entries:
        line = line_of(entry.event)
        if _LOG.isEnabledFor(line.level):
            about = {"run_id": run, "step": getattr(entry.event, "step", None), **_measured(entry)}
            _LOG.log(line.level, "%s", line.text, extra=about)


def line_of(event: HistoryEvent) -> LogLine:  # noqa: PLR0911  # one for each kind of event
    """The level and the text of an event. An attempt that failed is a WARNING, because it may be tried again."""
    match event:
        case RunStarted():
            return LogLine(logging.INFO, "run started")
        case RunCompleted():
            return LogLine(logging.INFO, "run completed")
        case RunCancelled():
            return LogLine(logging.WARNING, "run cancelled")
        case RunFailed(error=failure):
            return LogLine(logging.ERROR, f"run failed ({failure.code}: {safe_text(failure.message)})")
        case AttemptStarted(step=step, attempt=attempt):
            return LogLine(logging.DEBUG, f"step {step} started, attempt {attempt}")
        case StepCompleted(step=step, tokens=tokens):
            return LogLine(logging.DEBUG, f"step {step} is complete{f', {tokens} tokens' if tokens else ''}")
        case StepFailed(step=step, attempt=attempt, error=error):
            return LogLine(logging.WARNING, f"step {step} failed in attempt {attempt} ({_described(error)})")
        case StepRefused(step=step, error=error):
            return LogLine(logging.WARNING, f"step {step} could not be started ({_described(error)})")
        case StepTimedOut(step=step):
            return LogLine(logging.WARNING, f"step {step} timed out")
        case _:
            return LogLine(logging.DEBUG, event.event.replace("_", " "))


def _described(error: AttemptFailure) -> str:
    return f"{error.code}: {safe_text(error.message)}"


def _measured(entry: RunEntry) -> dict[str, object]:
    """The duration in seconds and the tokens of an attempt, as far as they are known."""
    about: dict[str, object] = {}
    if isinstance(milliseconds := entry.about.get("milliseconds"), int | float):
        about["duration"] = milliseconds / 1000
    usage: JsonObject = entry.about.get("usage") or {}
    if usage:
        about |= {"prompt_tokens": usage.get("promptTokens"), "completion_tokens": usage.get("completionTokens")}
    return about
