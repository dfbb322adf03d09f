"""The health of a session's skills (skills 13).

It has one pure transition, and a thread-safe holder of the states.
"""

import threading
from collections.abc import Mapping
from typing import NamedTuple

from aeon.skills.failures import Blame, FailureClass, blame_for
from aeon.skills.models import ErrorState

DEGRADED_AFTER = 3
"""Number of consecutive temporary failures that make a skill degraded (skills 13)."""


class SkillHealthRecord(NamedTuple):
    """A skill's state, the failure that caused it, and its consecutive temporary failures."""

    state: ErrorState = ErrorState.HEALTHY
    failures: int = 0
    cause: FailureClass | None = None


def next_health(health: SkillHealthRecord, failure: FailureClass | None) -> SkillHealthRecord:
    """Returns the health after one node; `failure` is None for a success.

    A skill's own fault is permanent for the session. A planner's fault, or a failure that follows from another
    node's, does not change the skill's health (skills 4, 13).
    """
    if health.state is ErrorState.PERMANENT_FAILURE:
        return health
    if failure is None:
        return SkillHealthRecord()
    match blame_for(failure):
        case Blame.SKILL:
            return SkillHealthRecord(ErrorState.PERMANENT_FAILURE, health.failures, failure)
        case Blame.TRANSIENT:
            count = health.failures + 1
            state = ErrorState.DEGRADED if count >= DEGRADED_AFTER else ErrorState.TEMPORARY_FAILURE
            return SkillHealthRecord(state, count, failure)
        case _:
            return health


class SkillHealth:
    """The health of every skill in this session. Thread-safe.

    Skills without a record are healthy.
    """

    def __init__(self) -> None:
        self._skills: dict[str, SkillHealthRecord] = {}
        self._lock = threading.Lock()

    def record(self, skill: str, failure: FailureClass | None) -> ErrorState:
        """Records how a node of `skill` ended and returns the skill's new state.

        `failure` is None if it succeeded.
        """
        with self._lock:
            health = self._skills[skill] = next_health(self._skills.get(skill, SkillHealthRecord()), failure)
            return health.state

    def state(self, skill: str) -> ErrorState:
        """Returns the skill's current state."""
        with self._lock:
            return self._skills.get(skill, SkillHealthRecord()).state

    def disabled(self) -> list[str]:
        """Returns the skills that no plan may run any longer in this session (skills 13)."""
        with self._lock:
            return sorted(name for name, health in self._skills.items() if health.state is ErrorState.PERMANENT_FAILURE)

    def unavailable(self) -> Mapping[str, str]:
        """Returns the skills that planners must not use, each with the reason."""
        with self._lock:
            reasons = {name: _reason(health) for name, health in self._skills.items()}
        return {name: reason for name, reason in reasons.items() if reason is not None}


def _reason(health: SkillHealthRecord) -> str | None:
    if health.cause is None:
        return None
    if health.state is ErrorState.PERMANENT_FAILURE:
        return f"disabled for this session: {health.cause.value.replace('_', ' ')}"
    if health.state is ErrorState.DEGRADED:
        return f"degraded: {health.failures} failures in a row, the last one {health.cause.value.replace('_', ' ')}"
    return None
