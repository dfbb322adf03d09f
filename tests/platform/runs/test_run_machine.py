"""What a run does next, and what its events make of it (platform 6-10)."""

import json

import pytest
from tests.platform.driven_runs import SEMANTICS, Run, plan_of, step, together

from aeon.platform.errors import RuleError
from aeon.platform.runs.machine.apply import rejection_reason
from aeon.platform.runs.machine.commands import (
    AskPerson,
    CancelStep,
    FailRun,
    FinishRun,
    StartJob,
    StartProcess,
    event_of_command,
)
from aeon.platform.runs.machine.decide import decide, recorded_commands
from aeon.platform.runs.machine.events import (
    AnswerGiven,
    AttemptStarted,
    CancelRequested,
    DeadlinePassed,
    RunCancelled,
    RunCompleted,
    RunFailed,
    RunStarted,
    StepCompleted,
    StepFailed,
    StepRefused,
    StepSkipped,
    StepStopped,
    StepStopping,
    StepTimedOut,
    parse_event,
)
from aeon.platform.runs.machine.failures import DEADLINE_FAILURE
from aeon.platform.runs.machine.plan import DEFAULT_RETRY, RunPlan, StepCall, plan_run
from aeon.platform.runs.machine.retry_policy import retry_delay
from aeon.platform.runs.machine.state import initial_state, parse_state


def steps_of(commands):
    return [command.step for command in commands]


def after(plan, inputs=None, **fields):
    run = Run(plan, inputs, **fields)
    run.advance()
    return run


class TestOrder:
    """platform 7: sequential steps wait for all before them, parallel ones for the last sequential one."""

    def test_a_sequential_step_waits_for_all_before_it(self):
        run = after(plan_of(step("a"), step("b")))
        assert steps_of(run.started()) == ["a"]
        assert steps_of(run.completes("a")) == ["b"]

    def test_parallel_steps_run_beside_each_other_and_after_every_sequential_one(self):
        run = after(plan_of(step("a"), together("b"), together("c"), step("d"), together("e")))
        assert steps_of(run.completes("a")) == ["b", "c"]
        assert run.completes("c") == []
        assert steps_of(run.completes("b")) == ["d"]
        assert steps_of(run.completes("d")) == ["e"]

    def test_the_index_of_what_a_step_waits_for_is_small(self):
        plan = plan_of(step("a"), together("b"), together("c", dependsOn=["a"]), step("d"), step("e", dependsOn=["b"]))
        assert [plan.waits_for(position) for position in range(5)] == [[], [0], [0], [1, 2], [1, 3]]

    def test_a_job_carries_all_that_a_worker_needs(self):
        run = after(plan_of(step("a", inputs={"q": "{who}"}, timeout=7), initialContext=["who"]), {"who": ["ann"]})
        assert run.started() == [
            StartJob(
                step="a",
                job="r:a:1",
                attempt=1,
                inputs={"q": ["ann"]},
                timeout=7,
                tool="tool-a",
                worker="rest_api",
                tokens=None,
            )
        ]

    def test_inputs_take_the_values_of_earlier_steps_with_their_types(self):
        run = after(plan_of(step("a", variable="found"), step("b", inputs={"rows": "{step.found.rows}", "n": 1})))
        assert run.completes("a", {"rows": [1, 2]})[0].inputs == {"rows": [1, 2], "n": 1}

    def test_a_started_step_is_not_asked_for_again(self):
        run = after(plan_of(step("a")))
        assert run.decided() == []


class TestOutput:
    def test_without_a_template_it_is_the_last_steps_value(self):
        run = after(plan_of(step("a"), step("b")))
        run.completes("a", 1)
        assert run.completes("b", {"n": 2}) == [FinishRun(output={"n": 2})]
        assert (run.state.phase, run.state.output) == ("completed", {"n": 2})

    def test_a_template_sees_all_variables(self):
        run = after(plan_of(step("a"), step("b"), outputTemplate="{step.a} and {step.b}"))
        run.completes("a", "one")
        run.completes("b", "two")
        assert run.state.output == "one and two"

    def test_a_template_that_cannot_be_rendered_fails_the_run_in_its_words(self):
        run = after(plan_of(step("a"), outputTemplate="{step.a.x}"))
        run.completes("a")
        assert run.state.phase == "failed"
        assert "the result of step 'a' has no 'x'" in run.state.error.message


