"""What a worker does again and again, each thing in its own time."""

from aeon.platform.store import StoreUnavailableError
from aeon.platform.workers.maintenance import PeriodicTask, PeriodicTasks
from aeon.testing.clock import FakeClock


def test_each_duty_is_done_when_it_is_due_and_told_of():
    clock, told = FakeClock(), []
    rounds = PeriodicTasks(
        [PeriodicTask(1.0, lambda: ["often"]), PeriodicTask(5.0, lambda: ["seldom"])], clock, told.append
    )
    for _ in range(6):
        rounds.run_due()
        clock.sleep(1.0)
    assert (told.count("often"), told.count("seldom")) == (6, 2)
    assert told[:3] == ["often", "seldom", "often"]


def test_a_store_that_is_away_is_told_of_once_and_tried_again():
    clock, told = FakeClock(), []
    is_there = [False]

    def look():
        if not is_there[0]:
            raise StoreUnavailableError("The store does not answer.")
        return ["done"]

    rounds = PeriodicTasks([PeriodicTask(1.0, look)], clock, told.append)
    for there in (False, False, True, False):
        is_there[0] = there
        rounds.run_due()
        clock.sleep(1.0)
    away = "The store does not answer. It is retried."
    assert told == [away, "done", away]
