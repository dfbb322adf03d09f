"""`RunService`: everything that a user does with the runs of Processes, for every door."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from aeon.application.argument_types import require_argument, require_json, require_start
from aeon.application.run_follower import RunExplainer, RunFollower, SettledRun, model_calls_of
from aeon.application.run_moving import MovedRun, move_run
from aeon.application.run_reader import RunReader
from aeon.base.errors import AeonError
from aeon.base.json import Json, JsonObject
from aeon.base.next_steps import NextStep
from aeon.llm.usage import Usage, total_usage
from aeon.platform.errors import ConflictError
from aeon.platform.ledger import MutationRequest
from aeon.platform.processes.model import Process
from aeon.platform.runs.admission import NewRun
from aeon.platform.runs.machine.state import ENDED_PHASES
from aeon.platform.runs.machine.wait_reasons import WaitReason
from aeon.platform.runs.model import DETACHED, Priority, Run
from aeon.platform.runs.questions import PendingQuestion
from aeon.platform.workers.registry import SELF_RECOVERING_EXECUTOR

if TYPE_CHECKING:
    from aeon.bootstrap.process_runtime import ProcessRuntime

CANCEL_SECONDS = 30.0
"""Seconds that `cancel` waits for the run to end."""


class RunService(RunReader):
    """The runs of one user: start, follow, settle, answer, cancel, retry, resume.

    Threads may share it. The first call that needs the engine opens it. Every method raises StoreError,
    those that open the engine also ConfigError, MissingExtraError and EngineUnavailableError.
    """

    def __init__(self, runtime: "ProcessRuntime", user: str) -> None:
        """The caller closes `runtime`."""
        super().__init__(runtime.runs, user)
        self._runtime = runtime
        self._is_open = False

    def start(
        self,
        process: Process | str,
        inputs: JsonObject,
        *,
        key: str | None = None,
        deadline: float | None = None,
        tags: Mapping[str, str] | None = None,
        priority: Priority = "normal",
        accepted: Callable[[Run], None] = lambda _run: None,
    ) -> Run:
        """Start a run of a Process, given by its name or id.

        The same `key` again returns the same run. The run fails if it has not ended after `deadline` seconds. Lists
        filter by `tags`, and busy workers take jobs by `priority`. Calls `accepted` before anything is executed. The
        run of a paused Process waits, and is then executed by any worker. Raises NotFoundError, and RuleError for
        inputs or tags that do not fit or a disabled Process.
        """
        process = self._process(process)
        require_start(inputs, deadline, tags, priority)
        new = NewRun(inputs, timeout=deadline, tags=tags or {}, priority=priority)
        return self.start_new(process, new, key=key, accepted=accepted)

    def start_new(
        self,
        process: Process,
        new: NewRun,
        *,
        key: str | None = None,
        accepted: Callable[[Run], None] = lambda _run: None,
    ) -> Run:
        """Start a run as `start` does, on an executor of this process. An id that a run has is that of this one.

        The run of a paused Process waits until that is resumed.
        """
        request = MutationRequest(self._user, key)
        if process.paused:
            run = self._runtime.runs.accept(process, new._replace(executor=DETACHED), request)
            accepted(run)
            return self.get(run.id) if new.id else run
        runtime = self._opened()  # do not accept a run that could not be executed
        run = runtime.runs.accept(process, new._replace(executor=runtime.run_executor), request)
        if new.id:
            run = self.get(run.id)
        accepted(run)
        if run.executor == runtime.run_executor:
            runtime.engine.start(run.id)
        else:  # the key was used before: the run's executor may be dead
            runtime.orphan_recovery.adopt(run.id)
        return run

    def start_detached(
        self,
        process: Process | str,
        inputs: JsonObject,
        *,
        key: str | None = None,
        deadline: float | None = None,
        tags: Mapping[str, str] | None = None,
        priority: Priority = "normal",
    ) -> Run:
        """Accept a run that a worker executes, now or once there is one. Raises as `start` does."""
        process = self._process(process)
        require_start(inputs, deadline, tags, priority)
        new = NewRun(inputs, timeout=deadline, executor=DETACHED, tags=tags or {}, priority=priority)
        return self._runtime.runs.accept(process, new, MutationRequest(self._user, key))

    def _process(self, process: Process | str) -> Process:
        require_argument(process, (Process, str), "process", "a Process, or its name or id")
        return self._runtime.platform.processes.find(self._user, process) if isinstance(process, str) else process

    def pause(self, run: str) -> None:
        """Pause a run with all that it called: what runs goes on, and nothing more starts.

        Raises NotFoundError, and RuleError for a run that has ended.
        """
        self._runtime.runs.pause(self._user, run)
        if self._is_open:
            self._runtime.engine.wake(run)

    def resume(self, run: str) -> Run:
        """Adopt a run here if its executor is dead, and let it go on if it is paused; returns the root of its family.

        Raises NotFoundError. For a family that has ended, no engine is opened.
        """
        if self._runtime.runs.repository.get(self._user, run).run.phase == "paused":
            self._runtime.runs.unpause(self._user, run)
        return self.adopt(run)

    def adopt(self, run: str) -> Run:
        """Adopt a run here if its executor is dead, paused or not; returns the root of its family.

        Raises NotFoundError, and ConflictError for one that Temporal executes while the settings name another engine.
        For a family that has ended, no engine is opened.
        """
        repository = self._runtime.runs.repository
        root = repository.get(self._user, repository.get(self._user, run).run.root_id).run
        if root.phase in ENDED_PHASES:
            return root
        if root.executor == SELF_RECOVERING_EXECUTOR != self._runtime.run_executor:
            raise ConflictError(
                f"The run {root.id} is executed by Temporal, and the settings here name another engine.",
                next_step=NextStep("engine.address"),
            )
        self._opened().orphan_recovery.adopt(root.id)
        return root

    def retry(self, run: str, *, key: str | None = None, latest: bool = False) -> Run:
        """Retry a run that failed or was cancelled, as a new run that keeps the completed steps.

        It is a run of the same version, or with `latest` of the current one. The same `key` again returns the same run.
        Raises NotFoundError; RuleError for a run in another phase, and with every reason why it cannot go on in the
        current version.
        """
        runtime = self._opened()
        again = runtime.runs.retry(run, MutationRequest(self._user, key), is_latest=latest)
        current = again if key is None else runtime.runs.repository.get(self._user, again.id).run
        if current.executor in ("", runtime.run_executor):
            runtime.engine.start(again.id)
        else:  # the key was used before
            runtime.orphan_recovery.adopt(again.id)
        return again

    def move(self, run: str) -> MovedRun:
        """Move a run that waits to the current version of its Process, as a new run that keeps what is done.

        Raises NotFoundError; RuleError with every reason why it cannot be moved; ConflictError if its executor does not
        answer. Calling it again returns the same run.
        """
        return move_run(self._opened(), self._user, run)

    def move_problems(self, run: str) -> list[str]:
        """Why a run cannot be moved now, each as a clause; empty if it can. Raises NotFoundError."""
        view = self._runtime.runs.view(self._user, run)
        if view.state.phase in ENDED_PHASES:
            return [f"it has ended: it is {view.state.phase}"]
        return self._runtime.runs.moves.problems(view.planned, view.state)

    def answer(self, run: str, step: str, value: Json) -> PendingQuestion:
        """Answer the question of a manual step; returns what was asked.

        The run takes the answer wherever it is executed; `adopt` continues it here. Raises NotFoundError;
        RuleError for an answer that does not fit, a question that has timed out or a run that has ended; ConflictError
        if another answer came first.
        """
        require_json(value, "value")
        question = self._runtime.runs.answer(self._user, run, step, value)
        if self._is_open:
            self._runtime.engine.wake(question.run)
        return question

    def request_cancel(self, run: str) -> None:
        """Ask a run to stop, wherever it is executed. Raises NotFoundError, and RuleError for one that has ended."""
        self._runtime.runs.cancel(self._user, run)

    def cancel(self, run: str, *, wait: float = CANCEL_SECONDS) -> bool:
        """Cancel a run and all that it called; returns whether it has ended.

        It waits for the end `wait` seconds at most. Raises NotFoundError, and RuleError for a run that has ended.
        """
        self._runtime.runs.cancel(self._user, run)
        self.adopt(run)
        return self._opened().engine.wait(run, wait)

    def erase(self, runs: Sequence[str]) -> list[str]:
        """Erase all that is kept of runs of any user, with their retries and all that they called (platform 28).

        Returns those that have not ended, which stay.
        """
        return self._runtime.erase_runs(runs)

    def explain(self, run: str) -> list[WaitReason]:
        """Why a run does not continue: what blocks it as a whole, then a reason for each open step.

        Raises NotFoundError.
        """
        from aeon.platform.diagnosis import explain_run

        return explain_run(self._runtime.diagnosis, self._user, run)

    def find_outage(self) -> AeonError | None:
        """The error of an engine on a server of its own that does not answer; None for any other engine."""
        return self._runtime.find_outage()

    def usage(self, run: str) -> Usage:
        """The model calls of a run and of all that it called, so far. Raises NotFoundError."""
        repository = self._runtime.runs.repository
        family = repository.list_family(repository.get(self._user, run).run.root_id)
        called = [run]
        for each in called:
            called += [child.id for child in family if child.parent_id == each]
        entries = (entry for each in called for entry in repository.entries(each))
        return total_usage((call for entry in entries for call in model_calls_of(entry)), self._runtime.prices)

    def follow(
        self, run: str, *, from_now: bool = False, after: Mapping[str, int] | None = None, seconds: float | None = None
    ) -> RunFollower:
        """An iterator of what happens in a run and in all that it called. Raises NotFoundError.

        It begins with the first entry, with what is new `from_now` on, or `after` the `cursor` of an earlier follower.
        """
        follower = self._follower(run, seconds, self.explain)
        if from_now:
            follower.skip_past_entries()
        elif after:
            follower.skip(after)
        return follower

    def watch(self, run: str, tell: Callable[[], None]) -> AbstractContextManager[None]:
        """The time in which `tell` is called after new entries of a run, in another thread; also without any."""
        return self._runtime.news.follow(run, tell)

    def settle(self, run: str, seconds: float | None = None) -> SettledRun:
        """Wait until a run has ended, waits only for a person, or `seconds` have passed.

        Raises NotFoundError.
        """
        follower = self._follower(run, seconds, None)
        for _ in follower:
            pass
        return follower.result

    def _follower(self, run: str, seconds: float | None, explain: RunExplainer | None) -> RunFollower:
        runs = self._runtime.runs
        return RunFollower(
            runs,
            self._user,
            run,
            clock=self._runtime.clock,
            notifier=runs.notifier,
            explain=explain,
            seconds=seconds,
            prices=self._runtime.prices,
        )

    def _opened(self) -> "ProcessRuntime":
        """The runtime, its engine opened."""
        self._runtime.start()
        self._is_open = True
        return self._runtime
