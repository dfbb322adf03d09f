"""Errors as `--json` reports them: with a code, the time, and an id of this command (platform 2)."""

import secrets
from functools import cache

from aeon.base.clock import SystemClock
from aeon.base.errors import AeonError, error_report
from aeon.base.json import JsonObject
from aeon.cli.next_steps import COMMANDS


@cache
def correlation_id() -> str:
    """The id of this command; the file with the trace of a defect has the same id."""
    return secrets.token_hex(16)


def as_error_report(error: AeonError | JsonObject) -> JsonObject:
    """The report of an error, or of the record that a run kept of an error."""
    if isinstance(error, AeonError):
        return error.report(correlation_id(), SystemClock().now(), COMMANDS)
    return error_report(error, correlation_id(), SystemClock().now())
