"""What nodes did to the state: the patches of those that ended well, in the order of the trace (skills 6)."""

from collections.abc import Iterable, Iterator, Sequence

from aeon.base.json import JsonObject
from aeon.skills.executor.merge import apply_patches
from aeon.skills.plan_json import ExecutionState, ToolResult


def state_patches(events: Sequence[JsonObject]) -> Iterator[JsonObject]:
    """The state patches among `events`, in order."""
    return (event["patch"] for event in events if event.get("type") == "state_patch")


def committed_patches(result: ToolResult) -> Iterator[JsonObject]:
    """The state patches of a node, none unless it ended well."""
    return state_patches(result.events if result.ok and result.state is ExecutionState.COMPLETED else ())


def final_state(initial_state: JsonObject, trace: Iterable[ToolResult]) -> JsonObject:
    """The state that nodes left, started from a copy of `initial_state`; `trace` is in topological order."""
    return apply_patches(initial_state, (patch for result in trace for patch in committed_patches(result)))
