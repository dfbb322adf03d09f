"""A run and what it called, told in one order."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st
from tests.platform.processes.conftest import plan_of, step

from aeon.adapters.engines.local import LocalEngine
from aeon.cli.platform.run_follower import CallingStep, RunFollower, interleave
from aeon.platform.errors import NotFoundError
from aeon.platform.runs.machine.events import AttemptStarted, RunCompleted, RunStarted, StepCompleted
from aeon.platform.runs.model import RunEntry
from aeon.testing.engines.world import EngineWorld, echo
from aeon.testing.engines.world import step as step_of
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

    def entries(self, run, after):
        return [each for each in self.there[run][: self.known[run]] if each.n > after]


def test_a_family_that_ran_between_two_looks_is_told_whole_and_in_order():
    told = []
    following = RunFollower(SimpleNamespace(runs=Runs()), "me", "r", told.append)
    assert following._poll()
    assert [line.split(" in ")[0] for line in told] == [
        "before started: tool the before",
        "before done",
        "a started: process the a",
        "  x started: process the x",
        "    deep started: tool the deep",
        "    deep done",
        "  x done",
        "a done",
        "z started: tool the z",
        "z done",
    ]
    assert not following._poll()


def test_a_run_that_is_not_there_yet_is_met_at_the_next_look():
    told, runs = [], Runs()
    runs.known = {"r": 4}
    following = RunFollower(SimpleNamespace(runs=runs), "me", "r", told.append)
    following._poll()
    assert told[-1] == "a started: process the a"
    runs.known = dict.fromkeys(FAMILY, 99)
    following._poll()
    assert [line.split()[0] for line in told[3:]] == ["x", "deep", "deep", "x", "a", "z", "z"]


def test_what_was_skipped_is_not_told():
    told, runs = [], Runs()
    runs.known = {"r": 4, "r:a:1": 2}
    following = RunFollower(SimpleNamespace(runs=runs), "me", "r", told.append)
    following.skip_past_events()
    runs.known = dict.fromkeys(FAMILY, 99)
    following._poll()
    assert [line.split()[0] for line in told] == ["deep", "deep", "x", "a", "z", "z"]


def test_a_real_run_and_what_it_called_are_told_as_they_happened(tmp_path):
    """Two calls at once, one of a Process: the lines stand in the order of the entries' times."""
    store = new_record(tmp_path)
    world = EngineWorld(store, tmp_path, lambda book, workers, _r, clock, who: LocalEngine(book, workers, clock, who))
    try:
        tool = world.tool("echo", echo)
        inner = world.process("inner", [step_of("deep", tool), step_of("deeper", tool)])
        calls = [step_of(each, "", process=inner.id, inputs={"q": "{q}"}, mode="parallel") for each in ("a", "b")]
        run = world.start_run(world.process("outer", [*calls, step_of("z", tool)]))
        world.wait_for_end(run)
        told, whole = [], {}
        RunFollower(SimpleNamespace(runs=world.runs), world.user, run.id, told.append)._poll()
        for each in (run.id, f"{run.id}:a:1", f"{run.id}:b:1"):
            whole[each] = list(world.runs.repository.entries(each))
        callers = {f"{run.id}:{each}:1": CallingStep(run.id, each) for each in "ab"}
        times = [entry.at for _, entry in interleave(whole, callers)]
        assert times == sorted(times)
        assert len(told) == 2 * (2 + 2 * 2 + 1)
        assert told[-1].startswith("z done")
        for each in "ab":
            began, ended = (
                next(n for n, line in enumerate(told) if line.startswith(f"{each} {how}"))
                for how in ("started", "done")
            )
            assert began < ended
        assert sum(line.startswith("  deep") for line in told) == 8
    finally:
        world.close()
        store.close()


def test_what_happens_while_it_is_asked_who_can_go_on_is_told_before_it_stops(tmp_path):
    """Entries that come between the last look and the question are not lost."""
    store = new_record(tmp_path)
    world = EngineWorld(store, tmp_path, lambda book, workers, _r, clock, who: LocalEngine(book, workers, clock, who))
    try:
        tool = world.tool("echo", echo)
        steps = [step_of("a", tool), step_of("ask", tool, after=["a"], interactionMode="manual")]
        run = world.start_run(world.process("asks", steps))
        world.wait_until(lambda: bool(world.runs.list_questions(world.user, run.id)))
        told, is_known = [], []

        def questions(user, of):
            is_known.append(True)
            return world.runs.list_questions(user, of)

        def entries(of, after):
            return world.runs.repository.entries(of, after) if is_known else iter(())

        book = SimpleNamespace(entries=entries, get_phase=world.runs.repository.get_phase)
        runs = SimpleNamespace(view=world.runs.view, repository=book, list_questions=questions)
        followed = RunFollower(SimpleNamespace(runs=runs), world.user, run.id, told.append).follow()
        assert [question.step for question in followed.questions] == ["ask"]
        assert [line.split()[0] for line in told] == ["a", "a", "ask"]
    finally:
        world.close()
        store.close()
