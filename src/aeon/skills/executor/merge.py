"""JSON Merge Patch, RFC 7396 (skills 6): pure, sharing nothing with its arguments, never deeper than JSON may be."""

from collections.abc import Iterable
from typing import cast

from aeon.base.errors import InputError
from aeon.base.json import MAX_DEPTH, Json, JsonObject


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