class TestInputs:
    def test_a_run_that_lacks_inputs_fails_before_its_first_step(self):
        run = after(plan_of(step("a"), initialContext=["who", "when", "where"]), {"when": 1})
        assert run.started() == []
        assert run.state.error.message == "The run lacks the inputs 'who', 'where'."
        assert run.state.phase == "failed"


class TestRequired:
    """platform 8: failed, timed out or empty ends the run, or is null where the output is not required."""

    def test_a_required_output_that_failed_ends_the_run_and_says_what_to_do(self):
        run = after(plan_of(step("a"), step("b")))
        assert run.fails("a", next_step="Start the service.")[-1] == FailRun(error=run.state.error)
        error = run.state.error
        assert (error.step, error.target, error.attempts, error.code) == ("a", "tool-a", 1, "broken")
        assert error.message == "Step 'a' (tool 'the a', tried once): connection refused."
        assert error.next_step == "Start the service."
        assert run.state.phase == "failed"
        assert steps_of(run.started()) == ["a"]

    @pytest.mark.parametrize("empty", [None, "", [], {}])
    def test_an_empty_output_is_none(self, empty):
        run = after(plan_of(step("a")))
        run.completes("a", empty)
        assert run.state.phase == "failed"
        assert run.state.error.message == "Step 'a' (tool 'the a', tried once): its output is empty."
        assert "required: false" in run.state.error.next_step

    @pytest.mark.parametrize("output", [0, False, 0.0, " ", [None], {"a": None}])
    def test_zero_and_false_are_outputs(self, output):
        run = after(plan_of(step("a")))
        run.completes("a", output)
        assert run.state.phase == "completed"
        assert run.state.output == output

    def test_a_run_has_not_failed_while_something_of_it_runs(self):
        run = after(plan_of(together("a"), together("b")))
        assert not run.record(RunFailed(error=DEADLINE_FAILURE))
        run.fails("b")
        assert not run.record(RunFailed(error=run.state.error))
        assert run.record(StepStopped(step="a"))
        assert run.record(RunFailed(error=run.state.error))

    def test_running_steps_are_cancelled_and_the_run_ends_when_they_have_stopped(self):
        run = after(plan_of(together("a"), together("b"), together("c")))
        assert run.fails("b") == [CancelStep(step="a", job="r:a:1"), CancelStep(step="c", job="r:c:1")]
        assert run.state.phase == "failing"
        assert run.record(StepStopped(step="a"))
        assert run.decided() == []
        assert run.record(StepCompleted(step="c", attempt=1, output="too late"))
        run.advance()
        assert run.state.phase == "failed"
        assert run.state.error.step == "b"

    @pytest.mark.parametrize("loss", ["fails", "times out", "is empty"])
    def test_what_is_not_required_is_null_and_on(self, loss):
        run = after(plan_of(step("a", required=False), step("b", inputs={"x": "{step.a}"})))
        if loss == "fails":
            started = run.fails("a")
        elif loss == "is empty":
            started = run.completes("a", "")
        else:
            run.record(StepTimedOut(step="a", attempt=1))
            started = run.advance()
        assert started[0].inputs == {"x": None}

    def test_a_timeout_is_final(self):
        run = after(plan_of(step("a", timeout=5)))
        run.record(StepTimedOut(step="a", attempt=1))
        run.advance()
        assert run.state.error.message == "Step 'a' (tool 'the a', tried once): it did not end within 5 s."
        assert "more time" in run.state.error.next_step


