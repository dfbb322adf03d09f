"""`BackgroundRequests`: requests of the kernel that go on in threads while others look at them."""

from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Final, Literal, TypeAlias, cast

from aeon.application.history import HistoryEntry, HistoryService, state_of_log
from aeon.application.log_files import list_log_files
from aeon.application.pages import Page
from aeon.application.prepared_runs import read_interrupted_run
from aeon.application.requests import KernelRunOptions, RequestResult, RequestService, failure_of
from aeon.base.errors import AeonError, InputError, LogError
from aeon.base.json import Json, JsonObject
from aeon.bootstrap.app import App
from aeon.bootstrap.kernel_requests import new_log_path
from aeon.kernel.marks import is_trusted
from aeon.kernel.state import restore_state
from aeon.observability.events import Event as RunEvent
from aeon.observability.log import read_log
from aeon.tools.interface import Tool

RequestState: TypeAlias = Literal["waiting", "running", "completed", "unfinished", "failed", "cancelled"]

_KEPT: Final = 100
"""The most requests of this process of which events are kept; logs are kept of all."""


class BackgroundRequest:
    """A request that runs, or has run, in this process. `id` is the name of its log, `events` are what happened."""

    def __init__(self, path: Path, run: Callable[[KernelRunOptions], RequestResult], turn: Lock) -> None:
        """`turn` is held while it runs: one after the other, as an embedded model answers one at a time."""
        self.id = path.stem
        self.events: list[JsonObject] = []
        self.error: JsonObject | None = None
        self.state: RequestState = "waiting"
        self._path = path
        self._run = run
        self._turn = turn
        self._is_cancelled = Event()
        self._thread = Thread(target=self._work, name=f"request {self.id}", daemon=True)

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return not self._thread.is_alive()

    def start(self, tools: Sequence[Tool], is_stopping: Callable[[], bool]) -> None:
        """Begin; it stops before its next step once `is_stopping`, and can be resumed then."""
        self._options = KernelRunOptions(
            observer=self._observe,
            tools=tools,
            log=self._path,
            cancellation=lambda: self._is_cancelled.is_set() or is_stopping(),
        )
        self._thread.start()

    def cancel(self) -> None:
        """Stop before the next step."""
        self._is_cancelled.set()

    def wait(self, seconds: float) -> None:
        """Wait until it has ended, `seconds` at most."""
        self._thread.join(seconds)

    def _observe(self, event: RunEvent) -> None:
        self.events.append(event.as_dict())

    def _work(self) -> None:
        with self._turn:
            if self._is_cancelled.is_set():
                self.state = "cancelled"
                return
            self.state, ended = "running", "failed"
            try:
                result = self._run(self._options)
                self.error = result.error
                ended = result.status if result.status != "ttl_expired" else "unfinished"
                if ended == "unfinished" and self._is_cancelled.is_set():
                    ended = "cancelled"
            except AeonError as error:
                self.error = error.as_dict()
            finally:
                self.state = ended


class BackgroundRequests:
    """The requests of one project: those that run in this process, and the logs of all. Threads may share it."""

    def __init__(self, app: App) -> None:
        """The caller closes `app`."""
        self._app = app
        self._service = RequestService(app)
        self._turn = Lock()
        self._opening = Lock()
        self._begun: dict[str, BackgroundRequest] = {}

    def new_id(self) -> str:
        """Return an id for a request that is about to start."""
        return new_log_path(self._app.log_folder).stem

    def start(
        self, id_: str, request: str, tools: Sequence[Tool], is_stopping: Callable[[], bool]
    ) -> BackgroundRequest:
        """Plan and run a request in a thread, under an id of `new_id`; what goes wrong there is its `error`."""
        path = self._app.log_folder / f"{id_}.jsonl"
        return self._begin(path, lambda options: self._service.ask(request, options), tools, is_stopping)

    def resume(self, id_: str, tools: Sequence[Tool], is_stopping: Callable[[], bool]) -> BackgroundRequest | None:
        """Resume the run of a log; None if the log does not exist. Raises LogError, and InputError if it has ended."""
        path = self._log_of(id_)
        if path is None:
            return None
        running = self.find(id_)
        if running is not None and not running.is_over:
            raise InputError(f"The request {id_} is running.", next_step="Look at it.")
        read_interrupted_run(path)
        return self._begin(path, lambda options: self._service.resume(path, options), tools, is_stopping)

    def find(self, id_: str) -> BackgroundRequest | None:
        """A request of this process; None for one that is not known here any more."""
        return self._begun.get(id_)

    def list(self, *, after: str | None = None, limit: int = 50) -> Page[HistoryEntry]:
        """A page of all requests, newest first. Raises RuleError for an invalid cursor."""
        return HistoryService(self._app.log_folder, None).list(kinds=("request",), after=after, limit=limit)

    def as_listed(self, entry: HistoryEntry) -> JsonObject:
        """A listed request as JSON data, with its state in this process, else as its log tells."""
        begun = self.find(entry.id)
        state = entry.state if begun is None else begun.state
        return {"id": entry.id, "state": state, "at": entry.at, "request": entry.title}

    def describe(self, id_: str) -> JsonObject | None:
        """A request with its plan, results, marks and trust, as far as its log has them; None if there is none."""
        begun, path = self.find(id_), self._log_of(id_)
        if begun is None and path is None:
            return None
        return {
            "id": id_,
            "state": begun.state if begun is not None else state_of_log(cast(Path, path)),
            **_outcome(path),
            **({} if begun is None or begun.error is None else {"error": begun.error}),
        }

    def _begin(
        self,
        path: Path,
        run: Callable[[KernelRunOptions], RequestResult],
        tools: Sequence[Tool],
        is_stopping: Callable[[], bool],
    ) -> BackgroundRequest:
        made = BackgroundRequest(path, run, self._turn)
        with self._opening:
            self._begun.pop(made.id, None)
            over = [each.id for each in self._begun.values() if each.is_over]
            for id_ in over[: max(0, len(self._begun) + 1 - _KEPT)]:
                del self._begun[id_]
            made.start(tools, is_stopping)
            self._begun[made.id] = made
        return made

    def _log_of(self, id_: str) -> Path | None:
        """The log with a name; the name is compared, and never used as a path."""
        logs = list_log_files(self._app.log_folder)
        return next((each.path for each in logs if each.kind == "request" and each.id == id_), None)


def _outcome(path: Path | None) -> JsonObject:
    """What a log tells of its request; nothing before there is a plan."""
    nothing: JsonObject = {
        "request": None,
        "plan": None,
        "answer": None,
        "results": {},
        "marks": {},
        "trusted": None,
        "error": None,
    }
    if path is None:
        return nothing
    try:
        history = read_log(path)
        state = restore_state(history)
    except LogError:
        return nothing
    failure = failure_of(state)
    marks: dict[str, Json] = {step: list[Json](listed) for step, listed in state.marks.items()}
    return {
        "request": state.request,
        "plan": state.plan.as_dict(),
        "answer": state.answer(),
        "results": state.results,
        "marks": marks,
        "trusted": failure is None and is_trusted(state.marks),
        "error": failure,
    }
