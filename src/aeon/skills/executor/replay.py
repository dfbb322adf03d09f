"""The final state again, from the trace alone (skills 6): no process, no clock, no catalog."""

from aeon.base.json import JsonObject, canonical_json
from aeon.skills.executor.effects import final_state
from aeon.skills.plan_json import ExecutionResult


def replay_state(result: ExecutionResult, initial_state: JsonObject | None = None) -> JsonObject:
    """The state that the trace of `result` leads to; `initial_state` is what the run began with, if anything."""
    return final_state(initial_state or {}, result.execution_trace)


def verify_replay(result: ExecutionResult, initial_state: JsonObject | None = None) -> bool:
    """Whether the trace leads to the recorded final state, compared as canonical JSON, byte for byte."""
    return canonical_json(replay_state(result, initial_state)) == canonical_json(result.final_state)
