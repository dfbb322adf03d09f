"""Whatever the plan, the outcomes, their order and how entries are gathered: every lost step is put aside once."""

import random

from hypothesis import given
from tests.platform.driven_runs import Run, carried_out, chancy
from tests.platform.runs.test_run_machine_laws import INPUTS, SEEDS, plans

from aeon.platform.runs.dead_jobs import find_dead_jobs, may_contain_dead_jobs
from aeon.platform.runs.machine.events import CancelRequested
from aeon.platform.runs.model import RunEntry


class Gathering:
    """Gives entries away at moments of chance, always after all has begun that was to begin: as engines do."""

    def __init__(self, run, seed, *, cancels):
        self.run, self.dead = run, []
        self._chance = random.Random(seed)
        self._cancels = cancels
        self._given = 0

    def __call__(self):
        if self._cancels and self._chance.random() < 0.05:
            self.run.record(CancelRequested(by="me"))
            self.run.advance()
        if self._chance.random() < 0.5:
            self.give()

    def give(self):
        events = self.run.events[self._given :]
        entries = [RunEntry(n=self._given + n, at="2026", event=event) for n, event in enumerate(events, 1)]
        self._given += len(events)
        found = find_dead_jobs(self.run.plan, entries, self.run.state.phase)
        assert may_contain_dead_jobs(entries) or not found
        self.dead += found


@given(plans(), SEEDS, SEEDS, SEEDS)
def test_every_step_that_is_lost_is_dead_once_and_no_other(plan, outcomes, order, gathered):
    run = Run(plan, INPUTS)
    gathering = Gathering(run, gathered, cancels=gathered % 3 == 0)
    carried_out(run, chancy(outcomes), random.Random(order), gathering)
    gathering.give()
    lost = [step.id for step in plan.steps if run.of(step.id).status in ("failed", "retrying")]
    assert sorted(job["step"] for job in gathering.dead) == sorted(lost)
    assert len({job["id"] for job in gathering.dead}) == len(lost)
    for job in gathering.dead:
        state = run.of(job["step"])
        assert (job["code"], job["message"]) == (state.error.code, state.error.message)
        assert job["attempts"] in (0, state.attempts)
