"""Shows Aeon's standard logging on stderr: `aeon --log-level LEVEL`, or the variable AEON_LOG."""

import logging
import sys
from typing import Literal, TypeAlias

from aeon.base.loggers import ROOT_LOGGER
from aeon.cli.text import printable

LogLevel: TypeAlias = Literal["debug", "info", "warning", "error"]

_FORMAT = "%(asctime)s %(levelname)s %(name)s %(message)s"
_SHOWN_ANYWAY = frozenset(f"{ROOT_LOGGER}.{room}" for room in ("engine", "workers", "telemetry", "observability"))
"""Loggers whose warnings the commands show in no other way."""


def show_log(level: LogLevel | None) -> None:
    """Show records from `level` on; None shows the warnings that the commands do not report themselves."""
    logger = logging.getLogger(ROOT_LOGGER)
    for handler in [each for each in logger.handlers if isinstance(each, _StderrHandler)]:
        logger.removeHandler(handler)
    handler = _StderrHandler(logging.WARNING if level is None else level.upper())
    if level is None:
        handler.addFilter(lambda record: record.name in _SHOWN_ANYWAY)
        logger.setLevel(logging.NOTSET)
    else:
        handler.setFormatter(logging.Formatter(_FORMAT))
        logger.setLevel(level.upper())
    logger.addHandler(handler)


class _StderrHandler(logging.Handler):
    """Writes to the stderr of the moment."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            sys.stderr.write(printable(self.format(record)) + "\n")
        except (OSError, ValueError):
            self.handleError(record)
