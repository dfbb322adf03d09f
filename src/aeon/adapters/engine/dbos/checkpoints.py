"""Every attempt at a step has a place of its own in a workflow's record, whichever ends first.

DBOS numbers what a workflow does in the order in which it is begun. That order may be another one after a restart: so
numbers are drawn ahead, in the order of the steps, as many for each as there can be attempts.
"""

import inspect
from collections.abc import Awaitable, Callable
from typing import cast

from dbos import DBOS, StepReservation, error

from aeon.adapters.engine.carrying import Makes
from aeon.base.json import JsonObject
from aeon.platform.processes.running.events import StepFailed
from aeon.platform.processes.running.retries import ATTEMPTS
from aeon.platform.processes.runs.conducting import HaltError, TakenOverError
from aeon.platform.processes.runs.model import Done

JOB = "aeon.job"


class Checkpoints:
    """One workflow's. To be used inside of it."""

    def __init__(self) -> None:
        self._drawn = 0
        self._kept: dict[int, StepReservation] = {}

    async def __call__(self, position: int, attempt: int, makes: Makes) -> Done:
        """What an attempt came to: of an earlier one of the same number, if it came to an end, and else of this one.

        What blocks is made in the thread in which DBOS looks and writes: a change of threads costs as much as either.
        """
        reservation = self._at(position * ATTEMPTS + attempt - 1)
        try:
            done = Done.parsed(await reservation.run_async({"name": JOB}, _as_data(makes)))
        except error.DBOSWorkflowConflictIDError as lost:
            raise TakenOverError("Somebody else carries the run out now.") from lost
        except HaltError:
            raise
        except Exception as unkept:
            raise HaltError(f"What a step came to could not be kept: {unkept}") from unkept
        if not (isinstance(done.event, StepFailed) and done.event.error.transient):
            self._drop(position)
        return done

    def _drop(self, position: int) -> None:
        """There is no other attempt: of a run of thousands of steps not all places are to be held."""
        for number in range(position * ATTEMPTS, (position + 1) * ATTEMPTS):
            self._kept.pop(number, None)

    def _at(self, number: int) -> StepReservation:
        while self._drawn <= number:
            self._kept[self._drawn] = DBOS.reserve_step()
            self._drawn += 1
        return self._kept.pop(number)


def _as_data(makes: Makes) -> Callable[[], Awaitable[JsonObject]] | Callable[[], JsonObject]:
    """The same, for what keeps JSON alone."""
    if inspect.iscoroutinefunction(makes):

        async def made() -> JsonObject:
            return cast(Done, await makes()).as_dict()

        return made
    blocking = cast(Callable[[], Done], makes)
    return lambda: blocking().as_dict()
