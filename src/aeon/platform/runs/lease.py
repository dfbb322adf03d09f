"""Whether this process still holds what it works on: asked before an effect, and again after a long pause (platform 43)."""

from collections.abc import Callable
from typing import TypeAlias

from aeon.base.clock import since_boot
from aeon.base.errors import AeonError
from aeon.platform.runs.model import HEARTBEAT_TIMEOUT


class HaltError(AeonError):
    """The engine cannot go on with the run for now. What it has recorded stands, and it is taken up again."""


class LeaseLostError(HaltError):
    """Somebody else carries the run out now."""


ConfirmOwnership: TypeAlias = Callable[[], None]
"""Returns while this process may go on. Raises LeaseLostError once somebody else does, and StoreError where nobody can
be asked."""


def always_owned() -> None:
    """Confirms what nobody else can take over."""


class RunLease:
    """One run or job that this process holds. Threads may share it.

    An answer is good for a third of the lease by a clock that also runs while the machine is suspended, counted from
    before the question was put. Others take over only after a whole one.
    """

    def __init__(
        self,
        is_held: Callable[[], bool],
        what: str,
        *,
        lasts: float = HEARTBEAT_TIMEOUT,
        given_at: float | None = None,
        since_boot: Callable[[], float] = since_boot,
    ) -> None:
        """`is_owned_by` asks whoever decides on it, and may raise StoreError; `what` names it in messages.

        `given_at` is when it was given to this process, if that is known to be no longer ago; else it is asked first.
        """
        self._is_held = is_held
        self._what = what
        self._good_for = lasts / 3
        self._since_boot = since_boot
        self._asked_at = given_at
        self._is_lost = False

    def confirm(self) -> None:
        """Return at once within a third of the lease since it was asked; else ask, and look at the clock again.

        Raises LeaseLostError, StoreError.
        """
        while self._is_lost or self._is_due():
            asked_at = self._since_boot()
            if self._is_lost or not self._is_held():
                self._is_lost = True
                raise LeaseLostError(f"{self._what} is carried out by another executor now.")
            self._asked_at = asked_at

    def _is_due(self) -> bool:
        return self._asked_at is None or self._since_boot() - self._asked_at > self._good_for
