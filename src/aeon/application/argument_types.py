"""Checks what programs without a type checker give the Python API, before anything is done with it."""

import inspect
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, TypeVar, cast

from aeon.base.errors import InputError
from aeon.base.json import JsonObject, json_problems
from aeon.platform.records import Record

R = TypeVar("R", bound=Record)


def require_argument(value: object, kinds: type | tuple[type, ...], name: str, needed: str) -> None:
    """Raise InputError unless an argument has one of the types; `needed` says what to give."""
    if not isinstance(value, kinds):
        raise InputError(f"{name} cannot be {_shown(value)}.", next_step=f"Give {needed}.")


def require_paths(paths: object, name: str) -> None:
    """Raise InputError unless an argument is a list of paths: a text alone would be a list of characters."""
    if isinstance(paths, (str, Path)):
        raise InputError(f"{name} must be a list, not one path.", next_step=f"Write {name}=[{str(paths)!r}].")
    require_argument(paths, Sequence, name, "a list of paths")
    for each in cast(Sequence[object], paths):
        if not isinstance(each, (str, Path)):
            raise InputError(f"{name} cannot contain {_shown(each)}.", next_step="Give paths, as str or Path.")


def require_called(value: object, name: str, needed: str) -> None:
    """Raise InputError unless an argument is None or can be called, and needs nobody who awaits it."""
    if value is not None and not callable(value):
        raise InputError(f"{name} cannot be {_shown(value)}.", next_step=f"Give {needed}, or None.")
    method = getattr(value, "__call__", None)  # noqa: B004  # whether it can be called is known; how it is written is not
    if inspect.iscoroutinefunction(value) or inspect.iscoroutinefunction(method):
        raise InputError(
            f"{name} cannot be an async function: nothing would await it.",
            next_step=f"Give {needed}, without async, or None.",
        )


def require_json(value: object, name: str) -> None:
    """Raise InputError, which names every place, for a value that JSON does not have, such as NaN."""
    if problems := json_problems(value):
        raise InputError(
            f"{name} must be JSON: {'; '.join(problems)}.",
            next_step="Give texts, numbers, true, false, null, lists and objects only.",
        )


def read_record(given: R | JsonObject, kind: type[R], name: str) -> R:
    """Return the record that an argument is or describes.

    Raises InputError for an argument of another type and for what JSON does not have, RuleError for a wrong field.
    """
    _require_record(given, name)
    record = kind.parsed(given) if isinstance(given, dict) else given
    _require_json_fields(record, name)
    return record


def read_fields(given: Record | JsonObject, name: str) -> JsonObject:
    """Return the fields of an argument that is a record or describes one, by their published names.

    Raises InputError for an argument of another type, and for a record with what JSON does not have.
    """
    _require_record(given, name)
    if isinstance(given, dict):
        return dict(given)
    _require_json_fields(given, name)
    return given.as_dict()


def _require_record(value: object, name: str) -> None:
    require_argument(value, (Record, dict), name, "a dict with the published names of its fields")


def _require_json_fields(record: Record, name: str) -> None:
    """Raise InputError for a field that JSON does not have: fields of any value take it."""
    require_json(record.model_dump(by_alias=True), name)


def require_start(inputs: object, deadline: object, tags: object, priority: object) -> None:
    """Raise InputError for arguments of a run that are of another type."""
    require_argument(inputs, dict, "inputs", "a dict of the inputs by name; {} if the Process needs none")
    require_json(inputs, "inputs")
    if deadline is not None:
        require_argument(deadline, (int, float), "deadline", "a number of seconds, or None")
        if not cast(float, deadline) > 0:
            raise InputError(f"deadline cannot be {_shown(deadline)}.", next_step="Give more than 0 seconds, or None.")
    if tags is not None:
        require_argument(tags, Mapping, "tags", "a dict of texts by name, or None")
        for name, value in cast(Mapping[object, object], tags).items():
            require_text(name, "the name of a tag")
            require_text(value, f"the tag {str(name)[:60]!r}")
    require_choice(priority, _PRIORITIES, "priority")


def require_text(value: object, name: str) -> None:
    """Raise InputError unless an argument is a text."""
    require_argument(value, str, name, "a text")


def require_choice(value: object, choices: Sequence[str], name: str) -> None:
    """Raise InputError unless an argument is one of these texts."""
    if value not in choices:
        raise InputError(
            f"{name} cannot be {str(value)[:60]!r}.", next_step=f"Give {', '.join(choices[:-1])} or {choices[-1]}."
        )


def require_list(value: object, name: str, needed: str) -> None:
    """Raise InputError unless an argument is a list or another sequence, and no text."""
    if isinstance(value, (str, bytes)) or not isinstance(value, Sequence):
        raise InputError(f"{name} cannot be {_shown(cast(object, value))}.", next_step=f"Give {needed}.")


_PRIORITIES: Final = ("high", "normal", "low")


def _shown(value: object) -> str:
    """A value for a message: its type, and only a number itself, since a text may be a secret in a wrong place."""
    if value is None or isinstance(value, (bool, int, float)):
        return repr(value)
    return f"a value of the type {type(value).__name__}"
