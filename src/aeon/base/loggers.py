"""The loggers of Aeon, one for each room (`aeon.kernel`, `aeon.llm`, ...), and the run that a record belongs to.

Aeon as a library never configures logging: the logger `aeon` has a NullHandler, and the program decides what is shown.
"""

import logging
from collections.abc import Collection, Generator, MutableMapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeAlias

from aeon.base.masking import Mask

ROOT_LOGGER = "aeon"

logging.getLogger(ROOT_LOGGER).addHandler(logging.NullHandler())

MAX_LOGGED_TEXT = 300
"""Characters of an error's text in a record."""

_RUN_ID: ContextVar[str] = ContextVar("run_id", default="")

_Keywords: TypeAlias = MutableMapping[str, Any]


class RoomLogger(logging.LoggerAdapter[logging.Logger]):
    """A logger whose records carry `run_id`: the request, plan or run in whose scope they were made, else ""."""

    def process(self, msg: Any, kwargs: _Keywords) -> tuple[Any, _Keywords]:
        """Puts the run in front of the text and into the attributes; attributes given by the caller win."""
        extra = {"run_id": _RUN_ID.get(), **kwargs.get("extra", {})}
        run = extra["run_id"].replace("%", "_")  # the text is a format
        return f"[{run}] {msg}" if run else msg, {**kwargs, "extra": extra}


def room_logger(room: str) -> RoomLogger:
    """The logger `aeon.<room>`."""
    return RoomLogger(logging.getLogger(f"{ROOT_LOGGER}.{room}"))


@contextmanager
def logged_as(run_id: str) -> Generator[None]:
    """The scope of a run: the records made inside carry its id."""
    token = _RUN_ID.set(run_id)
    try:
        yield
    finally:
        _RUN_ID.reset(token)


def current_run_id() -> str:
    """The id of the run in whose scope this code is running, "" outside of one."""
    return _RUN_ID.get()


def safe_text(text: str, secrets: Collection[str] = ()) -> str:
    """The text in one printable line, without the secrets, at most `MAX_LOGGED_TEXT` characters."""
    line = " ".join(Mask(secrets).text(text).split())
    shown = line if len(line) <= MAX_LOGGED_TEXT else f"{line[:MAX_LOGGED_TEXT]}..."
    return shown if shown.isprintable() else "".join(map(_printable, shown))


def _printable(character: str) -> str:
    return character if character.isprintable() else ascii(character)[1:-1]
