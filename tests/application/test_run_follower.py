"""A run and the runs that it called, followed in one order."""

import threading
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.platform.driven_runs import plan_of, step

from aeon.adapters.engines.local import LocalEngine
from aeon.application.run_follower import CallingStep, EntryUpdate, HeldUpdate, RunFollower, interleave
from aeon.platform.errors import NotFoundError, RuleError
from aeon.platform.runs.machine.events import AttemptStarted, RunCompleted, RunStarted, StepCompleted
from aeon.platform.runs.machine.wait_reasons import WaitReason
from aeon.platform.runs.model import RunEntry
from aeon.testing.clock import FakeClock
from aeon.testing.engines.world import EngineWorld, echo
from aeon.testing.engines.world import step as step_of
from aeon.testing.entry_notifiers import ClockNotifier, PatientNotifier
from aeon.testing.records import new_record

CALLERS = {"r:a:1": CallingStep("r", "a"), "r:a:1:x:1": CallingStep("r:a:1", "x")}


def entry(n, second, event):
    at = datetime(2026, 11, 22, 9, tzinfo=UTC) + timedelta(seconds=second)
    return RunEntry(n=n, at=at.isoformat(timespec="microseconds"), event=event)


def run_of(job, steps, times):
    """The entries of a run whose steps go one after another."""
    events = [RunStarted(inputs={})]
    for id_ in steps:
        events += [
            AttemptStarted(step=id_, job=f"{job}:{id_}:1", attempt=1),
            StepCompleted(step=id_, attempt=1, output=1),
        ]
    events.append(RunCompleted(output=1))
    return [entry(n, second, event) for n, (second, event) in enumerate(zip(times, events, strict=True), 1)]


FAMILY = {"r": ["before", "a", "z"], "r:a:1": ["x"], "r:a:1:x:1": ["deep"]}
TIMES = {
    "r": [0, 1, 2, 3, 10, 11, 12, 13],
    "r:a:1": [4, 5, 8, 9],
    "r:a:1:x:1": [6, 6.5, 7, 7.5],
}


def family(times):
    return {run: run_of(run, steps, times[run]) for run, steps in FAMILY.items()}


def named(run, each):
    return f"{run} {each.event.event} {getattr(each.event, 'step', '')}".strip()


def test_entries_of_a_family_come_by_their_times():
    told = list(interleave(family(TIMES), CALLERS))
    assert [each.at for _, each in told] == sorted(each.at for entries in family(TIMES).values() for each in entries)


@given(st.data())
def test_whatever_the_clocks_say_nothing_comes_before_what_began_it_nor_after_what_ended_it(data):
    numbers = st.integers(0, 5)
    times = {run: data.draw(st.lists(numbers, min_size=len(at), max_size=len(at))) for run, at in TIMES.items()}
    found = family(times)
    order = data.draw(st.permutations(list(found)))
    told = list(interleave({run: found[run] for run in order}, CALLERS))
    assert len(told) == sum(map(len, found.values()))
    for run, entries in found.items():
        assert [each for of, each in told if of == run] == entries
    names = [named(*each) for each in told]
    for run, caller in CALLERS.items():
        own = [place for place, (of, _) in enumerate(told) if of == run]
        assert names.index(f"{caller.run} step_started {caller.step}") < min(own)
        assert max(own) < names.index(f"{caller.run} step_completed {caller.step}")


def test_what_came_earlier_holds_nothing_up():
    """The entry that began a step was told in a look before."""
    found = family(TIMES)
    later = {"r": found["r"][4:], "r:a:1": found["r:a:1"]}
    assert next(named(*each) for each in interleave(later, CALLERS)) == "r:a:1 run_started"


class Runs:
    """As much of runs as following asks for; they are there only once `there` says so."""

    def __init__(self):
        plans = {
            run: plan_of(*[step(each, calls="process" if each in "ax" else "tool") for each in steps], run=run)
            for run, steps in FAMILY.items()
        }
        self.plans, self.there, self.known = plans, family(TIMES), dict.fromkeys(FAMILY, 99)
        self.repository = self

    def view(self, _user, run):
        if run not in self.known:
            raise NotFoundError("There is none.")
        return SimpleNamespace(plan=self.plans[run])

    def list_questions(self, _user, _run):
        return []

    def get_phase(self, run):
        return "completed" if self.known[run] > 7 else "running"

    def entries(self, run, after):
        return [each for each in self.there[run][: self.known[run]] if each.n > after]


def follower(runs, clock=None, **options):
    clock = clock or FakeClock()
    return RunFollower(runs, "me", "r", clock=clock, notifier=ClockNotifier(clock), **options)


def told(updates):
    return [f"{each.depth} {named(each.run, each.entry)}" for each in updates if isinstance(each, EntryUpdate)]


def test_a_family_that_ran_between_two_looks_comes_whole_and_in_order():
    following = follower(Runs())
    steps = [each.split(" ", 2)[2] for each in told(following) if "step_" in each]
    assert steps == [
        "step_started before", "step_completed before", "step_started a", "step_started x", "step_started deep",
        "step_completed deep", "step_completed x", "step_completed a", "step_started z", "step_completed z",
    ]  # fmt: skip
    assert following.result.status == "ended"
    assert following.cursor == {"r": 8, "r:a:1": 4, "r:a:1:x:1": 4}


def test_a_run_that_is_not_there_yet_is_met_at_the_next_look():
    runs = Runs()
    runs.known = {"r": 4}
    updates = iter(follower(runs))
    assert [told([next(updates)]) for _ in range(4)][-1] == ["0 r step_started a"]
    runs.known = dict.fromkeys(FAMILY, 99)
    assert told(updates)[0] == "1 r:a:1 run_started"


