"""How the skills of a session fare (skills 13): one pure transition, and a holder that threads may share."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass

from aeon.skills.failures import Blame, FailureClass, blame_for
from aeon.skills.models import ErrorState

DEGRADED_AFTER = 3
"""Temporary failures in a row that make a skill degraded (skills 13)."""


@dataclass(frozen=True, slots=True)
class SkillHealthRecord:
    """A skill's state, its temporary failures in a row, and the failure that it got its state by."""

    state: ErrorState = ErrorState.HEALTHY
    failures: int = 0
    cause: FailureClass | None = None


def next_health(health: SkillHealthRecord, failure: FailureClass | None) -> SkillHealthRecord:
    """The health after one node: None for a success.

    A skill's own fault is permanent for the session; what a planner got wrong, or what follows from another node's
    failure, says nothing about the skill (skills 4, 13).
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
    """The health of every skill in this session. Threads may share it; skills that were never told of are healthy."""

    def __init__(self) -> None:
        self._skills: dict[str, SkillHealthRecord] = {}
        self._lock = threading.Lock()

    def record(self, skill: str, failure: FailureClass | None) -> ErrorState:
        """Count how a node of `skill` ended, None for well, and say what state that leaves it in."""
        with self._lock:
            health = self._skills[skill] = next_health(self._skills.get(skill, SkillHealthRecord()), failure)
            return health.state

    def state(self, skill: str) -> ErrorState:
        """The skill's state by now."""
        with self._lock:
            return self._skills.get(skill, SkillHealthRecord()).state

    def disabled(self) -> list[str]:
        """The skills that run no more in this session, whoever asks (skills 13)."""
        with self._lock:
            return sorted(name for name, health in self._skills.items() if health.state is ErrorState.PERMANENT_FAILURE)

    def unavailable(self) -> Mapping[str, str]:
        """The skills that are not to be planned with, each with the reason."""
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
