"""What a query's parameters may hold, checked on the way to a store's own form of them.

One check for every store, so that what one takes, the others take, and an export of one loads into another.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar, cast

from aeon.base.json import MAX_DEPTH, Json
from aeon.platform.graph import Params, QueryError

T = TypeVar("T")

Plain: TypeAlias = "str | int | float | bool | None"

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_INT_BITS = 63
_ADVICE = "Give strings without NUL, 64-bit integers, finite floats, booleans, None, and lists and objects of them."


class RefusedValueError(ValueError):
    """A value that cannot be sent. `path` grows outwards while it is raised."""

    def __init__(self, reason: str, path: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.path = path


@dataclass(frozen=True, slots=True)
class Form(Generic[T]):
    """A store's own form of values, made from the inside out. `plain` may raise RefusedValueError."""

    plain: Callable[[Plain], T]
    sequence: Callable[[Iterable[T]], T]
    mapping: Callable[[Iterable[tuple[str, T]]], T]


def formed(params: Params, form: Form[T]) -> dict[str, T]:
    """The parameters by name, each in the store's own form.

    Raises QueryError that names the parameter and where in it, never its value (platform 3).
    """
    return {name: _parameter(name, value, form) for name, value in params.items()}


def _parameter(name: str, value: Json, form: Form[T]) -> T:
    if not _NAME.match(name):
        raise QueryError(
            f"{name[:80]!r} cannot name a parameter.", next_step="Use letters, digits and underscores, no digit first."
        )
    try:
        return _formed(value, form, 0)
    except RefusedValueError as refused:
        raise QueryError(f"The parameter ${name}{refused.path} {refused.reason}.", next_step=_ADVICE) from None


def _formed(value: Json, form: Form[T], depth: int) -> T:
    if value is None or isinstance(value, bool):
        return form.plain(value)
    if isinstance(value, str):
        return form.plain(_clean(value))
    if isinstance(value, int):
        return form.plain(_within_64_bits(value))
    if isinstance(value, float):
        return form.plain(_finite(value))
    return _container(value, form, depth)


def _container(value: Json, form: Form[T], depth: int) -> T:
    if depth >= MAX_DEPTH:
        raise RefusedValueError(f"is nested deeper than {MAX_DEPTH}")
    if isinstance(value, Mapping):
        entries = cast("Mapping[Json, Json]", value).items()
        return form.mapping([_entry(key, part, form, depth) for key, part in entries])
    if isinstance(value, (list, tuple)):
        parts = cast("list[Json]", value)
        return form.sequence([_item(at, part, form, depth) for at, part in enumerate(parts)])
    raise RefusedValueError(f"is of type {type(value).__name__}")


def _item(at: int, part: Json, form: Form[T], depth: int) -> T:
    try:
        return _formed(part, form, depth + 1)
    except RefusedValueError as refused:
        raise RefusedValueError(refused.reason, f"[{at}]{refused.path}") from None


def _entry(key: Json, part: Json, form: Form[T], depth: int) -> tuple[str, T]:
    if not isinstance(key, str):
        raise RefusedValueError(f"has a key of type {type(key).__name__}")
    if not key or "`" in key:
        raise RefusedValueError("has an empty key or one with a backtick")
    try:
        return _clean(key), _formed(part, form, depth + 1)
    except RefusedValueError as refused:
        raise RefusedValueError(refused.reason, f".{ascii(key)[1:-1]}{refused.path}") from None


def _clean(value: str) -> str:
    if "\0" in value:
        raise RefusedValueError("holds a NUL character")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise RefusedValueError("holds half a surrogate pair, which is no text") from None
    return value


def _within_64_bits(value: int) -> int:
    if not -(1 << _INT_BITS) <= value < 1 << _INT_BITS:
        raise RefusedValueError("is an integer of more than 64 bits")
    return value


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise RefusedValueError("is not a finite number")
    return value
