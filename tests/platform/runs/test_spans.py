"""A run as spans: worked out from its entries alone, whole, and without contents."""

import random
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.platform.driven_runs import Run as Driven
from tests.platform.driven_runs import carried_out, chancy, plan_of, step, together

from aeon.platform.runs.admission import PlannedRun
from aeon.platform.runs.machine.events import CancelRequested, RunFailed, StepStopped
from aeon.platform.runs.model import Run, RunEntry
from aeon.platform.runs.spans import MAX_CONTENT_CHARS, TraceContext, build_spans, run_span_context

START = datetime(2026, 11, 22, 9, 0, tzinfo=UTC)
STEPS = [
    step("a"),
    together("b", required=False),
    together("c", required=False),
    step("d", condition="flag", required=False),
    step("e", calls="process", required=False),
    step("f", interactionMode="manual"),
]


def at(seconds):
    return (START + timedelta(seconds=seconds)).isoformat(timespec="microseconds")


def run_of(plan, entries, **fields):
    last = entries[-1].event
    failure = last.error.as_dict() if isinstance(last, RunFailed) else None
    told = {
        "id": plan.run,
        "owner_id": "ann",
        "process_id": "p",
        "process_name": "work",
        "digest": plan.digest,
        "inputs": {"flag": False},
        "trigger": "user",
        "pins": {},
        "root_id": plan.run,
        "accepted_at": at(0),
        "phase": last.event.removeprefix("run_"),
        "ended_at": entries[-1].at,
        "failure": failure,
    }
    return Run(**told | fields)


def entries_of(events, seconds=None, about=None):
    seconds = seconds or range(1, len(events) + 1)
    told = about or {}
    return [
        RunEntry(n=n, at=at(second), event=event, about=told.get(getattr(event, "step", ""), {}))
        for n, (event, second) in enumerate(zip(events, seconds, strict=True), 1)
    ]


def spans(plan, entries, *, before=None, with_contents=False, **fields):
    return build_spans(PlannedRun(run_of(plan, entries, **fields), plan), entries, before, with_contents=with_contents)


@given(st.integers(0, 2**32), st.booleans(), st.data())
def test_the_same_entries_are_the_same_spans_each_within_its_parent_and_with_an_id_of_its_own(seed, steady, data):
    """Also where the clock was set back while the run went on."""
    plan = plan_of(*STEPS, initialContext=["flag"])
    driven = carried_out(Driven(plan, {"flag": seed % 2 == 0}), chancy(seed), random.Random(seed))
    count = len(driven.events)
    times = sorted if steady else list
    entries = entries_of(driven.events, times(data.draw(st.lists(st.integers(1, 99), min_size=count, max_size=count))))
    found = spans(plan, entries)
    assert found == spans(plan, entries)
    root, *tried = found
    assert root.parent is None
    assert root.begin <= root.end
    assert all(root.begin <= event.at <= root.end for event in root.events)
    for span in tried:
        assert span.parent == root.context
        assert root.begin <= span.begin <= span.end <= root.end
    assert len({span.context for span in found}) == len(found)
    assert {span.context.trace for span in found} == {root.context.trace}
    assert all(0 < span.context.span < 2**64 and 0 < span.context.trace < 2**128 for span in found)
    started = [event for event in driven.events if event.event == "step_started"]
    assert [(span.attributes["aeon.step.id"], span.attributes["aeon.step.attempt"]) for span in tried] == [
        (event.step, event.attempt) for event in started
    ]
    left_out = [event for event in driven.events if event.event in ("step_skipped", "step_refused")]
    assert len([event for event in root.events if event.name.endswith(("skipped", "refused"))]) == len(left_out)


def test_an_attempt_says_what_was_called_and_what_it_used():
    plan = plan_of(step("a"))
    driven = Driven(plan)
    driven.advance()
    driven.completes("a", tokens=7)
    usage = {"promptTokens": 5, "completionTokens": 2, "model": "m1"}
    root, tried = spans(plan, entries_of(driven.events, about={"a": {"usage": usage, "worker": "w/1", "cached": True}}))
    assert (root.name, root.kind, root.error) == ("invoke_workflow work", "internal", None)
    assert root.attributes["aeon.run.phase"] == "completed"
    assert (tried.name, tried.kind, tried.error) == ("execute_tool the a", "internal", None)
    assert tried.attributes == {
        "gen_ai.operation.name": "execute_tool",
        "aeon.step.id": "a",
        "aeon.step.kind": "tool",
        "aeon.step.attempt": 1,
        "aeon.step.outcome": "completed",
        "gen_ai.tool.call.id": "r:a:1",
        "gen_ai.tool.name": "the a",
        "aeon.tool.id": "tool-a",
        "aeon.service.type": "rest_api",
        "aeon.worker.id": "w/1",
        "aeon.step.cached": True,
        "aeon.step.tokens": 7,
        "gen_ai.usage.input_tokens": 5,
        "gen_ai.usage.output_tokens": 2,
        "gen_ai.response.model": "m1",
    }
    assert (tried.begin - root.begin, tried.end - tried.begin) == (2_000_000_000, 1_000_000_000)


