"""Applies the state patches of successful nodes, in the order of the trace (skills 6)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import cast

from aeon.base.errors import InputError
from aeon.base.json import MAX_DEPTH, Json, JsonObject, canonical_json
from aeon.skills.plan_json import ExecutionResult, ExecutionState, ToolResult


class MergeDepthError(InputError):
    """A value is nested too deeply to merge."""

    next_step = f"Nest it at most {MAX_DEPTH} levels deep."


def merge_patch(target: Json, patch: Json) -> Json:
    """Returns `target` after `patch` (RFC 7396).

    Objects merge, null removes a key, other values replace. Raises MergeDepthError if either is nested deeper than
    `MAX_DEPTH`.
    """
    return _apply(_copy(target, MAX_DEPTH), patch, MAX_DEPTH)


def apply_patches(start: JsonObject, patches: Iterable[JsonObject]) -> JsonObject:
    """Returns `start` after every patch in turn.

    The cost is one copy of `start` plus the size of the patches. Raises MergeDepthError as `merge_patch` does.
    """
    state: JsonObject = _copy(start, MAX_DEPTH)
    for patch in patches:
        state = _apply(state, patch, MAX_DEPTH)
    return state


def _apply(own: Json, patch: Json, depth: int) -> Json:
    """Applies `patch` to `own`, which must not be shared: an object is changed in place."""
    if not isinstance(patch, dict):
        return _copy(patch, depth)
    _check(depth)
    result: JsonObject = cast(JsonObject, own) if isinstance(own, dict) else {}
    for key, value in cast(JsonObject, patch).items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = _apply(result.get(key), value, depth - 1)
    return result


def _copy(value: Json, depth: int) -> Json:
    if isinstance(value, dict):
        _check(depth)
        return {key: _copy(item, depth - 1) for key, item in cast(JsonObject, value).items()}
    if isinstance(value, list):
        _check(depth)
        return [_copy(item, depth - 1) for item in cast(list[Json], value)]
    return value


def _check(depth: int) -> None:
    if depth <= 0:
        raise MergeDepthError


def state_patches(events: Sequence[JsonObject]) -> Iterator[JsonObject]:
    """Yields the state patches in `events`, in order."""
    return (event["patch"] for event in events if event.get("type") == "state_patch")


def committed_patches(result: ToolResult) -> Iterator[JsonObject]:
    """Yields the state patches of a node if it succeeded."""
    return state_patches(result.events if result.ok and result.state is ExecutionState.COMPLETED else ())


def final_state(initial_state: JsonObject, trace: Iterable[ToolResult]) -> JsonObject:
    """Returns the state after all nodes, from a copy of `initial_state`.

    `trace` is in topological order.
    """
    return apply_patches(initial_state, (patch for result in trace for patch in committed_patches(result)))


def replay_state(result: ExecutionResult, initial_state: JsonObject | None = None) -> JsonObject:
    """Returns the state that the trace of `result` leads to.

    `initial_state` is the run's own, if any.
    """
    return final_state(initial_state or {}, result.execution_trace)


def verify_replay(result: ExecutionResult, initial_state: JsonObject | None = None) -> bool:
    """Whether the trace leads to the recorded final state, as canonical JSON."""
    return canonical_json(replay_state(result, initial_state)) == canonical_json(result.final_state)
