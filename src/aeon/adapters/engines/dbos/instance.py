"""DBOS Transact in this process, closed without losing work."""

import logging
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from threading import Lock
from typing import Any, Final, cast

from dbos import DBOS, DBOSConfig, Serializer

from aeon.adapters.engines.dbos.database import Database, as_unavailable_errors
from aeon.base.errors import ConfigError
from aeon.base.json import Json, canonical_json, parse_strict
from aeon.base.long_calls import SHORT_CALLS
from aeon.platform.runs.claim_check import ResultStore, check_in, check_out
from aeon.platform.runs.ports import EngineUnavailableError


class JsonSerializer(Serializer):
    """Canonical JSON. Other values are refused, so that a database row can never contain code."""

    def __init__(self, results: ResultStore) -> None:
        self._results = results

    def serialize(self, data: Any) -> str:  # DBOS's own signature
        return check_in(self._results, canonical_json(_plain(data)))

    def deserialize(self, serialized_data: str) -> Any:  # DBOS's own signature
        return parse_strict(check_out(self._results, serialized_data))

    def name(self) -> str:
        return "aeon_json"


def _plain(data: Any) -> Json:  # any value of DBOS
    """Convert a value to JSON: tuples to lists, errors to objects."""
    if isinstance(data, dict):
        return {str(key): _plain(value) for key, value in cast(dict[object, Any], data).items()}
    if isinstance(data, tuple | list):
        return [_plain(value) for value in cast(list[Any], data)]
    if isinstance(data, BaseException):
        return {"error": type(data).__name__, "message": str(data)}
    return data


VERSION = "aeon-1"
"""The version of all workflows, which must never change.

DBOS resumes only workflows of the same version.
"""

_IDLE_INTERVAL = 3600.0
"""Seconds between two polls of unused features."""

_LISTENER_INTERVAL = 0.2
"""Seconds that `close` waits for DBOS's listener, which is idle without listeners."""


_PROCESS = Lock()


class DbosInstance:
    """One DBOS per process at a time. Register workflows after creating it, and before `launch`."""

    def __init__(self, address: str, results: ResultStore, executor: str, *, is_durable: bool = True) -> None:
        """Open or create the database at `address` (`sqlite:///FILE` or a Postgres URL).

        Raises ConfigError while another instance is open in this process.
        """
        with ExitStack() as reservation:  # released if anything below fails
            reservation.enter_context(_reserve_process())
            _remove_log_handlers()
            self._is_open = True
            self.database = Database(address, is_durable=is_durable)
            self.dbos = DBOS(config=_config(address, self.database, results, executor))
            _slow_internal_queue(self.dbos)
            self._reservation = reservation.pop_all()

    @property
    def is_open(self) -> bool:
        return self._is_open

    def launch(self, queues: Sequence[str] = ()) -> None:
        """Start DBOS, and listen to those of the queues that are registered in the database.

        Raises EngineUnavailableError.
        """
        with self.closing_on_failure():
            DBOS.listen_queues(queues)
            DBOS.launch()

    @contextmanager
    def closing_on_failure(self) -> Generator[None]:
        """Close the instance if the database is unavailable: EngineUnavailableError."""
        try:
            with as_unavailable_errors():
                yield
        except EngineUnavailableError:
            self.close()
            raise

    def mark_closed(self) -> None:
        """Mark the instance as closed; pending writes still happen."""
        self._is_open = False

    def close(self) -> None:
        """Stop at once: the database first, so that no workflow is recorded as failed."""
        self._is_open = False
        with self._reservation:
            self.database.close()
            DBOS.destroy(destroy_registry=True)
            self.database.dispose()


@contextmanager
def _reserve_process() -> Generator[None]:
    """Reserve this process for one instance: DBOS keeps only one. Raises ConfigError."""
    if not _PROCESS.acquire(blocking=False):
        raise ConfigError(
            "This process already executes runs of another project on DBOS, which takes one project in a process.",
            next_step='Close the other project first, use a process for each, or set engine.address to "memory".',
        )
    try:
        yield
    finally:
        _PROCESS.release()


def _slow_internal_queue(instance: DBOS) -> None:
    """Slow down the polling of DBOS's own queue, which Aeon never uses.

    Each poll costs some 20 ms. This function, `queues.py` and `journal.py` are the only code that uses private parts
    of DBOS; the test of an idle engine would notice if they changed.
    """
    queue = instance._registry.get_internal_queue()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # see above
    queue._polling_interval_sec = _IDLE_INTERVAL  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # see above


def _remove_log_handlers() -> None:
    """Remove DBOS's log handlers, whose stderr may be closed; runs report errors themselves."""
    logger = logging.getLogger("dbos")
    for handler in list(logger.handlers):
        logger.removeHandler(handler)


def _config(address: str, database: Database, results: ResultStore, executor: str) -> DBOSConfig:
    return {
        "name": "aeon",
        "system_database_url": address,
        "system_database_engine": database.engine,
        "serializer": JsonSerializer(results),
        "application_version": VERSION,
        "executor_id": executor,
        "log_level": "CRITICAL",
        "max_executor_threads": SHORT_CALLS,
        "use_listen_notify": False,
        "scheduler_polling_interval_sec": _IDLE_INTERVAL,  # Aeon uses neither its schedules nor its messages
        "notification_listener_polling_interval_sec": _LISTENER_INTERVAL,
    }


RUN: Final = "aeon.run"
JOB: Final = "aeon.job"
BEGUN: Final = "aeon.begun"


def queue_name(worker: str) -> str:
    """Return the name of the queue for jobs of that worker type."""
    return f"aeon-jobs-{worker}"
