"""Leases: whether this process still owns its work (platform 43).

It is checked before an effect, and again after a pause.
"""

from collections.abc import Callable
from typing import TypeAlias

from aeon.base.clock import since_boot
from aeon.base.errors import AeonError
from aeon.platform.runs.model import HEARTBEAT_TIMEOUT


class HaltError(AeonError):
    """The engine cannot continue the run for now; it is resumed from its entries later."""


class LeaseLostError(HaltError):
    """Another executor owns the run now."""


ConfirmOwnership: TypeAlias = Callable[[], None]
"""Returns while this process may continue; raises LeaseLostError if it lost the work.

Raises StoreError if ownership cannot be checked.
"""


def always_owned() -> None:
    """Confirm work that no other process can adopt."""


class RunLease:
    """The lease of one run or job that this process owns. Thread-safe.

    A confirmation is valid for a third of the lease, counted from before the check, by a clock that also runs while
    the machine is suspended. Other processes adopt the work only after a whole lease.
    """

    def __init__(
        self,
        is_held: Callable[[], bool],
        what: str,
        *,
        lasts: float = HEARTBEAT_TIMEOUT,
        since_boot: Callable[[], float] = since_boot,
    ) -> None:
        """`is_held` checks ownership and may raise StoreError; `what` names the work in messages."""
        self._is_held = is_held
        self._what = what
        self._valid_for = lasts / 3
        self._since_boot = since_boot
        self._checked_at: float | None = None
        self._is_lost = False

    def confirm(self) -> None:
        """Check ownership, unless it was checked within a third of the lease.

        After each check the clock is read again. Raises LeaseLostError, StoreError.
        """
        while self._is_lost or self._is_due():
            checked_at = self._since_boot()
            if self._is_lost or not self._is_held():
                self._is_lost = True
                raise LeaseLostError(f"{self._what} is now executed by another executor.")
            self._checked_at = checked_at

    def _is_due(self) -> bool:
        return self._checked_at is None or self._since_boot() - self._checked_at > self._valid_for
