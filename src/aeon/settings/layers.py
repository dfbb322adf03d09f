"""Layers of settings and their merge: pure, the origin of each value kept, every problem reported at once.

Precedence, highest first: flags, environment, project file, user file, default.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from pydantic import BaseModel, ValidationError

from aeon.base.json import Json, JsonObject
from aeon.base.suggestions import closest_name
from aeon.settings.model import Settings


def _fields() -> Iterator[tuple[str, str]]:
    for section, info in Settings.model_fields.items():
        model = cast(type[BaseModel], info.annotation)
        for name, inner in model.model_fields.items():
            yield f"{section}.{name}", inner.description or ""


KEYS: Mapping[str, str] = dict(_fields())
"""Every key, as `section.name`, with its description."""

_TABLES = frozenset({"model.prices"})
"""Keys whose value is a table of its own."""

_SECRET_WORDS = ("api_key", "apikey", "token", "secret", "password")


@dataclass(frozen=True, slots=True)
class SettingsLayer:
    """Values from one source, as nested sections. `spelling` maps a key to its name there, if that differs.

    `is_text` marks values that are all text (the environment), so that numbers are parsed from them.
    """

    origin: str
    values: JsonObject
    spelling: Mapping[str, str] = field(default_factory=dict[str, str])
    is_text: bool = False

    def name_of(self, key: str) -> str:
        """The key as the user wrote it."""
        return self.spelling.get(key, key)

    def origin_of(self, key: str) -> str:
        """The origin of the value of `key`: the file, or the variable or flag itself."""
        return self.spelling.get(key, self.origin)


def environment_variable(key: str) -> str:
    """The environment variable of a key: `run.ttl` is AEON_RUN_TTL."""
    return f"AEON_{key.replace('.', '_').upper()}"


def merge_layers(layers: Iterable[SettingsLayer]) -> tuple[Settings, dict[str, str]]:
    """Merges the layers, highest precedence first; returns the settings and the origin of every key.

    The layers must be free of problems.
    """
    merged: JsonObject = {}
    origins: dict[str, str] = {}
    for layer in layers:
        checked = Settings.model_validate(layer.values, strict=not layer.is_text)
        for key in _keys_in(layer.values):
            if key not in origins:
                section, _, name = key.partition(".")
                merged.setdefault(section, {})[name] = getattr(getattr(checked, section), name)
                origins[key] = layer.origin_of(key)
    return Settings.model_validate(merged), {key: origins.get(key, "default") for key in KEYS}


def layer_problems(layer: SettingsLayer) -> list[str]:
    """All problems of a layer, each with its place. Values are never quoted: one may be a secret."""
    try:
        Settings.model_validate(layer.values, strict=not layer.is_text)
    except ValidationError as error:
        return [_problem(layer, cast("dict[str, Any]", item)) for item in error.errors(include_url=False)]
    return []


def unknown_key_problem(key: str, known: Iterable[str] = KEYS, spelled: str = "") -> str:
    """The message for an unknown key, with the closest known key."""
    if any(word in key.casefold() for word in _SECRET_WORDS):
        name = "AEON_MODEL_API_KEY_ENV" if spelled else "model.api_key_env"
        return f"is unknown; settings never contain keys: set {name} to the NAME of the variable that holds the key"
    near = closest_name(key, known)
    return f"is unknown; did you mean {near}?" if near else f"is unknown; known are {', '.join(known)}"


def _keys_in(values: JsonObject) -> Iterator[str]:
    for section, content in values.items():
        yield from (f"{section}.{name}" for name in cast(JsonObject, content))


def _problem(layer: SettingsLayer, item: Mapping[str, Json]) -> str:
    location = [str(part) for part in cast("tuple[int | str, ...]", item["loc"])]
    key = ".".join(location[:2])
    inside = f"{'.'.join(location[2:])}: " if key in _TABLES and location[2:] else ""
    place = layer.origin if layer.name_of(key) == key else ""
    named = f"{place}: {key}" if place else layer.name_of(key)
    return f"{named} {_reason(key, item, inside)}"


def _reason(key: str, item: Mapping[str, Json], inside: str) -> str:
    if inside:
        return f"is wrong: {inside}{str(item['msg']).removeprefix('Value error, ')}"
    if item["type"] == "extra_forbidden":
        return unknown_key_problem(key, [*KEYS, *Settings.model_fields] if "." not in key else KEYS)
    if item["type"] in ("model_type", "model_attributes_type"):
        return f"must be a table, written as [{key}]"
    message = str(item["msg"]).removeprefix("Value error, ")
    return f"is wrong: {message[0].lower()}{message[1:]}"
