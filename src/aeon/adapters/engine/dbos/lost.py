"""Jobs that workers had begun who are not there any more: they are offered to the others.

DBOS takes over a dead process's work only as a paid service. The call that it makes for it itself is what is needed
here: in one statement it gives back only what is still the dead one's, so that of many who ask at once one has an
effect, and none once somebody else has begun the job. The public one would take it from him. A test would notice its
loss.
"""

from collections.abc import Callable

from dbos import DBOS

from aeon.adapters.engine.dbos.standing import QueueStats


class JobRecovery:
    """Looks for them again and again."""

    def __init__(self, standing: QueueStats, executor: str, present: Callable[[], set[str]]) -> None:
        """`executor` is who looks; `present` says which executors there are now, and may raise."""
        self._queue_stats = standing
        self._executor = executor
        self._present = present
        self._suspected: set[str] = set()

    def recover(self) -> None:
        """Offer again what executors had begun who were not there twice in a row.

        Once is not enough: when the record was away, nobody was heard of for a moment.
        """
        missing = self._queue_stats.executors() - {self._executor}
        if missing:
            missing -= self._present()
        gone = missing & self._suspected
        self._suspected = missing
        if gone:
            DBOS._recover_pending_workflows(sorted(gone))  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # see above
