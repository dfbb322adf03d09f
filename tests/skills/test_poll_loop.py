"""Nodes side by side in one thread: what is ready, what is late, what goes wrong."""

import os
import time

import pytest

from aeon.skills.invocation import CancellableSleep, Cancellation
from aeon.skills.poll_loop import PollLoop, ReadyResult, poll_until_done


class Scripted:
    """A pending that follows a list: what `fileno` and `attend` give, turn by turn."""

    def __init__(self, *turns, deadline=0.0):
        self.deadline = deadline
        self._turns = [*turns]

    def fileno(self):
        return self._turns[0][0]

    def poll(self):
        _, result = self._turns.pop(0)
        if isinstance(result, Exception):
            raise result
        return result


@pytest.fixture
def ends():
    """Descriptors that are always readable, and always different."""
    pipes = [os.pipe() for _ in range(3)]
    for _, write in pipes:
        os.write(write, b"x")
    yield [read for read, _ in pipes]
    for pipe in pipes:
        for end in pipe:
            os.close(end)


def waits(pending, name="it"):
    return [name, (yield pending)]


def test_a_pause_lasts_and_is_cut_short():
    """Skills 4: waits are capped, and cancelled at once."""
    with Cancellation() as cancellation:
        began = time.monotonic()
        assert poll_until_done(CancellableSleep(0.01, cancellation)) is False
        assert time.monotonic() - began >= 0.01
        cancellation.cancel()
        assert poll_until_done(CancellableSleep(3600, cancellation)) is True


def test_what_changes_its_descriptor_is_followed(ends):
    turns = [(ends[0], None), (None, None), (ends[1], "over")]
    assert poll_until_done(Scripted(*turns)) == "over"
    loop = PollLoop()
    loop.start(waits(Scripted(*turns)))
    assert loop.next_result() == ["it", "over"]


def test_who_is_late_is_attended_to_however_busy_another_is(ends):
    """A script that never stops talking does not keep another from its deadline."""
    loop = PollLoop()
    with Cancellation() as cancellation:
        loop.start(waits(Scripted(*[(ends[0], None)] * 100_000, deadline=time.monotonic() + 3600), "busy"))
        loop.start(waits(CancellableSleep(0.005, cancellation), "late"))
        assert loop.next_result() == ["late", False]


def test_one_that_raises_is_over_and_the_others_go_on(ends):
    loop = PollLoop()
    loop.start(waits(Scripted((ends[0], ZeroDivisionError()))))
    with Cancellation() as cancellation:
        loop.start(waits(CancellableSleep(0.005, cancellation), "other"))
        with pytest.raises(ZeroDivisionError):
            loop.next_result()
        assert loop.next_result() == ["other", False]


def test_closing_sees_everything_to_its_end(ends):
    ended = []

    def notes():
        ended.append((yield ReadyResult(1)))
        ended.append((yield Scripted((ends[1], None), (ends[1], 2))))

    loop = PollLoop()
    loop.start(notes())
    loop.start(waits(Scripted((ends[0], ZeroDivisionError()))))
    loop.close()
    assert ended == [1, 2]