class TestConditions:
    """platform 6: a false condition skips the step; its variable is null."""

    def test_a_false_condition_skips_and_gives_null(self):
        plan = plan_of(step("a", condition="flag"), step("b", inputs={"x": "{step.a}"}), initialContext=["flag"])
        run = after(plan, {"flag": False})
        assert [type(command).__name__ for command in run.acted] == ["SkipStep", "StartJob"]
        assert run.acted[1].inputs == {"x": None}
        assert run.of("a").reason == "its condition is false: flag"

    def test_a_required_output_that_its_own_condition_left_out_does_not_end_the_run_platform_8(self):
        run = after(plan_of(step("a", condition="flag", required=True), initialContext=["flag"]), {"flag": False})
        assert (run.state.phase, run.state.output) == ("completed", None)

    def test_a_true_one_runs(self):
        plan = plan_of(step("a"), step("b", condition="step.a"), step("c", condition="not step.a"))
        run = after(plan)
        run.completes("a", 1)
        run.completes("b", 2)
        assert steps_of(run.started()) == ["a", "b"]

    def test_one_that_cannot_be_evaluated_fails_its_step(self):
        run = after(plan_of(step("a", condition="step.missing")))
        assert run.state.phase == "failed"
        assert "never started): the condition names 'step.missing'" in run.state.error.message

    def test_inputs_that_cannot_be_bound_fail_their_step_only_if_required(self):
        plan = plan_of(step("a"), step("b", required=False, inputs={"x": "{step.a.x}"}), step("c"))
        run = after(plan)
        assert steps_of(run.completes("a", "text")) == ["b", "c"]
        assert "the result of step 'a' has no 'x'" in run.of("b").error.message

    def test_a_parallel_neighbour_is_not_seen_however_fast_it_was(self):
        run = after(plan_of(together("a"), together("b", inputs={"x": "{step.a}"}, required=False)))
        assert run.of("b").status == "failed"


class TestRetries:
    """platform 10: at most 3 times after the first, with backoff, when the failure is transient."""

    def test_a_transient_failure_is_tried_three_times_more(self):
        run = after(plan_of(step("a")))
        for _ in range(4):
            run.fails("a", transient=True)
        assert [(command.job, command.delay) for command in run.started()] == [
            ("r:a:1", 0.0),
            ("r:a:2", 1.0),
            ("r:a:3", 4.0),
            ("r:a:4", 16.0),
        ]
        assert run.state.phase == "failed"
        assert "tried 4 times" in run.state.error.message

    def test_the_wait_grows(self):
        assert [retry_delay(DEFAULT_RETRY, attempt) for attempt in range(1, 5)] == [0, 1, 4, 16]

    def test_another_failure_is_final(self):
        run = after(plan_of(step("a")))
        assert [type(command).__name__ for command in run.fails("a", transient=False)] == ["FailRun"]

    @pytest.mark.parametrize(("may_have_happened", "tries"), [(True, 1), (False, 2)])
    def test_what_may_be_done_once_only_is_repeated_when_it_surely_was_not_done(self, may_have_happened, tries):
        run = after(plan_of(step("a"), effects={"a": "once"}))
        run.fails("a", transient=True, may_have_happened=may_have_happened)
        assert len(run.started()) == tries

    def test_a_late_result_of_an_earlier_attempt_counts_and_the_later_one_is_ignored(self):
        run = after(plan_of(step("a"), step("b")))
        run.fails("a", transient=True)
        assert run.record(StepCompleted(step="a", attempt=1, output="first"))
        assert not run.record(StepCompleted(step="a", attempt=2, output="second"))
        assert run.of("a").value == "first"
        assert steps_of(run.advance()) == ["b"]

    def test_a_late_result_while_the_next_attempt_is_still_to_come_spares_it(self):
        run = after(plan_of(step("a")))
        run.record(StepFailed(step="a", attempt=1, error={"code": "x", "message": "x", "transient": True}))
        assert steps_of(run.decided()) == ["a"]
        assert not run.record(StepSkipped(step="a", reason="it was started before"))
        run.record(StepCompleted(step="a", attempt=1, output="first"))
        assert run.decided() == [FinishRun(output="first")]

    def test_the_condition_is_asked_once(self):
        asked = []
        semantics = SEMANTICS._replace(holds=lambda condition, _values: not asked.append(condition))
        run = after(plan_of(step("a", condition="x")), semantics=semantics)
        run.fails("a", transient=True)
        assert asked == ["x"]


