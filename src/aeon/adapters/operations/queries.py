"""Writes the parameters of a query and the fields of a form. Pure."""

from collections.abc import Iterator, Mapping
from typing import cast

from aeon.base.json import Json, JsonObject, text_of
from aeon.platform.catalog.operations import QueryStyle

_SEPARATORS: dict[QueryStyle, str] = {"comma": ",", "space": " ", "pipe": "|"}


def query_pairs(query: JsonObject, styles: Mapping[str, QueryStyle]) -> list[tuple[str, str]]:
    """Return the names and texts of a query in order; without a style, a value that is not a text stands as JSON."""
    return [pair for name, value in query.items() for pair in _pairs(name, value, styles.get(name, "json"))]


def _pairs(name: str, value: Json, style: QueryStyle) -> Iterator[tuple[str, str]]:
    if isinstance(value, list) and style in ("repeat", "deep"):
        yield from ((name, text_of(item)) for item in cast("list[Json]", value))
    elif isinstance(value, list) and style in _SEPARATORS:
        yield name, _SEPARATORS[style].join(map(text_of, cast("list[Json]", value)))
    elif isinstance(value, dict) and style == "repeat":
        for key, item in cast(JsonObject, value).items():
            yield from _pairs(key, item, "repeat" if isinstance(item, list) else "json")
    elif isinstance(value, dict) and style == "deep":
        for key, item in cast(JsonObject, value).items():
            yield from _pairs(f"{name}[{key}]", item, "deep")
    else:
        yield name, text_of(value)
