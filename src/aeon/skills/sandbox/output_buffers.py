"""Buffers of script output: all stdout of a plain script, and the end of its stderr."""

from collections.abc import Sequence

from aeon.base.json import JsonObject
from aeon.skills.invocation import OutputBudget
from aeon.skills.protocol import BUDGET_EXCEEDED


class PlainOutputReader:
    """Keeps raw stdout up to a limit (skills 9).

    It has the interface of `ScriptEventReader`, without events.
    """

    events: Sequence[JsonObject] = ()
    violation: str | None = None
    is_done = False

    dropped_events = 0

    def __init__(self, limit: int, allowance: OutputBudget | None = None) -> None:
        self._limit = limit
        self._budget = allowance
        self._kept = bytearray()
        self.overflow: str | None = None
        self.budget_cost = 0

    def feed(self, data: bytes) -> Sequence[JsonObject]:
        remaining = self._limit - len(self._kept)
        if self.overflow is None:
            self._keep(data[:remaining])
            if self.overflow is None and len(data) > remaining:
                self.overflow = f"it wrote more than {self._limit} bytes"
        return ()

    def _keep(self, data: bytes) -> None:
        cost = self._budget.reserve(len(data), is_dispensable=False) if self._budget else 0
        if cost is None:
            self.overflow = BUDGET_EXCEEDED
        else:
            self._kept += data
            self.budget_cost += cost

    def finish(self) -> Sequence[JsonObject]:
        return ()

    @property
    def stdout(self) -> bytes:
        return bytes(self._kept)


class TailBuffer:
    """Keeps the last bytes of a stream."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept = bytearray()

    def feed(self, data: bytes) -> None:
        self._kept += data
        if len(self._kept) > 2 * self._limit:
            del self._kept[: len(self._kept) - self._limit]

    @property
    def text(self) -> str:
        """The bytes as text; invalid UTF-8 is replaced."""
        return bytes(self._kept[-self._limit :] if self._limit else b"").decode(errors="replace")
