"""JSON as Aeon uses it: one canonical encoder, one strict decoder, one check for values that are not JSON."""

import hashlib
import json
import math
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias, cast

Json: TypeAlias = Any
"""Any JSON value. The only use of `Any`; every package names it `Json`."""

JsonObject: TypeAlias = dict[str, Json]

MAX_DEPTH = 100
"""Nesting levels that Aeon accepts in stored values; far above normal use, far below the recursion limit."""

MAX_DIGITS = 4300
"""Decimal digits of an integer: Python itself neither writes nor reads longer ones."""
TOO_MANY_DIGITS = f"an integer has more than {MAX_DIGITS} digits; use a string"

_TOO_LARGE = 10**MAX_DIGITS
_TOO_DEEP = "the JSON is nested too deeply to read"

_encoder = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def _build_encode() -> Callable[[Json], str]:
    """The encoder's `encode`, without the setup of every call, which costs more than encoding most values.

    Reuses the C encoder that the standard library's `encode` creates for each call, if it has the known form;
    a test compares its output with the public encoder's.
    """
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return _encoder.encode
    try:
        pieces = make(None, _encoder.default, json.encoder.encode_basestring_ascii, None, ":", ",", True, False, False)
    except TypeError:
        return _encoder.encode
    return lambda value: "".join(pieces(value, 0))


_encode = _build_encode()


def canonical_json(value: Json) -> str:
    """Encodes with sorted keys, ASCII only and no NaN, so that equal values give equal bytes (core 12).

    Raises ValueError for NaN and infinities, TypeError for types that are not JSON, RecursionError for cycles and for
    nesting past the interpreter's limit; `json_problems` reports the same beforehand.
    """
    return _encode(value)


def json_digest(value: Json) -> str:
    """Return the SHA-256 of a value's canonical form, in hexadecimal."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


def readable_json(value: Json) -> str:
    """Encode as `canonical_json` does, but keep letters; what UTF-8 cannot encode stays escaped."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return encodable_text(text)


def encodable_text(text: str) -> str:
    """Return `text` with escapes in place of lone surrogates, which UTF-8 cannot encode; of JSON, it is still JSON."""
    return text.encode(errors="backslashreplace").decode()


def encodable_json(value: Json) -> Json:
    """Return `value` with escapes in place of lone surrogates in its strings and keys."""
    if isinstance(value, str):
        return encodable_text(value)
    if isinstance(value, dict):
        fields = cast(JsonObject, value)
        return {encodable_text(key): encodable_json(item) for key, item in fields.items()}
    if isinstance(value, list):
        return [encodable_json(item) for item in cast(list[Json], value)]
    return value


def text_of(value: Json) -> str:
    """Return a text as it is, and any other value as readable JSON."""
    return value if isinstance(value, str) else readable_json(value)


def _refuse_constant(name: str) -> Json:
    raise ValueError(f"{name} is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text[:40]} is too large for a number")
    return number


def _unique_keys(pairs: list[tuple[str, Json]]) -> JsonObject:
    value = dict(pairs)
    if len(value) != len(pairs):
        seen: set[str] = set()
        duplicate = next(key for key, _ in pairs if key in seen or seen.add(key))
        raise ValueError(f"the key {duplicate!r} appears twice in one object")
    return value


_decoder = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite, object_pairs_hook=_unique_keys)
_string_decoder = json.JSONDecoder(strict=False)


def parse_strict(text: str) -> Json:
    """Decodes RFC 8259 JSON: no NaN, no Infinity (1e999 is one), no duplicate keys, no excessive depth.

    Raises ValueError with the position for anything else.
    """
    try:
        return _decoder.decode(text)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    except ValueError as error:
        if exceeds_digits(error):
            raise ValueError(TOO_MANY_DIGITS) from None
        raise


def exceeds_digits(error: ValueError) -> bool:
    """Whether Python refused to read an integer because of its length."""
    return "set_int_max_str_digits" in str(error)


