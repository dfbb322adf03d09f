"""Errors as `--json` tells them: with a code, the time, and an id of this command (platform 2)."""

import secrets
from functools import cache

from aeon.base.clock import SystemClock
from aeon.base.errors import AeonError, report_of
from aeon.base.json import JsonObject


@cache
def correlation_id() -> str:
    """The id of this command; the file that keeps the trace of a defect has it too."""
    return secrets.token_hex(16)


def reported(error: AeonError | JsonObject) -> JsonObject:
    """An error, or the record that a run kept of one."""
    if isinstance(error, AeonError):
        return error.report(correlation_id(), SystemClock().now())
    return report_of(error, correlation_id(), SystemClock().now())
