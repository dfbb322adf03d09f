"""The properties of an export and the columns that hold them, both ways. Pure."""

from collections.abc import Callable
from typing import cast

from aeon.base.json import Json, JsonObject, canonical_json, parse_strict
from aeon.platform.graph import RowType
from aeon.platform.store import Row


def properties_from_row(kind: RowType, row: Row) -> JsonObject:
    """The properties of a row. Those that are None are left out, and objects are JSON text."""
    said = {name: _published(kind, column, row[column]) for name, column in kind.properties.items()}
    said |= {name: each.value(row) for name, each in kind.computed.items()}
    return {name: value for name, value in said.items() if value is not None}


def row_from_properties(kind: RowType, properties: JsonObject, tell: Callable[[str], None]) -> JsonObject:
    """The columns that hold the properties. `tell` is told of each that is unknown or has a wrong value."""
    row: JsonObject = {}
    for name, value in properties.items():
        if value is None:
            continue
        if name in kind.computed:
            row |= kind.computed[name].stored(value)
        elif name not in kind.properties:
            tell(f"has the unknown property {name!r}")
        elif wrong := _fault(kind, kind.properties[name], value):
            tell(f"has the property {name!r}, which is not {wrong}")
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


def _fault(kind: RowType, column: str, value: Json) -> str:
    """What the value of a column must be and is not; empty if it is right."""
    if column in kind.json:
        return "" if isinstance(value, dict | list) or _is_json(value) else "JSON"
    if column in kind.booleans:
        return "" if value in (True, False) else "a boolean"
    if column in kind.numbers:
        return "" if isinstance(value, int | float) and not isinstance(value, bool) else "a number"
    return "" if isinstance(value, str) else "a text"


def _is_json(value: Json) -> bool:
    try:
        parse_strict(cast(str, value))
    except (TypeError, ValueError):
        return False
    return True
