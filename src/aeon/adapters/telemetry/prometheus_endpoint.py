"""The metrics of one worker process for Prometheus, by its own client library, on an address of its own."""

from collections.abc import Callable, Iterable
from threading import Thread
from typing import TYPE_CHECKING, Final, NamedTuple
from wsgiref.simple_server import WSGIServer

from aeon.base.errors import ConfigError, MissingExtraError
from aeon.platform.runs.metrics import MeasuredRun

if TYPE_CHECKING:
    from prometheus_client.metrics_core import Metric

_RUN_SECONDS: Final = (0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600, 14_400, 86_400)
_CALL_SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)
"""Upper bounds of the histograms, in seconds."""


class OpenRuns(NamedTuple):
    """Open runs of all users in one phase: their number, and the age of the oldest one in seconds."""

    phase: str
    number: int
    oldest: float


class WorkerLoad(NamedTuple):
    """What waits, at one moment: open runs by phase, and jobs by type here.

    `backlog_seconds` is how long the oldest queued job of each type has waited for a worker; of `process`, how old the
    oldest run is that no live process executes.
    """

    open_runs: list[OpenRuns]
    backlog_seconds: dict[str, float]
    waiting_jobs: dict[str, int]


class MetricsEndpoint:
    """Counts the runs and calls that this process records, and answers Prometheus at an address.

    What it tells names Processes, tools and phases, and never what they worked on.
    """

    def __init__(self, load: Callable[[], WorkerLoad]) -> None:
        """`load` is asked at each visit; what it raises leaves its gauges out. Raises MissingExtraError."""
        try:
            from prometheus_client import CollectorRegistry, Counter, Histogram
        except ImportError as missing:
            raise MissingExtraError(
                "Metrics of a worker need prometheus-client.", next_step="Install aeon-orchestrator[platform]."
            ) from missing
        self._registry = CollectorRegistry()
        runs, calls = ("process", "phase"), ("tool", "code")
        registry = self._registry
        about_runs, about_calls = "Seconds from a run's acceptance to its end.", "Seconds of a call of a tool."
        self._runs = Histogram("aeon_run_seconds", about_runs, runs, buckets=_RUN_SECONDS, registry=registry)
        self._calls = Histogram("aeon_call_seconds", about_calls, calls, buckets=_CALL_SECONDS, registry=registry)
        self._failed_calls = Counter("aeon_calls_failed", "Calls of tools that failed.", calls, registry=registry)
        self._tokens = Counter("aeon_tokens", "Tokens of models.", ("tool", "kind"), registry=registry)
        registry.register(_LoadCollector(load))
        self._server: WSGIServer | None = None
        self._thread: Thread | None = None

    def observe(self, measured: MeasuredRun) -> None:
        """Count a run that has ended, and its calls."""
        run, plan = measured.run, measured.plan
        names = {call.id: call.name for call in plan.calls.values()}
        if plan.loop is None:
            self._runs.labels(run.process_name, run.phase).observe(run.seconds or 0.0)
        for call in measured.calls:
            labels = (names.get(call.tool, call.tool), call.code or "")
            self._calls.labels(*labels).observe((call.milliseconds or 0) / 1000)
            if call.code is not None:
                self._failed_calls.labels(*labels).inc()
            for kind, number in (("prompt", call.prompt_tokens), ("completion", call.completion_tokens)):
                if number:
                    self._tokens.labels(labels[0], kind).inc(number)

    def open(self, address: str) -> str:
        """Listen at `HOST:PORT` in a thread of its own; return where. Raises ConfigError."""
        from prometheus_client import start_http_server

        host, colon, port = address.rpartition(":")
        if not colon or not host or not port.isdecimal() or int(port) > 65_535:  # noqa: PLR2004  # the largest port
            raise ConfigError(f"{address!r} is not an address.", next_step="Write HOST:PORT, such as 127.0.0.1:9464.")
        try:
            self._server, self._thread = start_http_server(int(port), host.strip("[]"), self._registry)
        except OSError as error:
            raise ConfigError(
                f"The metrics cannot be served at {address}: {error.strerror or error}.",
                next_step="Choose another port.",
            ) from None
        return f"http://{host}:{self._server.server_port}/metrics"

    def close(self) -> None:
        """Stop listening; calling it again does nothing."""
        if self._server is not None and self._thread is not None:
            self._server.shutdown()
            self._server.server_close()
            self._thread.join()
            self._server = None


class _LoadCollector:
    """Makes the gauges of what waits, at each visit."""

    def __init__(self, load: Callable[[], WorkerLoad]) -> None:
        self._load = load

    def collect(self) -> "Iterable[Metric]":
        from prometheus_client.core import GaugeMetricFamily

        from aeon.platform.store import StoreError

        try:
            load = self._load()
        except StoreError:  # the record is unavailable: the counters are still exported
            return
        number = GaugeMetricFamily("aeon_open_runs", "Runs that have not ended.", labels=["phase"])
        oldest = GaugeMetricFamily("aeon_open_runs_oldest_seconds", "Age of the oldest of them.", labels=["phase"])
        for each in load.open_runs:
            number.add_metric([each.phase], each.number)
            oldest.add_metric([each.phase], each.oldest)
        yield number
        yield oldest
        text = "Age of the oldest job that waits for a worker of the type, or run (process): start workers if it grows."
        backlog = GaugeMetricFamily("aeon_backlog_seconds", text, labels=["type"])
        for kind, seconds in sorted(load.backlog_seconds.items()):
            backlog.add_metric([kind], seconds)
        yield backlog
        waiting = GaugeMetricFamily("aeon_waiting_jobs", "Jobs that wait in this process for a place.", labels=["type"])
        for kind, count in sorted(load.waiting_jobs.items()):
            waiting.add_metric([kind], count)
        yield waiting

    def describe(self) -> "Iterable[Metric]":
        """Nothing: the registry would ask for the load at once."""
        return []
