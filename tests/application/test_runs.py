"""What a user does with runs, on the engine in memory and a record in SQLite."""

import pytest

from aeon.adapters.engines.retry import wait_until
from aeon.application.run_follower import EntryUpdate
from aeon.base.next_steps import NextStep
from aeon.platform.errors import NotFoundError, RuleError

from .conftest import STORED

SOON = 20.0
HURRY = """
kind: Process
name: hurry
steps:
  - {id: approve, tool: mine, output: said, execution: {interactionMode: manual, timeout: 2}}
"""


def test_a_run_is_started_by_the_name_of_its_process_and_settles_at_its_end(project):
    run = project.runs.start("greet", {"who": "Ann"})
    settled = project.runs.settle(run.id, SOON)
    assert (settled.status, settled.phase, settled.output) == ("ended", "completed", "Hello Ann")
    assert [each.id for each in project.runs.list().items] == [run.id]


def test_the_same_key_gives_the_same_run(project):
    first = project.runs.start("greet", {"who": "Ann"}, key="k")
    project.runs.settle(first.id, SOON)
    again = project.runs.start("greet", {"who": "Ann"}, key="k")
    assert again.id == first.id
    assert project.runs.settle(again.id, SOON).output == "Hello Ann"
    assert len(project.runs.list().items) == 1


def test_a_run_of_a_process_that_is_gone_is_adopted_by_who_starts_it_with_its_key(opened, project):
    first = project.runs.start("ask", {"what": "tea"}, key="k")
    assert project.runs.settle(first.id, SOON).status == "waits_for_person"
    project.close()
    later = opened()
    assert later.runs.start("ask", {"what": "tea"}, key="k").id == first.id
    later.runs.answer(first.id, "approve", "yes")
    assert later.runs.settle(first.id, SOON).output == "tea: yes"


def test_inputs_that_do_not_fit_accept_no_run(project):
    with pytest.raises(RuleError, match="it lacks who"):
        project.runs.start("greet", {"name": "Ann"})
    with pytest.raises(NotFoundError):
        project.runs.start("nothing", {})
    assert project.runs.list().items == []


def test_a_run_settles_at_a_question_and_goes_on_with_its_answer(project):
    run = project.runs.start("ask", {"what": "tea"})
    settled = project.runs.settle(run.id, SOON)
    assert (settled.status, [each.step for each in settled.questions]) == ("waits_for_person", ["approve"])
    assert project.runs.list_questions(run.id) == settled.questions
    assert [reason.kind for reason in project.runs.explain(run.id)] == ["asked"]
    assert project.runs.answer(run.id, "approve", "yes").run == run.id
    assert project.runs.settle(run.id, SOON).output == "tea: yes"


def test_a_question_of_a_called_run_settles_its_caller(project):
    run = project.runs.start("asks_below", {})
    settled = project.runs.settle(run.id, SOON)
    (question,) = settled.questions
    assert (settled.status, question.run) == ("waits_for_person", f"{run.id}:below:1")
    project.runs.answer(run.id, "approve", "yes")
    assert project.runs.settle(run.id, SOON).output == "tea: yes"


def test_a_question_that_has_timed_out_takes_no_answer_and_its_run_is_resumed(opened, project):
    """Platform 9: nobody says that it is answered, and the run goes on without."""
    project.apply(HURRY)
    run = project.runs.start("hurry", {})
    assert project.runs.settle(run.id, SOON).status == "waits_for_person"
    project.close()
    later = opened()
    wait_until(lambda: not later.runs.list_questions(run.id), SOON)
    with pytest.raises(RuleError, match="has timed out: nobody answered within 2 s") as refused:
        later.runs.answer(run.id, "approve", "yes")
    assert refused.value.next == NextStep("runs.resume", run=run.id)
    later.runs.resume(run.id)
    assert later.runs.settle(run.id, SOON).phase == "failed"
    with pytest.raises(RuleError, match="It has ended: it is failed") as refused:
        later.runs.answer(run.id, "approve", "yes")
    assert refused.value.next == NextStep("runs.ask_again", run=run.id)


def test_when_the_time_is_over_the_run_is_open(project):
    run = project.runs.start("ask", {"what": "tea"})
    assert project.runs.settle(run.id, 0.0).status == "open"


def test_a_cancelled_run_ends_and_is_retried_without_its_completed_steps(project):
    run = project.runs.start("ask", {"what": "tea"})
    project.runs.settle(run.id, SOON)
    assert project.runs.cancel(run.id)
    assert project.runs.view(run.id).run.phase == "cancelled"
    with pytest.raises(RuleError, match="has ended"):
        project.runs.cancel(run.id)
    again = project.runs.retry(run.id, key="again")
    assert project.runs.retry(run.id, key="again").id == again.id
    project.runs.settle(again.id, SOON)
    project.runs.answer(again.id, "approve", "yes")
    settled = project.runs.settle(again.id, SOON)
    assert (settled.output, settled.view.run.retry_of) == ("tea: yes", run.id)


def test_a_run_that_was_left_behind_goes_on_where_it_is_resumed(opened, project):
    run = project.runs.start("asks_below", {})
    child = project.runs.settle(run.id, SOON).questions[0].run
    project.close()
    later = opened()
    later.runs.answer(run.id, "approve", "yes")
    assert later.runs.resume(child).id == run.id
    assert later.runs.settle(run.id, SOON).output == "tea: yes"
    assert later.runs.resume(run.id).phase == "completed"


