"""Whether a process still holds what it works on is asked before each effect (platform 43)."""

import pytest

from aeon.base.clock import since_boot
from aeon.platform.runs.lease import LeaseLostError, RunLease
from aeon.platform.store import StoreUnavailableError


class Holder:
    """Says who holds it, and lets time pass: while it is asked, too, once."""

    def __init__(self, *, asking_takes=0.0, guaranteed=0.0):
        self.now, self.asked, self.is_held, self.asking_takes = 0.0, 0, True, asking_takes
        self.lease = RunLease(self.held, "The run r", lasts=90.0, guaranteed=guaranteed, since_boot=lambda: self.now)

    def held(self):
        self.asked += 1
        answer = self.is_held
        self.now, self.asking_takes = self.now + self.asking_takes, 0.0
        if isinstance(answer, Exception):
            raise answer
        return answer


def test_it_is_asked_before_the_first_effect():
    holder = Holder()
    holder.lease.confirm()
    assert holder.asked == 1


def test_it_is_asked_before_each_effect():
    """Another process may have counted a silence that began before the last question."""
    holder = Holder()
    holder.lease.confirm()
    holder.is_held = False
    with pytest.raises(LeaseLostError):
        holder.lease.confirm()
    assert holder.asked == 2


@pytest.mark.parametrize(("pause", "asked"), [(0.0, 1), (29.9, 1), (30.1, 2), (3600.0, 2)])
def test_within_a_guaranteed_time_it_is_not_asked_again(pause, asked):
    holder = Holder(guaranteed=30.0)
    holder.lease.confirm()
    holder.now += pause
    holder.lease.confirm()
    assert holder.asked == asked


def test_an_answer_counts_from_before_the_question():
    """A machine that slept between the question and its answer asks once more: meanwhile another one may have it."""
    holder = Holder(asking_takes=31.0)
    holder.lease.confirm()
    assert holder.asked == 2


def test_who_lost_it_is_told_for_ever():
    holder = Holder()
    holder.lease.confirm()
    holder.now, holder.is_held = 100.0, False
    with pytest.raises(LeaseLostError, match="The run r is now executed by another executor"):
        holder.lease.confirm()
    holder.is_held = True
    with pytest.raises(LeaseLostError):
        holder.lease.confirm()
    assert holder.asked == 2


def test_while_nobody_can_be_asked_nothing_is_confirmed():
    holder = Holder()
    holder.is_held = StoreUnavailableError("It does not answer.")
    with pytest.raises(StoreUnavailableError):
        holder.lease.confirm()
    holder.is_held = True
    holder.lease.confirm()


def test_its_clock_goes_on():
    first = since_boot()
    assert since_boot() >= first > 0
