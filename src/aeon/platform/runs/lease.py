"""Leases: whether this process still owns its work (platform 43).

It is checked before an effect, and again after a pause.
"""

from collections.abc import Callable
from math import inf
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

    Other processes adopt the work after a whole lease without a heartbeat, which need not be a whole lease after a
    confirmation. So each confirmation asks, unless the assigner of the work guarantees a time.
    """

    def __init__(
        self,
        is_held: Callable[[], bool],
        what: str,
        *,
        lasts: float = HEARTBEAT_TIMEOUT,
        guaranteed: float = 0.0,
        since_boot: Callable[[], float] = since_boot,
    ) -> None:
        """`is_held` checks ownership and may raise StoreError; `what` names the work in messages.

        For `guaranteed` seconds after a check nobody adopts the work. `since_boot` also counts while the machine is
        suspended.
        """
        self._is_held = is_held
        self._what = what
        self._longest_pause = lasts / 3
        self._guaranteed = guaranteed
        self._since_boot = since_boot
        self._checked_at: float | None = None
        self._is_lost = False

    def confirm(self) -> None:
        """Check ownership, and once more if the check took longer than a third of the lease.

        Raises LeaseLostError, StoreError.
        """
        if not self._is_lost and self._age() < self._guaranteed:
            return
        while True:
            checked_at = self._since_boot()
            if self._is_lost or not self._is_held():
                self._is_lost = True
                raise LeaseLostError(f"{self._what} is now executed by another executor.")
            self._checked_at = checked_at
            if self._age() <= self._longest_pause:
                return

    def _age(self) -> float:
        """Return the seconds since the last check began."""
        return inf if self._checked_at is None else self._since_boot() - self._checked_at
