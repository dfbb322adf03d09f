"""Health of skills in a session (skills 13)."""

import threading

import pytest

from aeon.skills.failures import Blame, FailureClass, blame_for
from aeon.skills.health import DEGRADED_AFTER, SkillHealth, SkillHealthRecord, next_health
from aeon.skills.models import ErrorState

TRANSIENT = [kind for kind in FailureClass if blame_for(kind) is Blame.TRANSIENT]
OWN = [kind for kind in FailureClass if blame_for(kind) is Blame.SKILL]
NOT_ITS_OWN = [kind for kind in FailureClass if blame_for(kind) in (Blame.PLANNER, Blame.NOBODY)]


def test_three_temporary_failures_in_a_row_degrade_and_a_success_heals():
    """Skills 13: a temporary failure counts; three in a row make it degraded, a success makes it healthy again."""
    health, states = SkillHealthRecord(), []
    for kind in (FailureClass.TIMEOUT, FailureClass.EXIT_CODE, FailureClass.CONTROLLED, None):
        health = next_health(health, kind)
        states.append(health.state)
    assert states == [
        ErrorState.TEMPORARY_FAILURE,
        ErrorState.TEMPORARY_FAILURE,
        ErrorState.DEGRADED,
        ErrorState.HEALTHY,
    ]


def test_a_success_in_between_starts_the_count_again():
    health = SkillHealth()
    for kind in (FailureClass.TIMEOUT, FailureClass.TIMEOUT, None, FailureClass.TIMEOUT, FailureClass.TIMEOUT):
        health.record("dice", kind)
    assert health.state("dice") is ErrorState.TEMPORARY_FAILURE
    assert not health.unavailable()


@pytest.mark.parametrize("kind", OWN)
def test_a_fault_of_its_own_disables_a_skill_for_the_session(kind):
    """Skills 13: a permanent failure disables the skill for the session; no success brings it back."""
    health = SkillHealth()
    health.record("dice", kind)
    health.record("dice", None)
    assert health.state("dice") is ErrorState.PERMANENT_FAILURE
    assert health.unavailable() == {"dice": f"disabled for this session: {kind.value.replace('_', ' ')}"}


@pytest.mark.parametrize("kind", NOT_ITS_OWN)
def test_what_others_did_wrong_says_nothing_about_a_skill(kind):
    """Skills 4: a planner's mistake disables no skill."""
    before = SkillHealthRecord(ErrorState.TEMPORARY_FAILURE, 2, FailureClass.TIMEOUT)
    assert next_health(before, kind) == before


def test_a_degraded_skill_is_unavailable_with_its_reason():
    health = SkillHealth()
    for _ in range(DEGRADED_AFTER):
        health.record("dice", FailureClass.TIMEOUT)
    assert health.unavailable() == {"dice": "degraded: 3 failures in a row, the last one timeout"}
    assert health.state("other") is ErrorState.HEALTHY


def test_threads_may_share_it():
    health = SkillHealth()

    def fail():
        for _ in range(500):
            health.record("dice", FailureClass.EXIT_CODE)

    threads = [threading.Thread(target=fail) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert health.unavailable()["dice"].startswith("degraded: 2000 failures")