def test_a_call_of_a_model_is_called_as_the_conventions_have_it():
    plan = plan_of(step("a"))
    call = plan.calls["a"].model_copy(update={"worker": "llm_call"})
    plan = plan.model_copy(update={"calls": {"a": call}})
    driven = Driven(plan)
    driven.advance()
    driven.completes("a")
    usage = {"promptTokens": 5, "completionTokens": 2, "model": "m" * 1000}
    _, tried = spans(plan, entries_of(driven.events, about={"a": {"usage": usage}}))
    assert (tried.name, tried.kind) == ("chat " + "m" * 100, "client")


def test_what_a_peer_says_of_itself_can_always_be_sent():
    """Half a surrogate pair is in no UTF-8, and no number of OTLP's has more than 64 bits."""
    plan = plan_of(step("a"))
    driven = Driven(plan)
    driven.advance()
    driven.completes("a")
    usage = {"promptTokens": 10**30, "completionTokens": 0, "model": "m\ud800"}
    _, tried = spans(plan, entries_of(driven.events, about={"a": {"usage": usage}}))
    assert tried.attributes["gen_ai.response.model"] == "m?"
    assert tried.attributes["gen_ai.usage.input_tokens"] == 2**63 - 1


def test_failures_retries_and_what_was_left_out_are_told_by_their_codes():
    """Platform 10: the second attempt begins when its wait is over."""
    plan = plan_of(step("a", condition="flag", required=False), step("b"), initialContext=["flag"])
    driven = Driven(plan, {"flag": False})
    driven.advance()
    driven.fails("b", code="busy", message="the password is pa55word", transient=True)
    driven.fails("b", code="broken", message="the password is pa55word")
    found = spans(plan, entries_of(driven.events))
    root, first, second = found
    assert (root.error, first.error, second.error) == ("broken", "busy", "broken")
    assert root.attributes["error.type"] == "broken"
    assert [(event.name, event.attributes["aeon.step.id"]) for event in root.events] == [
        ("aeon.step.skipped", "a"),
        ("aeon.step.retried", "b"),
    ]
    assert second.begin == root.events[1].at + 1_000_000_000
    assert "pa55word" not in str(found)


def test_a_run_that_is_cancelled_says_when():
    plan = plan_of(step("a"))
    driven = Driven(plan)
    driven.advance()
    driven.record(CancelRequested(by="ann"))
    driven.advance()
    driven.record(StepStopped(step="a"))
    driven.advance()
    root, tried = spans(plan, entries_of(driven.events))
    assert [event.name for event in root.events] == ["aeon.run.cancel_requested"]
    assert (tried.attributes["aeon.step.outcome"], tried.error, root.error) == ("stopped", None, None)
    assert "ann" not in str(root)


def test_a_run_that_was_called_stands_below_its_call():
    plan = plan_of(step("e", calls="process"))
    driven = Driven(plan)
    driven.advance()
    driven.completes("e")
    root, call = spans(plan, entries_of(driven.events))
    assert (call.name, call.attributes["aeon.step.kind"]) == ("call_process the e", "process")
    inner = plan_of(step("a"), run="r:e:1")
    called = Driven(inner)
    called.advance()
    called.completes("a")
    below, *_ = spans(inner, entries_of(called.events), root_id="r", parent_id="r", trigger="process")
    assert below.parent == call.context
    assert below.context.trace == root.context.trace
    assert below.context != call.context


def test_a_run_that_goes_on_after_another_links_to_it_and_claims_none_of_its_calls():
    plan = plan_of(step("a"), step("b"), run="again")
    driven = Driven(plan)
    driven.advance()
    driven.completes("a")
    driven.completes("b")
    entries = entries_of(driven.events, [0, 0, 0, 2, 3, 4])
    before = run_of(plan_of(step("a"), step("b"), run="first"), entries, id="first", root_id="of-first")
    root, tried = spans(plan, entries, before=before, trigger="retry", retry_of="first")
    assert root.links == [run_span_context("of-first", "first")]
    assert tried.attributes["aeon.step.id"] == "b"
    assert spans(plan, entries, trigger="retry", retry_of="gone")[0].links == []


@pytest.mark.parametrize("with_contents", [False, True])
def test_contents_are_in_it_only_where_they_are_asked_for(with_contents):
    plan = plan_of(step("a", inputs={"q": "{flag}"}), initialContext=["flag"])
    driven = Driven(plan, {"flag": "in-word"})
    driven.advance()
    driven.completes("a", "out-word " + "x" * 20_000)
    found = spans(plan, entries_of(driven.events), with_contents=with_contents)
    assert ("in-word" in str(found), "out-word" in str(found)) == (with_contents, with_contents)
    if with_contents:
        assert found[1].attributes["gen_ai.tool.call.arguments"] == '{"q":"in-word"}'
        assert len(found[1].attributes["gen_ai.tool.call.result"]) <= MAX_CONTENT_CHARS + 3


def test_the_numbers_are_fixed():
    """Spans that an older version sent are the same spans still."""
    assert run_span_context("r", "r") == TraceContext(0xA0D747719B13CF9FE33D17DD1412E923, 0x43F346E2EB32D8D7)
