"""DBOS Transact in this process: opened for what is registered with it, and closed so that nothing is lost by it."""

import logging
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from threading import Lock
from typing import Any, Final, cast

from dbos import DBOS, DBOSConfig, Serializer

from aeon.adapters.engines.dbos.database import Database, as_unavailable_errors
from aeon.base.errors import ConfigError
from aeon.base.json import Json, canonical_json, parse_strict
from aeon.platform.runs.claim_check import ResultStore, check_in, check_out
from aeon.platform.runs.ports import EngineUnavailableError


class JsonSerializer(Serializer):
    """JSON in one form. What is no JSON is refused, so that a row of the database can never carry code."""

    def __init__(self, results: ResultStore) -> None:
        self._results = results

    def serialize(self, data: Any) -> str:  # DBOS's own signature
        return check_in(self._results, canonical_json(_plain(data)))

    def deserialize(self, serialized_data: str) -> Any:  # DBOS's own signature
        return parse_strict(check_out(self._results, serialized_data))

    def name(self) -> str:
        return "aeon_json"


def _plain(data: Any) -> Json:  # whatever DBOS hands over
    """Arguments come as tuples, errors as they were raised."""
    if isinstance(data, dict):
        return {str(key): _plain(value) for key, value in cast(dict[object, Any], data).items()}
    if isinstance(data, tuple | list):
        return [_plain(value) for value in cast(list[Any], data)]
    if isinstance(data, BaseException):
        return {"error": type(data).__name__, "message": str(data)}
    return data


VERSION = "aeon-1"
"""Of all that runs, for ever: DBOS goes on only with what the same version began."""

_IDLE_INTERVAL = 3600.0
"""Seconds between two looks at what is not used."""

_LISTENER_INTERVAL = 0.2
"""Seconds that whoever closes DBOS waits for its listener, which asks the database nothing while nobody listens."""


_PROCESS = Lock()


class DbosInstance:
    """There is one in a process at a time. Workflows are registered after it is made, and before `launch`."""

    def __init__(self, address: str, results: ResultStore, executor: str, *, is_durable: bool = True) -> None:
        """Open the database at `address` (`sqlite:///FILE` or a Postgres URL), made if need be.

        Raises ConfigError while another instance is open in this process.
        """
        with ExitStack() as reservation:  # given back if anything below fails
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
        """Begin, and listen to those of the queues that are registered in the database.

        Raises EngineUnavailableError.
        """
        with self.closing_on_failure():
            DBOS.listen_queues(queues)
            DBOS.launch()

    @contextmanager
    def closing_on_failure(self) -> Generator[None]:
        """Closed again where the database takes nothing for now: EngineUnavailableError."""
        try:
            with as_unavailable_errors():
                yield
        except EngineUnavailableError:
            self.close()
            raise

    def mark_closed(self) -> None:
        """From now on it counts as closed; what is still written is written."""
        self._is_open = False

    def close(self) -> None:
        """Stop where everything stands: the database first, so that nothing is written down as failed."""
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
    """Nothing of ours ever is in DBOS's own queue, and each look at it costs some 20 ms.

    This, and what `gates.py`, `lost.py` and `standing.py` name, is all that is touched of DBOS beside its public face;
    the test of an idle engine would notice its loss.
    """
    queue = instance._registry.get_internal_queue()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # see above
    queue._polling_interval_sec = _IDLE_INTERVAL  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # see above


def _remove_log_handlers() -> None:
    """DBOS writes to the stderr of whoever opened it first, which may be gone: what goes wrong, the run tells."""
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
        "use_listen_notify": False,
        "scheduler_polling_interval_sec": _IDLE_INTERVAL,  # neither its schedules nor its messages are used
        "notification_listener_polling_interval_sec": _LISTENER_INTERVAL,
    }


RUN: Final = "aeon.run"
JOB: Final = "aeon.job"
BEGUN: Final = "aeon.begun"


def queue_name(worker: str) -> str:
    """The queue on which jobs for that type of worker are offered."""
    return f"aeon-jobs-{worker}"