def test_a_follower_gives_the_entries_of_a_family_in_order_and_goes_on_at_its_cursor(project):
    run = project.runs.start("asks_below", {})
    first = project.runs.follow(run.id)
    seen = [(each.depth, each.entry.event.event) for each in first if isinstance(each, EntryUpdate)]
    assert [depth for depth, _ in seen] == [0, 0, 1, 1, 1, 1]
    assert first.result.status == "waits_for_person"
    project.runs.answer(run.id, "approve", "yes")
    later = [(each.depth, each.entry.event.event) for each in project.runs.follow(run.id, after=first.cursor)]
    assert later == [(1, "answer_given"), (1, "run_completed"), (0, "step_completed"), (0, "run_completed")]
    assert [each.entry.event.event for each in project.runs.follow(run.id, from_now=True)] == []


def test_several_projects_of_a_process_execute_runs_at_once(opened):
    """Each has its own engine on its own database: a run that waits in one keeps none in another from its end."""
    one, two = (opened(name, settings={"engine.address": None}) for name in ("one", "two"))
    for each in (one, two):
        each.apply(STORED)
    waiting = one.runs.start("ask", {"what": "tea"})
    assert one.runs.settle(waiting.id, SOON).status == "waits_for_person"
    run = one.runs.start("greet", {"who": "Ann"}, key="k")
    assert two.runs.settle(two.runs.start("greet", {"who": "Ben"}).id, SOON).output == "Hello Ben"
    assert one.runs.settle(run.id, SOON).output == "Hello Ann"
    assert one.runs.start("greet", {"who": "Ann"}, key="k").id == run.id
    two.close()
    one.runs.answer(waiting.id, "approve", "yes")
    assert one.runs.settle(waiting.id, SOON).output == "tea: yes"
    assert [len(each.runs.list().items) for each in (one, opened("two"))] == [2, 1]


def test_runs_are_their_owners_alone(opened, project):
    run = project.runs.start("greet", {"who": "Ann"})
    other = opened(user="eve")
    with pytest.raises(NotFoundError):
        other.runs.view(run.id)
    with pytest.raises(NotFoundError):
        other.runs.follow(run.id)


def test_runs_are_listed_page_by_page_newest_first(project):
    ids = [project.runs.start("greet", {"who": str(number)}).id for number in range(5)]
    page = project.runs.list(limit=2)
    found = [each.id for each in page.items]
    while page.next_cursor is not None:
        page = project.runs.list(limit=2, after=page.next_cursor)
        found += [each.id for each in page.items]
    assert found == ids[::-1]


def test_runs_are_listed_by_phase_process_and_time(project):
    greeted = project.runs.start("greet", {"who": "Ann"})
    asked = project.runs.start("ask", {"what": "tea"})
    project.runs.settle(greeted.id, SOON)
    project.runs.settle(asked.id, SOON)
    runs, process = project.runs, project.processes.get("ask")

    def listed(**wanted):
        return [each.id for each in runs.list(**wanted).items]

    assert listed(phase="completed") == [greeted.id]
    assert listed(phase="running") == [asked.id]
    assert listed(process="greet") == [greeted.id]
    assert listed(process=process.id) == [asked.id]
    assert listed(since=asked.accepted_at) == [asked.id]
    assert listed(since="2999-01-01T00:00:00Z") == []
    assert listed(phase="failed", process="greet") == []
    for wanted, said in (({"since": "soon"}, "not an instant"), ({"after": "x"}, "not a cursor")):
        with pytest.raises(RuleError, match=said):
            runs.list(**wanted)


def test_two_runs_of_a_process_are_compared_step_by_step(project):
    first = project.runs.start("ask", {"what": "tea"})
    project.runs.settle(first.id, SOON)
    project.runs.answer(first.id, "approve", "yes")
    project.runs.settle(first.id, SOON)
    second = project.runs.start("ask", {"what": "milk"})
    project.runs.settle(second.id, SOON)
    compared = project.runs.compare(first.id, second.id)
    assert compared.differing_inputs == ["what"]
    assert [(each.id, each.differing) for each in compared.steps] == [("look", []), ("approve", ["status", "output"])]
    approve = compared.steps[1]
    assert (approve.first.output, approve.second.status, approve.second.attempts) == ("yes", "running", 1)


def test_a_step_that_only_one_of_two_runs_has_is_told_and_other_processes_are_refused(project):
    before = project.runs.start("greet", {"who": "Ann"})
    project.runs.settle(before.id, SOON)
    project.apply(
        STORED.replace(
            "- {id: look, tool: mine, output: found}\noutput", "- {id: see, tool: mine, output: found}\noutput"
        )
    )
    after = project.runs.start("greet", {"who": "Ann"})
    project.runs.settle(after.id, SOON)
    compared = project.runs.compare(before.id, after.id)
    assert [(each.id, each.differing) for each in compared.steps] == [("see", ["step"]), ("look", ["step"])]
    assert compared.differing_inputs == []
    other = project.runs.start("ask", {"what": "tea"})
    with pytest.raises(RuleError, match="two Processes"):
        project.runs.compare(before.id, other.id)
    with pytest.raises(NotFoundError):
        project.runs.compare(before.id, "nothing")