class TestTokens:
    """platform 7: budgets of steps as given, the rest is shared by the others."""

    def test_steps_without_a_budget_share_the_rest(self):
        plan = plan_of(step("a", budget=30), step("b"), together("c"), together("d"), tokenBudget=100)
        run = after(plan)
        assert run.started()[-1].tokens == 30
        assert run.completes("a", tokens=30)[0].tokens == 70
        assert [command.tokens for command in run.completes("b", tokens=20)] == [25, 25]

    def test_more_than_its_own_budget_ends_the_run(self):
        run = after(plan_of(step("a", budget=10, required=False), step("b")))
        run.completes("a", tokens=11)
        assert run.state.phase == "failed"
        assert "it used 11 tokens and has a budget of 10" in run.state.error.message
        assert run.state.error.next_step == "Give the step or the process a larger token budget."

    def test_more_than_the_shared_rest_ends_the_run(self):
        run = after(plan_of(step("a"), step("b", budget=60), tokenBudget=100))
        run.completes("a", tokens=41)
        assert "the steps without a budget used 41 tokens and share 40" in run.state.error.message

    def test_a_caller_may_leave_less_than_the_definition_allows(self):
        plan = plan_of(step("a", budget=60), step("b", budget=40), tokenBudget=100, limits={"token_budget": 50})
        run = after(plan)
        run.completes("a", tokens=51)
        assert "the run used 51 tokens and has a budget of 50" in run.state.error.message

    def test_all_of_a_budget_may_be_used(self):
        run = after(plan_of(step("a"), step("b", budget=60), tokenBudget=100))
        run.completes("a", tokens=40)
        run.completes("b", tokens=60)
        assert (run.state.phase, run.state.tokens) == ("completed", 100)

    def test_failed_attempts_count(self):
        run = after(plan_of(step("a"), tokenBudget=10))
        assert run.fails("a", transient=True, tokens=6)[0].tokens == 4
        run.fails("a", transient=True, tokens=6)
        assert run.state.phase == "failed"
        assert len(run.started()) == 2

    def test_no_budget_no_limit(self):
        run = after(plan_of(step("a")))
        run.completes("a", tokens=10**9)
        assert run.state.phase == "completed"


class TestRecursion:
    """platform 7: recursion at most so deep; the error shows the call stack."""

    def test_a_process_is_started_with_one_less_and_the_names_of_its_callers(self):
        run = after(plan_of(step("a", calls="process"), tokenBudget=9, limits={"depth_left": 2, "callers": ("top",)}))
        assert run.started() == [
            StartProcess(
                step="a",
                job="r:a:1",
                attempt=1,
                inputs={},
                timeout=60,
                process="process-a",
                depth_left=1,
                tokens=9,
                callers=["top", "work"],
            )
        ]

    def test_with_no_depth_left_it_fails_and_shows_the_call_stack(self):
        run = after(plan_of(step("a", calls="process"), limits={"depth_left": 0, "callers": ("top", "middle")}))
        assert run.state.phase == "failed"
        assert "call each other too deeply: top > middle > work > the a" in run.state.error.message
        assert "maxRecursionDepth" in run.state.error.next_step

    def test_a_run_gets_no_more_depth_than_its_definition_allows(self):
        assert plan_of(step("a"), limits={"depth_left": 9}).depth_left == 3
        assert plan_of(step("a"), maxRecursionDepth=5).depth_left == 5

    def test_a_process_that_is_not_required_may_stand_too_deep(self):
        run = after(plan_of(step("a", calls="process", required=False), step("b"), limits={"depth_left": 0}))
        assert steps_of(run.started()) == ["b"]