def parse_typed_text(text: str) -> Json:
    """Decodes what a person typed: JSON if it is some, such as `true` or `3`, else the text itself."""
    try:
        return parse_strict(text)
    except ValueError:
        return text


def parse_exact_text(text: str) -> Json:
    """Decodes what a person answered, as `parse_typed_text` does, if that changes nothing of it.

    `3.10` may be a version and `007` an agent: a number that would be written otherwise stays a text, and so does null,
    which answers nothing.
    """
    value = parse_typed_text(text)
    is_changed = isinstance(value, int | float) and canonical_json(value) != text.strip()
    return text if value is None or is_changed else value


def parse_first(text: str, start: int = 0) -> tuple[Json, int]:
    """Decodes the JSON value that begins at `start`, as strictly as `parse_strict`; also returns its end.

    Raises ValueError if no value begins there.
    """
    try:
        return _decoder.raw_decode(text, start)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None


def unescape_json(inner: str) -> str:
    """The string whose JSON form has `inner` between its quotes; raw control characters are allowed.

    Raises ValueError for an invalid escape, and for a quote that would end the string.
    """
    return cast(str, _string_decoder.decode(f'"{inner}"'))


def json_problems(value: Json) -> list[str]:
    """The reasons why `value` is not JSON, each with its path: NaN, cycles, keys, types, size, depth."""
    return [] if _is_plain(value, MAX_DEPTH) else list(_faults(value, "$", ()))


def copy_json(value: Json) -> Json:
    """A copy of a JSON value that shares no object or list with it."""
    if isinstance(value, dict):
        fields = cast(JsonObject, value)
        return {key: copy_json(item) if isinstance(item, (dict, list)) else item for key, item in fields.items()}
    if isinstance(value, list):
        return [copy_json(item) if isinstance(item, (dict, list)) else item for item in cast(list[Json], value)]
    return value


def _is_plain(value: Json, depth: int) -> bool:
    """Whether `value` is certainly JSON: a quick check that spares nearly every value the slow one."""
    kind = type(cast(object, value))
    if kind is str or kind is bool or value is None:
        return True
    if kind is int:
        return -_TOO_LARGE < value < _TOO_LARGE
    if kind is float:
        return math.isfinite(value)
    if kind is list:
        return depth > 0 and all(_is_plain(item, depth - 1) for item in value)
    if kind is not dict or depth <= 0:
        return False
    return all(
        type(key) is str and (type(cast(object, item)) is str or _is_plain(item, depth - 1))
        for key, item in value.items()
    )


def _faults(value: Json, path: str, above: tuple[int, ...]) -> Iterator[str]:
    if value is None or isinstance(value, (str, bool)):
        return
    if isinstance(value, int):
        if abs(value) >= _TOO_LARGE:
            yield f"{path}: an integer of more than {MAX_DIGITS} digits cannot be stored; use a string"
    elif isinstance(value, float):
        if not math.isfinite(value):
            yield f"{path}: {value} is not JSON; use null or a string"
    elif isinstance(value, (dict, list)):
        yield from _container_faults(cast("JsonObject | list[Json]", value), path, above)
    else:
        yield f"{path}: a {type(value).__name__} is not JSON; convert it to a string, number, list or object"


def _container_faults(value: JsonObject | list[Json], path: str, above: tuple[int, ...]) -> Iterator[str]:
    if id(value) in above:
        yield f"{path}: refers back to a value that contains it; a cycle cannot be stored"
        return
    if len(above) >= MAX_DEPTH:
        yield f"{path}: nested deeper than {MAX_DEPTH} levels"
        return
    inner = (*above, id(value))
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _faults(item, f"{path}[{index}]", inner)
        return
    for key, item in value.items():
        if isinstance(key, str):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may pass anything
            yield from _faults(item, f"{path}.{key}", inner)
        else:
            yield f"{path}: the key {key!r} is not a string"
