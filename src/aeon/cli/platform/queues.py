"""The queues there are, as commands name them."""

from collections.abc import Sequence
from typing import Final

from aeon.base.errors import InputError
from aeon.platform.workers.model import WORKER_TYPES

PROCESS: Final = "process"
HUMAN: Final = "human"
QUEUES: Final = (*WORKER_TYPES, PROCESS, HUMAN)


def require_known_queues(types: Sequence[str]) -> None:
    """Raises InputError for what is no queue."""
    if unknown := [kind for kind in types if kind not in QUEUES]:
        raise InputError(
            f"There are no workers of the type {', '.join(unknown)}.", next_step=f"Name one of {', '.join(QUEUES)}."
        )