class TestPersons:
    """platform 9: a manual step asks, and the answer is its output."""

    PLAN = (step("a", interactionMode="manual", inputs={"question": "sure?"}, timeout=9), step("b"))

    def test_it_asks_once_and_the_answer_is_the_output(self):
        run = after(plan_of(*self.PLAN))
        assert run.started() == [
            AskPerson(step="a", job="r:a:1", attempt=1, inputs={"question": "sure?"}, timeout=9, asks=None)
        ]
        assert run.decided() == []
        assert run.record(AnswerGiven(step="a", by="ann", answer="yes"))
        assert not run.record(AnswerGiven(step="a", by="bob", answer="no"))
        assert run.of("a").value == "yes"
        assert steps_of(run.advance()) == ["b"]

    def test_the_wrong_persons_answer_is_ignored(self):
        run = after(plan_of(*self.PLAN, asks={"a": "ann"}))
        answer = AnswerGiven(step="a", by="eve", answer="no")
        assert not run.record(answer)
        assert rejection_reason(run.plan, run.state, answer) == "step 'a' asks only ann"
        assert run.record(AnswerGiven(step="a", by="ann", answer="yes"))

    def test_a_worker_cannot_answer_for_a_person_nor_a_person_for_a_worker(self):
        run = after(plan_of(*self.PLAN))
        assert not run.record(StepCompleted(step="a", attempt=1, output="yes"))
        run.record(AnswerGiven(step="a", by="ann", answer="yes"))
        run.advance()
        assert not run.record(AnswerGiven(step="b", by="ann", answer="yes"))

    def test_the_timeout_runs_for_the_human_too(self):
        run = after(plan_of(*self.PLAN))
        run.record(StepTimedOut(step="a", attempt=1))
        run.advance()
        assert "nobody answered within 9 s" in run.state.error.message
        assert not run.record(AnswerGiven(step="a", by="ann", answer="late"))

    def test_a_pause_survives_a_restart(self):
        run = after(plan_of(*self.PLAN))
        plan = RunPlan.parsed(json.loads(json.dumps(run.plan.as_dict())))
        state = parse_state(plan, json.loads(json.dumps(run.state.as_dict(plan))))
        assert decide(plan, state, SEMANTICS) == []
        assert recorded_commands(plan, state, SEMANTICS) == run.started()


class TestClosing:
    def test_cancelling_stops_what_runs_and_starts_nothing(self):
        run = after(plan_of(together("a"), together("b"), step("c")))
        run.completes("a")
        assert run.record(CancelRequested(by="ann"))
        assert run.decided() == [CancelStep(step="b", job="r:b:1")]
        run.advance()
        assert recorded_commands(run.plan, run.state, SEMANTICS) == [CancelStep(step="b", job="r:b:1")]
        run.record(StepCompleted(step="b", attempt=1, output="late"))
        run.advance()
        assert run.state.phase == "cancelled"
        assert steps_of(run.started()) == ["a", "b"]

    def test_it_is_not_cancelled_before_all_has_stopped_nor_when_nobody_asked(self):
        run = Run(plan_of(step("a")))
        assert not run.record(RunCancelled())
        run.advance()
        run.record(CancelRequested(by="ann"))
        assert not run.record(RunCancelled())

    def test_before_anything_ran_it_ends_at_once(self):
        run = Run(plan_of(step("a")))
        run.record(CancelRequested(by="ann"))
        run.advance()
        assert run.events[-1] == RunCancelled()

    def test_a_run_that_was_cancelled_before_it_began_never_begins(self):
        plan = plan_of(step("a"))
        run = Run(plan)
        run.state = initial_state(plan)
        assert run.record(CancelRequested(by="ann"))
        assert not run.record(RunStarted(inputs={}))
        run.advance()
        assert run.state.phase == "cancelled"

    def test_a_failing_run_that_is_cancelled_ends_cancelled_and_keeps_its_error(self):
        run = after(plan_of(together("a"), together("b")))
        run.fails("a")
        run.record(CancelRequested(by="ann"))
        run.record(StepStopped(step="b"))
        run.advance()
        assert (run.state.phase, run.state.error.step) == ("cancelled", "a")

    def test_the_deadline_ends_it_as_failed(self):
        run = after(plan_of(step("a"), step("b")))
        run.record(DeadlinePassed())
        run.advance()
        run.record(StepStopped(step="a"))
        run.advance()
        assert (run.state.phase, run.state.error.code) == ("failed", "deadline")

    def test_a_run_that_is_closed_tries_nothing_again(self):
        run = after(plan_of(step("a")))
        run.record(CancelRequested(by="ann"))
        run.fails("a", transient=True)
        assert run.state.phase == "cancelled"
        assert len(run.started()) == 1

    def test_a_command_whose_event_comes_too_late_is_not_carried_out(self):
        run = Run(plan_of(together("a"), together("b")))
        first, second = run.decided()
        assert run.record(event_of_command(first))
        run.record(CancelRequested(by="ann"))
        assert not run.record(event_of_command(second))


