"""Core-data-model: ToolCall, SupervisorAction, LogEntry and their invariants."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from aeon.observability.records import LogEntry, SupervisorAction, ToolCall

NOW = "2026-01-01T00:00:00.000000+00:00"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
OBJECT = st.dictionaries(st.text(), JSON, max_size=3)
OUTCOME = st.tuples(st.booleans(), OBJECT)


def call(**fields):
    return {"tool_name": "echo", "arguments": {}, "timestamp": NOW, "step_id": "s1", **fields}


def action(**fields):
    return {"action_type": "json_repair", "original_output": {}, "attempt_number": 1, "timestamp": NOW, **fields}


def entry(**fields):
    return {
        "step_number": 1,
        "plan_state": {},
        "llm_output": {},
        "supervisor_actions": [],
        "tool_calls": [],
        "ttl_remaining": 0,
        "errors": [],
        "timestamp": NOW,
        "finished_at": NOW,
        "prev": "0" * 64,
        **fields,
    }


@given(OBJECT, OUTCOME)
def test_a_tool_call_survives_its_own_data(arguments, outcome):
    is_good, value = outcome
    made = ToolCall.model_validate(call(arguments=arguments, **({"result": value} if is_good else {"error": value})))
    assert ToolCall.model_validate(made.as_dict()) == made
    assert set(made.as_dict()) == {"tool_name", "arguments", "timestamp", "step_id", "result" if is_good else "error"}


@given(OBJECT, OUTCOME, st.none() | OBJECT, st.lists(st.text(), max_size=2))
def test_core_10_an_action_keeps_what_was_there_before_nulls_included(original, outcome, reply, stages):
    is_good, value = outcome
    made = SupervisorAction.model_validate(
        action(
            original_output=original,
            stages=stages,
            model_output=reply,
            **({"repaired_output": value} if is_good else {"error": value}),
        )
    )
    assert SupervisorAction.model_validate(made.as_dict()) == made
    assert made.as_dict()["original_output"] == original


@pytest.mark.parametrize("outcome", [{}, {"result": {}, "error": {}}])
def test_a_tool_call_has_exactly_one_outcome(outcome):
    with pytest.raises(ValidationError, match="a tool call has either a result or an error"):
        ToolCall.model_validate(call(**outcome))


@pytest.mark.parametrize("outcome", [{}, {"repaired_output": {}, "error": {}}])
def test_a_repair_has_exactly_one_outcome(outcome):
    with pytest.raises(ValidationError, match="a repair has either a repaired output or an error"):
        SupervisorAction.model_validate(action(**outcome))


@pytest.mark.parametrize("attempt", [0, 3, -1])
def test_fr_050_an_attempt_is_the_first_or_the_second(attempt):
    with pytest.raises(ValidationError):
        SupervisorAction.model_validate(action(error={}, attempt_number=attempt))


@pytest.mark.parametrize("kind", ["json_repair", "tool_call_repair", "plan_repair", "missing_tool_repair"])
def test_core_10_kinds_of_repair(kind):
    assert SupervisorAction.model_validate(action(error={}, action_type=kind)).action_type == kind


def test_no_other_kind_of_repair():
    with pytest.raises(ValidationError):
        SupervisorAction.model_validate(action(error={}, action_type="guess"))


@pytest.mark.parametrize(
    "timestamp", ["", "now", "2026-01-01", "2026-13-01T00:00:00", "2026-01-01T99:00:00", f"{NOW} or so", 5]
)
def test_timestamps_are_iso_8601(timestamp):
    with pytest.raises(ValidationError):
        ToolCall.model_validate(call(result={}, timestamp=timestamp))
    with pytest.raises(ValidationError):
        LogEntry.model_validate(entry(finished_at=timestamp))


@pytest.mark.parametrize("timestamp", [NOW, "2026-01-01T00:00:00Z", "2026-01-01T00:00:00.5+02:00"])
def test_a_timestamp_stays_the_text_it_is(timestamp):
    assert ToolCall.model_validate(call(result={}, timestamp=timestamp)).timestamp == timestamp


@pytest.mark.parametrize(
    "field",
    [
        {"step_number": 0},
        {"ttl_remaining": -1},
        {"errors": {}},
        {"llm_output": None},
        {"plan_state": []},
        {"prev": "0"},
        {"prev": "G" * 64},
        {"extra": 1},
    ],
    ids=str,
)
def test_fr_038_each_field_of_an_entry_is_checked(field):
    with pytest.raises(ValidationError):
        LogEntry.model_validate(entry(**field))


@pytest.mark.parametrize("missing", [name for name in entry() if name not in ("outcome", "run", "resumed")])
def test_fr_038_every_entry_has_every_field(missing):
    fields = entry()
    del fields[missing]
    with pytest.raises(ValidationError, match=missing):
        LogEntry.model_validate(fields)
