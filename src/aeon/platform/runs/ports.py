"""The ports between runs and engines: Engine, RunRepository and WorkerPool."""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import Protocol

from aeon.base.errors import AeonError
from aeon.platform.runs.lease import ConfirmOwnership, always_owned
from aeon.platform.runs.machine.commands import StartRun
from aeon.platform.runs.machine.events import HistoryEvent
from aeon.platform.runs.machine.state import RunPhase, RunState
from aeon.platform.runs.model import Job, JobResult, Run, RunEntry, RunSignal, RunSnapshot


class EngineUnavailableError(AeonError):
    """The engine cannot store anything for now. Stored state stays, and runs continue from there."""

    is_retryable = True


class Engine(Protocol):
    """Executes accepted runs. Thread-safe.

    Processes that share an engine's store execute each other's runs. A completed step never runs again. A step that
    was running when everything stopped runs again, with the same job id, unless its effect is `once`. The state of a
    run is in its entries, never in the engine alone. Methods that store something raise EngineUnavailableError while
    that is impossible.
    """

    @property
    def name(self) -> str:
        """The engine, and where it stores its state."""
        ...

    @property
    def executor(self) -> str:
        """The id of this process's executor; a new one after each start."""
        ...

    def start(self, run: str) -> None:
        """Start an accepted run, here or elsewhere. Starting it again does not execute it twice."""
        ...

    def wake(self, run: str) -> None:
        """Make the run check its signals at once, if it is executed here."""
        ...

    def wait(self, run: str, seconds: float | None = None) -> bool:
        """Wait for the run to end, for at most `seconds`; return whether it has ended."""
        ...

    def adopt(self, runs: Sequence[str]) -> list[str]:
        """Resume runs whose executor is dead; the caller must have verified that. Return the ids of those.

        An engine that recovers the work of dead processes by itself gets all its runs: it resumes and returns those
        that it does not execute.
        """
        ...

    def check(self) -> None:
        """Raise EngineUnavailableError if the engine's store does not answer; return at once if it does."""
        ...

    def forget(self, runs: Sequence[str]) -> None:
        """Delete the engine's state of runs that have ended."""
        ...

    def erase(self, runs: Sequence[str], others: Sequence[str]) -> None:
        """Delete the engine's state of runs that have ended, so that nothing of it can be read from its files.

        Large results that they share with `others`, which are the open runs, stay with these. Temporal's own database
        keeps what its server has not removed yet (decision 58).
        """
        ...

    def queued_since(self, types: Sequence[str]) -> dict[str, float]:
        """Return when the oldest job was queued that waits for another process, by type, in seconds since 1970.

        Types without such a job are left out, and all types by an engine that does not know it.
        """
        ...

    def drain(self, seconds: float) -> int:
        """Start no attempt from now on, and wait for those that are executed here, for at most `seconds`.

        Return how many have not ended. `close` then leaves the runs to other processes.
        """
        ...

    def close(self) -> None:
        """Stop executing; calling it again does nothing.

        Unfinished runs continue elsewhere, or at the next start.
        """
        ...


class RunRepository(Protocol):
    """Stores runs. Every method may block, and raises StoreError while the store does not answer."""

    def claim(self, run: str, executor: str, confirm: ConfirmOwnership = always_owned) -> RunSnapshot | None:
        """Assign a run to `executor` and load it; None if it has ended.

        `confirm` checks that the engine still assigns the run to this executor. Raises what `confirm` raises, and
        ConflictError if the run was assigned to another executor in the meantime.
        """
        ...

    def append(self, run: str, executor: str, entries: Sequence[RunEntry], state: RunState) -> None:
        """Append entries to a run, all or none; skip those that are already stored.

        Raises ConflictError if another executor owns the run now.
        """
        ...

    def reassign(self, run: str, executor: str, to: str) -> bool:
        """Assign a run to another executor, empty for none.

        Returns False if `executor` does not own the run, or if the run has ended.
        """
        ...

    def accept_child(self, parent: Run, command: StartRun) -> str:
        """Accept the run that a step starts; return its id. Calling it again returns the same run."""
        ...

    def cancel_child(self, caller: Run, run: str) -> None:
        """Cancel a child run on behalf of its parent's owner; does nothing once it has ended."""
        ...

    def find_child_result(self, run: str, command: StartRun) -> JobResult | None:
        """Return the result of a child run as an event of the calling step; None until it has ended."""
        ...

    def get_phase(self, run: str) -> RunPhase:
        """Return the phase of a run."""
        ...

    def get_language(self, run: str) -> int:
        """Return the version of the language of Processes that the executor of a run must know."""
        ...

    def is_owned_by(self, run: str, executor: str) -> bool:
        """Return whether that executor owns the run."""
        ...

    def list_signals(self, runs: Sequence[str]) -> list[RunSignal]:
        """Return all signals of these runs, oldest first."""
        ...

    def close_question(self, timeout: RunSignal) -> HistoryEvent:
        """Store that a question has timed out, unless it was answered; return the event that counts.

        `timeout` has the question's id, as its answer has: the first of both is stored. Calling it again returns the
        same event.
        """
        ...


class EntryWatch(AbstractContextManager["EntryWatch"], Protocol):
    """A follower's wait for new entries of the runs that it wants; leaving the context ends it."""

    def wait(self, seconds: float) -> None:
        """Return once a wanted run has a new entry since the last call, or after `seconds`."""
        ...


class EntryNotifier(Protocol):
    """Tells followers of runs that entries were stored. Thread-safe.

    It may miss entries, such as those of other processes: a follower also reads from time to time.
    """

    def notify(self, run: str) -> None:
        """Say that entries of a run were stored."""
        ...

    def watch(self, is_wanted: Callable[[str], bool]) -> EntryWatch:
        """Begin to wait for the runs that `is_wanted` accepts; any thread may call it."""
        ...


class WorkerPool(Protocol):
    """Executes jobs in this process."""

    def reserve(self, job: Job, confirm: ConfirmOwnership) -> AbstractAsyncContextManager[Callable[[], JobResult]]:
        """Wait for a free worker; the context gives a blocking function that executes the job.

        Raises what `confirm` raises: another process owns the job then, and it is not started here.
        """
        ...

    async def execute(self, job: Job, confirm: ConfirmOwnership) -> JobResult:
        """Execute the job on the next free worker of its type. Raises as `reserve`."""
        ...

    def queue_length(self, kind: str) -> int:
        """Return how many jobs of a type wait here for their services or for a worker. Thread-safe."""
        ...

    async def drain(self, seconds: float) -> int:
        """Start no job from now on; wait at most `seconds` for the executed ones. Return how many are left."""
        ...