class TestStrictness:
    def test_what_cannot_happen_changes_nothing_and_says_why(self):
        run = after(plan_of(step("a"), step("b")))
        job = AttemptStarted(step="b", job="r:b:1", attempt=1)
        refused = {
            "the run has no step 'x'": StepStopped(step="x"),
            "it is not the turn of step 'b'": job,
            "step 'a' is running after attempt 1, and cannot do that": StepSkipped(step="a", reason="no"),
            "a run that is running cannot do that": RunCompleted(output=1),
        }
        assert {rejection_reason(run.plan, run.state, event): event for event in refused.values()} == refused
        assert not any(run.record(event) for event in refused.values())
        run.completes("a")
        said = rejection_reason(run.plan, run.state, StepCompleted(step="a", attempt=1, output=2))
        assert said == "step 'a' has ended"
        run.completes("b")
        assert rejection_reason(run.plan, run.state, job) == "the run has ended: completed"

    @pytest.mark.parametrize(
        "event",
        [
            AttemptStarted(step="a", job="r:a:2", attempt=2),
            AttemptStarted(step="b", job="somebody else's", attempt=1),
            StepCompleted(step="b", attempt=1, output="never started"),
            StepCompleted(step="a", attempt=2, output="never started"),
            StepFailed(step="a", attempt=2, error={"code": "x", "message": "x"}),
            StepRefused(step="a", error={"code": "x", "message": "x"}),
            StepTimedOut(step="a", attempt=2),
            StepStopping(step="a"),
            StepStopped(step="a"),
            RunStarted(inputs={}),
            RunCancelled(),
        ],
    )
    def test_impossible_events_are_ignored(self, event):
        run = Run(plan_of(together("a"), together("b")))
        run.record(event_of_command(run.decided()[0]))
        assert not run.record(event)

    def test_events_are_read_strictly(self):
        with pytest.raises(RuleError, match=r"not an event of a run: step_completed\.attempt"):
            parse_event({"event": "step_completed", "step": "a", "attempt": 0, "output": 1})
        with pytest.raises(RuleError, match="not an event of a run"):
            parse_event({"event": "unheard_of"})

    def test_a_state_is_stored_without_what_was_never_touched_under_published_names(self):
        run = after(plan_of(step("a"), step("b")))
        run.completes("a", 1, tokens=2)
        stored = run.state.as_dict(run.plan)
        assert stored["steps"]["a"] == {"status": "completed", "attempts": 1, "tokens": 2, "value": 1}
        assert stored["sharedBefore"] == 2
        assert "b" in stored["steps"]
        assert "b" not in after(run.plan).state.as_dict(run.plan)["steps"]

    def test_a_state_of_another_plan_is_refused(self):
        run = after(plan_of(step("a")))
        with pytest.raises(RuleError, match="a run of another plan"):
            parse_state(plan_of(step("b")), run.state.as_dict(run.plan))


class TestPlan:
    def test_it_is_pinned_to_its_definition_by_the_digest(self):
        stored = plan_of(step("a")).as_dict()
        stored["definition"]["steps"][0]["inputs"] = {"x": 1}
        with pytest.raises(RuleError, match="the digest does not match the definition"):
            RunPlan.parsed(stored)

    def test_calls_must_be_those_of_the_steps(self):
        plan = plan_of(step("a"))
        with pytest.raises(RuleError, match="one call for each step"):
            plan_run("r", plan.definition, {})
        with pytest.raises(RuleError, match="step 'a' does not call the tool 'other'"):
            plan_run("r", plan.definition, {"a": StepCall(kind="tool", id="other", name="x")})

    def test_a_parallel_step_that_depends_on_its_neighbour_is_no_plan_platform_7(self):
        with pytest.raises(RuleError, match="step 'b' depends on 'a', which does not end before it starts"):
            plan_of(together("a"), together("b", dependsOn=["a"]))

    @pytest.mark.parametrize("second", [step("a", variable="b"), step("b", variable="a")])
    def test_ids_and_variables_are_unique(self, second):
        with pytest.raises(RuleError, match="the same id or output variable"):
            plan_of(step("a"), second)


def test_a_fault_of_ours_in_the_semantics_is_not_taken_for_a_failure_of_the_step():
    def broken(_condition, _values):
        raise ZeroDivisionError

    run = Run(plan_of(step("a", condition="x")), semantics=SEMANTICS._replace(holds=broken))
    with pytest.raises(ZeroDivisionError):
        run.decided()
