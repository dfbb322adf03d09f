"""The port to whatever carries runs out durably, and what it is given to do so."""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from aeon.base.errors import AeonError
from aeon.platform.runs.lease import ConfirmOwnership, always_owned
from aeon.platform.runs.machine.commands import StartProcess
from aeon.platform.runs.machine.state import RunPhase, RunState
from aeon.platform.runs.model import Job, JobResult, Run, RunEntry, RunSignal, RunSnapshot


class EngineUnavailableError(AeonError):
    """The engine can keep nothing for now. What it has kept stands, and runs go on from there."""

    is_retryable = True


class Engine(Protocol):
    """Carries accepted runs out. Threads may share one; processes that share one's store carry out each other's runs.

    A step that completed never runs again; one that was under way when everything stopped is carried out again, under
    the same id of its job, unless its effect is `once`. Where a run stands is in its entries, never in the engine
    alone. What is to be kept raises EngineUnavailableError while that is not possible.
    """

    @property
    def name(self) -> str:
        """The engine, and where it keeps what it keeps."""
        ...

    @property
    def executor(self) -> str:
        """Who carries out the runs of this process; another one after each start."""
        ...

    def start(self, run: str) -> None:
        """Have an accepted run carried out here or elsewhere. Started again it is still carried out once."""
        ...

    def wake(self, run: str) -> None:
        """Have the run look at its signals at once, if it is carried out here."""
        ...

    def wait(self, run: str, seconds: float | None = None) -> bool:
        """Whether the run has ended, after waiting for that so long at most."""
        ...

    def adopt(self, runs: Sequence[str]) -> None:
        """Have runs carried out on whose executor is gone. Whoever asks has made sure of that."""
        ...

    def forget(self, runs: Sequence[str]) -> None:
        """Remove what is kept of runs that have ended."""
        ...

    def close(self) -> None:
        """Stop carrying out; what was not ended goes on elsewhere, or at the next start. Twice is once."""
        ...


class RunRepository(Protocol):
    """Where runs are written down. All of it may block, and raises StoreError while the store does not answer."""

    def claim(self, run: str, executor: str, confirm: ConfirmOwnership = always_owned) -> RunSnapshot | None:
        """What it takes to carry a run out, which from then on is the executor's; None when it has ended.

        `confirm` says whether the engine leaves it to this executor. Raises what that raises, and ConflictError when
        the run was given to another one since then.
        """
        ...

    def append(self, run: str, executor: str, entries: Sequence[RunEntry], state: RunState) -> None:
        """Add entries to a run's, all or none; those that are there already are left out.

        Raises ConflictError when the run has become another executor's.
        """
        ...

    def reassign(self, run: str, executor: str, to: str) -> bool:
        """Make a run another executor's, empty for nobody's; False when it was not `executor`'s, or has ended."""
        ...

    def accept_child(self, parent: Run, command: StartProcess) -> str:
        """The id of the run that a step of another run starts, accepted; the same one whenever it is asked."""
        ...

    def cancel_child(self, caller: Run, run: str) -> None:
        """Have a run that another one called stopped, as whoever has that one; nothing, if it has ended."""
        ...

    def find_child_result(self, run: str, command: StartProcess) -> JobResult | None:
        """What a run that a step started came to, as an event of that step; None while it has not ended."""
        ...

    def get_phase(self, run: str) -> RunPhase:
        """Where a run stands."""
        ...

    def is_owned_by(self, run: str, executor: str) -> bool:
        """Whether a run is that executor's to carry out."""
        ...

    def list_signals(self, runs: Sequence[str]) -> list[RunSignal]:
        """All that was wanted of these runs since they began, oldest first."""
        ...


class WorkerPool(Protocol):
    """Carries out jobs in this process."""

    def reserve(self, job: Job, confirm: ConfirmOwnership) -> AbstractAsyncContextManager[Callable[[], JobResult]]:
        """Wait for a free worker of the job's type; what has it carry the job out, blocking.

        What `confirm` raises it raises: the job is another process's now, and nothing of it is begun.
        """
        ...

    async def execute(self, job: Job, confirm: ConfirmOwnership) -> JobResult:
        """What the job came to, once there is a free worker of its type. Raises as `place`."""
        ...

    def queue_length(self, kind: str) -> int:
        """How many jobs of a type wait here, for their services or for a worker. Threads may ask."""
        ...
