"""Why does this step not run? Answered from data."""

from tests.platform.driven_runs import Run, plan_of, step, together

from aeon.platform.runs.machine.events import CancelRequested, StepStopped
from aeon.platform.runs.machine.state import initial_state
from aeon.platform.runs.machine.wait_reasons import explain_steps


def after(plan, inputs=None):
    run = Run(plan, inputs)
    run.advance()
    return run


def reasons(run):
    return {reason.step: reason for reason in explain_steps(run.plan, run.state)}


def test_before_the_run():
    plan = plan_of(step("a"))
    assert [(reason.kind, reason.message) for reason in explain_steps(plan, initial_state(plan))] == [
        ("waits", "The run has not started.")
    ]


def test_a_step_that_waits_names_for_which():
    run = after(plan_of(together("a"), together("b"), step("c", dependsOn=["a"]), step("d", dependsOn=["b"])))
    assert reasons(run)["c"].waits_for == ["a", "b"]
    assert reasons(run)["c"].message == "Waits for 'a', 'b'."
    assert reasons(run)["d"].waits_for == ["b", "c"]
    run.completes("a")
    assert "a" not in reasons(run)
    assert reasons(run)["c"].waits_for == ["b"]


def test_a_long_list_is_whole_in_the_data_and_short_in_the_sentence():
    run = after(plan_of(*[together(f"s{n}") for n in range(9)], step("z")))
    assert len(reasons(run)["z"].waits_for) == 9
    assert reasons(run)["z"].message == "Waits for 's0', 's1', 's2', 's3', 's4' and 4 more."


def test_ready_then_running():
    run = Run(plan_of(step("a")))
    assert (reasons(run)["a"].kind, reasons(run)["a"].attempt) == ("ready", 1)
    run.advance()
    assert reasons(run)["a"].message == "Runs: tool 'the a', attempt 1 of at most 4."


def test_a_person_who_was_asked_is_named_platform_9():
    run = after(plan_of(step("a", interactionMode="manual"), asks={"a": "ann"}))
    assert (reasons(run)["a"].kind, reasons(run)["a"].asks) == ("asked", "ann")
    assert reasons(run)["a"].message == "Waits for an answer of ann."
    assert reasons(after(plan_of(step("a", interactionMode="manual"))))["a"].message.endswith("of a person.")


def test_a_retry_says_which_and_when_platform_10():
    run = after(plan_of(step("a")))
    run.fails("a", transient=True)
    assert reasons(run)["a"].message == "Runs: tool 'the a', attempt 2 of at most 4, 1 s after the one before."
    run.advance = list  # the engine waits before it records the next attempt
    run.fails("a", transient=True)
    found = reasons(run)["a"]
    assert (found.kind, found.attempt, found.seconds) == ("retrying", 3, 4.0)
    assert found.message == "Is retried (retry 2 of 3) 4 s after it failed: connection refused."


def test_a_false_condition_and_a_failure_are_told():
    plan = plan_of(step("a", condition="flag"), step("b", required=False), step("c"), initialContext=["flag"])
    run = after(plan, {"flag": False})
    run.fails("b")
    assert reasons(run)["a"].message == "Skipped: its condition is false: flag."
    assert (reasons(run)["b"].kind, reasons(run)["b"].message) == ("failed", "Failed: connection refused.")


def test_the_end_of_a_run_is_the_reason_of_all_that_never_began():
    run = after(plan_of(step("a"), step("b")))
    run.record(CancelRequested(by="ann"))
    assert reasons(run)["b"].message == "Was not started: ann cancelled the run."
    assert reasons(run)["a"].kind == "running"
    run.advance()
    assert reasons(run)["a"].kind == "stopping"
    run.record(StepStopped(step="a"))
    run.advance()
    assert reasons(run)["a"].message == "Stopped with the run."

    failed = after(plan_of(step("a"), step("b")))
    failed.fails("a")
    assert reasons(failed)["b"].message.startswith("Was not started: the run failed: Step 'a'")


def test_what_runs_only_after_a_failure_says_so_while_the_run_is_healthy():
    """`undo_pay: Waits for 'limit'.` read as if the refund came next."""
    pay = step("pay", compensate={"tool": "tool-refund"})
    plan = plan_of(pay, step("limit"), onFailure=[step("tell")], **{"finally": [step("close")]})
    run = after(plan)
    assert reasons(run)["limit"].message == "Waits for 'pay'."
    assert reasons(run)["undo_pay"].message == "Runs only to undo 'pay', if the run fails or is cancelled."
    assert reasons(run)["tell"].message == "Runs only if the run fails."
    assert reasons(run)["close"].message == "Runs at the end of the run, however it ends."
    assert reasons(run)["undo_pay"].waits_for == []
    run.completes("pay")
    run.fails("limit")
    run.advance()
    assert reasons(run)["undo_pay"].message.startswith("Runs: tool")
    assert reasons(run)["tell"].message == "Waits for 'undo_pay'."
