"""Converts between the properties of an export and the columns of a row. Pure."""

from collections.abc import Callable
from typing import cast

from aeon.base.json import Json, JsonObject, canonical_json, parse_strict
from aeon.platform.graph import RowType
from aeon.platform.store import Row


def properties_from_row(kind: RowType, row: Row) -> JsonObject:
    """Returns the properties of a row without None; objects are JSON text."""
    properties = {name: _published(kind, column, row[column]) for name, column in kind.properties.items()}
    properties |= {name: each.value(row) for name, each in kind.computed.items()}
    return {name: value for name, value in properties.items() if value is not None}


def row_from_properties(kind: RowType, properties: JsonObject, tell: Callable[[str], None]) -> JsonObject:
    """Returns the columns of the properties.

    Calls `tell` for each unknown property or wrong value.
    """
    row: JsonObject = {}
    for name, value in properties.items():
        if value is None:
            continue
        if name in kind.computed:
            row |= kind.computed[name].stored(value)
        elif name not in kind.properties:
            tell(f"has the unknown property {name!r}")
        elif expected := _expected_type(kind, kind.properties[name], value):
            tell(f"has the property {name!r}, which is not {expected}")
        else:
            row[kind.properties[name]] = _stored(kind, kind.properties[name], value)
    return row


def _published(kind: RowType, column: str, value: Json) -> Json:
    if value is None:
        return None
    if column in kind.booleans:
        return bool(value)
    return parse_strict(value) if column in kind.json and value.startswith("[") else value


def _stored(kind: RowType, column: str, value: Json) -> Json:
    if column in kind.booleans:
        return int(value)
    return canonical_json(value) if column in kind.json and not isinstance(value, str) else value


def _expected_type(kind: RowType, column: str, value: Json) -> str:
    """Returns the type that a column's value should have but has not; empty if it is right."""
    if column in kind.json:
        return "" if isinstance(value, dict | list) or _is_json(value) else "JSON"
    if column in kind.booleans:
        return "" if value in (True, False) else "a boolean"
    if column in kind.numbers:
        return "" if isinstance(value, int | float) and not isinstance(value, bool) else "a number"
    return "" if isinstance(value, str) else "a string"


def _is_json(value: Json) -> bool:
    try:
        parse_strict(cast(str, value))
    except (TypeError, ValueError):
        return False
    return True
