"""What nodes did to the state: the patches of those that ended well, in the order of the trace (skills 6)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import cast

from aeon.base.errors import InputError
from aeon.base.json import MAX_DEPTH, Json, JsonObject, canonical_json
from aeon.skills.plan_json import ExecutionResult, ExecutionState, ToolResult


class MergeDepthError(InputError):
    """A value is nested too deeply to merge."""

    next_step = f"Nest it at most {MAX_DEPTH} levels deep."


def merge_patch(target: Json, patch: Json) -> Json:
    """`target` after `patch`: objects merge, null removes a key, everything else replaces what stood there (RFC 7396).

    Raises MergeDepthError for either of them when it is nested deeper than `MAX_DEPTH`.
    """
    return _applied(_copied(target, MAX_DEPTH), patch, MAX_DEPTH)


def apply_patches(start: JsonObject, patches: Iterable[JsonObject]) -> JsonObject:
    """`start` after every patch in turn. Costs one copy of `start` and then only what the patches are large.

    Raises MergeDepthError as `merge_patch` does.
    """
    state: JsonObject = _copied(start, MAX_DEPTH)
    for patch in patches:
        state = _applied(state, patch, MAX_DEPTH)
    return state


def _applied(own: Json, patch: Json, depth: int) -> Json:
    """Apply `patch` to `own`, which nobody else holds and which is changed where it is an object."""
    if not isinstance(patch, dict):
        return _copied(patch, depth)
    _check(depth)
    result: JsonObject = cast(JsonObject, own) if isinstance(own, dict) else {}
    for key, value in cast(JsonObject, patch).items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = _applied(result.get(key), value, depth - 1)
    return result


def _copied(value: Json, depth: int) -> Json:
    if isinstance(value, dict):
        _check(depth)
        return {key: _copied(item, depth - 1) for key, item in cast(JsonObject, value).items()}
    if isinstance(value, list):
        _check(depth)
        return [_copied(item, depth - 1) for item in cast(list[Json], value)]
    return value


def _check(depth: int) -> None:
    if depth <= 0:
        raise MergeDepthError


def state_patches(events: Sequence[JsonObject]) -> Iterator[JsonObject]:
    """The state patches among `events`, in order."""
    return (event["patch"] for event in events if event.get("type") == "state_patch")


def committed_patches(result: ToolResult) -> Iterator[JsonObject]:
    """The state patches of a node, none unless it ended well."""
    return state_patches(result.events if result.ok and result.state is ExecutionState.COMPLETED else ())


def final_state(initial_state: JsonObject, trace: Iterable[ToolResult]) -> JsonObject:
    """The state that nodes left, started from a copy of `initial_state`; `trace` is in topological order."""
    return apply_patches(initial_state, (patch for result in trace for patch in committed_patches(result)))


def replay_state(result: ExecutionResult, initial_state: JsonObject | None = None) -> JsonObject:
    """The state that the trace of `result` leads to; `initial_state` is what the run began with, if anything."""
    return final_state(initial_state or {}, result.execution_trace)


def verify_replay(result: ExecutionResult, initial_state: JsonObject | None = None) -> bool:
    """Whether the trace leads to the recorded final state, compared as canonical JSON, byte for byte."""
    return canonical_json(replay_state(result, initial_state)) == canonical_json(result.final_state)
