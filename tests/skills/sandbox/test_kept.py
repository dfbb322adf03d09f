"""What is kept of what a plan's scripts write is bounded for all of them together (skills 18), and the rest is counted."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from aeon.base.json import canonical_json
from aeon.skills.executor.plan_executor import PlanExecutor
from aeon.skills.invocation import Invocation, OutputBudget, OutputLimits
from aeon.skills.protocol import ScriptEventReader
from aeon.skills.sandbox import SandboxRunner
from aeon.skills.sandbox.output_buffers import PlainOutputReader
from aeon.testing.scripts import catalog, log, node, plan_of, script, skill, state_patch

FLOOD = Path(__file__).with_name("flood.py")


def lines(*events):
    return b"".join(canonical_json(event).encode() + b"\n" for event in events)


def reader(allowance):
    return ScriptEventReader(OutputLimits(), allowance=allowance)


def test_logs_beyond_half_of_the_allowance_are_told_and_dropped_and_counted():
    allowance = OutputBudget(20_000)
    read = reader(allowance)
    told = read.feed(lines(*(log(f"line {n}") for n in range(100))))

    assert len(told) == 100
    assert 0 < len(read.events) < 10
    assert read.dropped_events == 100 - len(read.events)
    assert read.violation is None
    assert allowance.is_scarce or read.budget_cost <= 10_000


def test_patches_go_on_being_kept_where_logs_are_dropped():
    read = reader(OutputBudget(20_000))
    read.feed(lines(*(log(f"line {n}") for n in range(50)), state_patch({"a": 1}), log("last"), log("of all")))

    assert [event for event in read.events if event["type"] == "state_patch"] == [state_patch({"a": 1})]


def test_the_attempts_of_a_plan_share_one_allowance():
    allowance = OutputBudget(20_000)
    first, second = reader(allowance), reader(allowance)
    first.feed(lines(*(log(f"line {n}") for n in range(50))))
    second.feed(lines(*(log(f"line {n}") for n in range(50))))

    assert len(first.events) + len(second.events) < 10
    assert second.dropped_events == 50


def test_patches_for_which_there_is_no_room_end_the_script():
    """An effect is never dropped in silence."""
    read = reader(OutputBudget(20_000))
    read.feed(lines(*(state_patch({"text": "x" * 1000, "n": n}) for n in range(50))))

    assert read.overflow == "the scripts of its plan wrote more than 32 MiB that must be kept"


def test_plain_output_for_which_there_is_no_room_ends_the_script():
    allowance = OutputBudget(1000)
    first, second = PlainOutputReader(10_000, allowance), PlainOutputReader(10_000, allowance)
    first.feed(b"x" * 900)
    second.feed(b"x" * 200)

    assert (first.overflow, second.stdout) == (None, b"")
    assert second.overflow == "the scripts of its plan wrote more than 32 MiB that must be kept"


def test_the_number_of_a_line_counts_what_was_dropped():
    read = reader(OutputBudget(20_000))
    read.feed(lines(*(log(f"line {n}") for n in range(50))) + b"no event\n")

    assert read.violation is not None
    assert read.violation.startswith("line 51:")


def carried_out(folder, body, protocol="ndjson", **options):
    """The result of a plan of real scripts of that text."""

    def prepared(_skill, chosen, _given, _request_id):
        command = (sys._base_executable, "-SEc", body)
        return Invocation(command, b"{}", folder, {}, is_ndjson=chosen.protocol == "ndjson")

    with SandboxRunner("plain") as runner:
        executor = PlanExecutor(catalog(skill("s", script("go", protocol=protocol))), runner, prepare=prepared)
        return executor.execute(plan_of(*(node(f"t{at}", "s/go", **options) for at in range(3)), parallel=False))


LOGS = f"""
import sys
sys.stdout.write({lines(log("one of many")).decode()!r} * 20_000)
"""


def test_a_result_says_what_is_not_in_it(tmp_path):
    done = lines({"version": "0", "type": "done", "ok": True}).decode()
    result = carried_out(tmp_path, f"{LOGS}\nsys.stdout.write({done!r})")
    kept, dropped = (
        [len(each.events) for each in result.execution_trace],
        [each.dropped_events for each in result.execution_trace],
    )

    assert result.success
    assert sum(kept) + sum(dropped) == 60_003
    assert 0 < sum(kept) < 20_000
    assert [each.events[-1]["type"] for each in result.execution_trace] == ["done"] * 3
    (warning,) = result.warnings
    assert warning.startswith(f"{sum(dropped):,} events of t0, t1, t2 are not in the trace: at most 32 MiB ")


def test_failed_attempts_keep_no_more_than_there_is_room_for(tmp_path):
    policy = {"maxRetries": 4, "backoffMs": 0}
    result = carried_out(tmp_path, f"{LOGS}\nsys.exit(1)", retryPolicy=policy)
    attempts = [attempt for each in result.execution_trace for attempt in each.attempts]

    assert len(attempts) == 12
    assert sum(len(each.events) for each in [*result.execution_trace, *attempts]) < 20_000
    assert sum(len(each.events) + each.dropped_events for each in attempts) == 12 * 20_000


def test_outputs_of_plain_scripts_share_the_allowance(tmp_path):
    result = carried_out(tmp_path, "print('x' * (15 * 2**20))", "plain")

    assert [each.ok for each in result.execution_trace].count(True) == 2
    assert [each.error.type for each in result.execution_trace if each.error] == ["output_limit"]


@pytest.mark.slow
def test_a_plan_that_floods_costs_at_most_64_mb(tmp_path):
    """Skills 18: measured in a process of its own; the whole bar is 100 nodes of 15 MB each."""
    argv = [sys.executable, str(FLOOD), "8", "4", "plain"]
    said = json.loads(subprocess.run(argv, cwd=tmp_path, capture_output=True, check=True, timeout=120).stdout)

    assert said["success"]
    assert said["state"] == {"n": 1}
    assert said["growth"] <= 64
