"""Hostile scripts at once while reapers are killed and runs cancelled: everything ends, nothing is left, nothing grows.

`AEON_CHAOS_ROUNDS` says how many rounds are played at each level.
"""

import os
import random
import select
import signal
import threading
from contextlib import suppress
from pathlib import Path

import pytest
from tests.chaos_sizes import size_of
from tests.skills.sandbox.conftest import DONE, LOG, usable

from aeon.base.errors import SandboxError
from aeon.skills.invocation import Cancellation, InvocationResult, OutputLimits
from aeon.skills.poll_loop import PollLoop

pytestmark = pytest.mark.slow

ROUNDS = size_of("AEON_CHAOS_ROUNDS", in_ci=25)
MOST = 12
"""Scripts of one round."""


def bodies(stubborn):
    return (
        f"echo '{DONE}'",
        f"echo '{LOG}'; sleep 0.02; echo '{DONE}'",
        "exit 3",
        "sleep 0.05",
        "yes",
        f"exec {stubborn}",
        f"(setsid {stubborn} &) ; echo '{DONE}'",  # with its environment: else it is found by a reaper alone
        f"{stubborn} & {stubborn} & exec sleep 9",
    )


class Ended:
    """A pending whose result may be an error: of one whose reaper was killed twice before it came to it."""

    def __init__(self, pending):
        self._pending = pending

    @property
    def deadline(self):
        return self._pending.deadline

    def fileno(self):
        return self._pending.fileno()

    def poll(self):
        try:
            return self._pending.poll()
        except SandboxError as error:
            return error


def steps(pending):
    return (yield Ended(pending))


class Round:
    """A few scripts at once, what is done to them meanwhile, and what came of it."""

    def __init__(self, runner, scripts, chance):
        self._runner = runner
        self._scripts = scripts
        self._chance = chance

    def play(self):
        with Cancellation() as cancellation:
            loop, count = PollLoop(), self._chance.randint(1, MOST)
            for _ in range(count):
                loop.start(steps(self._start(cancellation)))
            deeds = [self._later(cancellation.cancel, 0.3), self._later(self._kill, 0.15)]
            results = [loop.next_result() for _ in range(count)]
            for deed in filter(None, deeds):
                deed.join()
        return results

    def _start(self, cancellation):
        limits = OutputLimits(total=300_000)
        timeout = self._chance.choice([0.05, 0.1, 0.2, 0.4])
        path = self._scripts.folder / f"body{self._chance.randrange(8)}.sh"
        invocation = self._scripts.invocation(path, timeout=timeout, grace_seconds=0.1, limits=limits)
        return self._runner.start(invocation, cancellation)

    def _later(self, deed, probability):
        if self._chance.random() >= probability:
            return None
        timer = threading.Timer(self._chance.random() * 0.2, deed)
        timer.start()
        return timer

    def _kill(self):
        with suppress(ProcessLookupError, AttributeError):  # it is gone, or not there yet
            os.kill(self._runner._cold._reaper.pid, signal.SIGKILL)


@pytest.mark.parametrize("level", ["plain", "landlock", "bubblewrap"])
def test_whatever_happens_everything_ends_and_nothing_is_left(level, scripts):
    """Skills 4."""
    for number, body in enumerate(bodies(scripts.stubborn())):
        scripts.write(f"#!/bin/sh\n{body}\n", f"body{number}.sh")
    before = len(list(Path("/proc/self/fd").iterdir()))
    chance = random.Random(level)
    with usable(level) as runner:
        for _ in range(ROUNDS):
            results = Round(runner, scripts, chance).play()
            assert all(isinstance(result, InvocationResult | SandboxError) for result in results)
        for _ in range(100):
            if not scripts.survivors():
                break
            select.poll().poll(50)
        assert scripts.survivors() == []
        kept = len(list(Path("/proc/self/fd").iterdir())) - before
        assert kept <= 3 * MOST + 8, "three descriptors for each channel that is kept, and the reaper's"
    assert len(list(Path("/proc/self/fd").iterdir())) == before