def test_following_goes_on_after_a_cursor_without_a_gap_and_without_a_repetition():
    runs = Runs()
    whole = told(follower(runs))
    runs.known = {"r": 4, "r:a:1": 2}
    first = follower(runs, seconds=0.0)
    seen = told(first)
    assert first.result.status == "open"
    runs.known = dict.fromkeys(FAMILY, 99)
    later = follower(runs)
    later.skip(first.cursor)
    assert seen + told(later) == whole


def test_what_was_skipped_does_not_come():
    runs = Runs()
    runs.known = {"r": 4, "r:a:1": 2}
    following = follower(runs)
    following.skip_past_entries()
    runs.known = dict.fromkeys(FAMILY, 99)
    assert [each.split()[-1] for each in told(following) if "step_" in each] == ["deep", "deep", "x", "a", "z", "z"]


def test_a_step_that_waits_for_a_worker_is_reported_once_while_nothing_happens():
    runs, clock = Runs(), FakeClock()
    runs.known = {"r": 2}
    reason = WaitReason(step="before", kind="waits", message="there is no worker", attempt=1)
    held = [
        each
        for each in follower(runs, clock, explain=lambda _run: [reason], seconds=20.0)
        if isinstance(each, HeldUpdate)
    ]
    assert held == [HeldUpdate("r", 0, reason)]
    assert sum(clock.slept) == pytest.approx(20.0, abs=0.2)


def test_stop_ends_the_iteration_and_before_that_there_is_no_result():
    runs = Runs()
    runs.known = {"r": 2}
    following = follower(runs)
    updates = iter(following)
    next(updates)
    with pytest.raises(RuleError, match="still followed"):
        _ = following.result
    following.stop()
    list(updates)
    assert following.result.status == "open"


@pytest.fixture
def world(tmp_path):
    store = new_record(tmp_path)
    made = EngineWorld(store, tmp_path, lambda book, workers, _r, clock, who: LocalEngine(book, workers, clock, who))
    yield made
    made.close()
    store.close()


def followed(world, run, notifier=None):
    notifier = notifier or world.runs.notifier
    return RunFollower(world.runs, world.user, run.id, clock=world.clock, notifier=notifier)


def test_a_real_run_and_what_it_called_come_as_they_happened(world):
    """Two calls at once, one of a Process: the updates stand in the order of the entries' times."""
    tool = world.tool("echo", echo)
    inner = world.process("inner", [step_of("deep", tool), step_of("deeper", tool)])
    calls = [step_of(each, "", process=inner.id, inputs={"q": "{q}"}, mode="parallel") for each in ("a", "b")]
    run = world.start_run(world.process("outer", [*calls, step_of("z", tool)]))
    updates = list(followed(world, run))
    assert {each.run for each in updates} == {run.id, f"{run.id}:a:1", f"{run.id}:b:1"}
    names = told(updates)
    assert sum("deep" in each for each in names) == 8
    for each in "ab":
        child = f"1 {run.id}:{each}:1 run_started"
        began, ended = f"0 {run.id} step_started {each}", f"0 {run.id} step_completed {each}"
        assert names.index(began) < names.index(child) < names.index(ended)


def test_what_happens_while_it_is_checked_who_can_go_on_comes_before_it_stops(world):
    """Entries that come between the last look and the question are not lost."""
    tool = world.tool("echo", echo)
    steps = [step_of("a", tool), step_of("ask", tool, after=["a"], interactionMode="manual")]
    run = world.start_run(world.process("asks", steps))
    world.wait_until(lambda: bool(world.runs.list_questions(world.user, run.id)))
    is_known = []

    def questions(user, of):
        is_known.append(True)
        return world.runs.list_questions(user, of)

    def entries(of, after):
        return world.runs.repository.entries(of, after) if is_known else iter(())

    book = SimpleNamespace(entries=entries, get_phase=world.runs.repository.get_phase)
    runs = SimpleNamespace(view=world.runs.view, repository=book, list_questions=questions)
    clock = FakeClock()
    following = RunFollower(runs, world.user, run.id, clock=clock, notifier=ClockNotifier(clock))
    steps = [each.split()[-1] for each in told(following) if "step_" in each]
    assert steps == ["a", "a", "ask"]
    assert following.result.status == "waits_for_person"
    assert [question.step for question in following.result.questions] == ["ask"]


def test_news_alone_carry_a_follower_to_the_end_of_a_run_and_of_what_it_called(world):
    """Without one read by itself: each wait lasts until the engine has stored an entry of the family."""
    tool = world.tool("echo", echo)
    inner = world.process("inner", [step_of("deep", tool)])
    outer = world.process("outer", [step_of("a", tool), step_of("b", "", process=inner.id, inputs={"q": "{q}"})])
    run = world.start_run(outer)
    following = followed(world, run, PatientNotifier(world.runs.notifier))
    names = told(following)
    assert names[-1] == f"0 {run.id} run_completed"
    assert f"1 {run.id}:b:1 run_completed" in names
    assert following.result.status == "ended"


def test_stop_wakes_a_follower_that_waits_for_news(world):
    tool = world.tool("echo", echo)
    run = world.start_run(world.process("asks", [step_of("ask", tool, interactionMode="manual")]))
    following = followed(world, run, PatientNotifier(world.runs.notifier))
    updates = iter(following)
    while named(run.id, next(updates).entry).split()[1] != "step_started":
        pass
    stopper = threading.Timer(0.0, following.stop)
    stopper.start()
    assert list(updates) == []
    assert following.result.status != "ended"
