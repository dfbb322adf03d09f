"""Settings files as a person writes them: a new one with every setting as a comment, and changes that keep comments."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from aeon.base.errors import ConfigError
from aeon.base.json import Json, parse_strict
from aeon.base.next_steps import NextStep
from aeon.settings.layers import KEYS, SettingsLayer, layer_problems
from aeon.settings.model import Settings

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

_HEADER = """\
# The settings of this project. Each is shown with its default value: remove the # to change it.
# Flags and AEON_* variables override this file; `aeon config list` shows where each value comes from.
"""


def commented_settings() -> str:
    """The text of a settings file in which every setting is a comment, with what it means and its default."""
    lines = [_HEADER]
    defaults = Settings().model_dump(mode="json")
    for section in Settings.model_fields:
        lines.append(f"[{section}]")
        for key, description in KEYS.items():
            of, _, name = key.partition(".")
            if of == section:
                lines += [f"# {description}", f"# {name} = {_toml(defaults[section][name])}"]
        lines.append("")
    return "\n".join(lines)


def with_setting(text: str, key: str, value: str, origin: str) -> str:
    """A settings file's text with one setting changed; comments and order stay.

    `value` is JSON or text. Raises ConfigError for an unknown setting or an invalid value, named by `origin`.
    """
    import tomlkit

    document = _parse_toml(text, origin)
    section, _, name = key.partition(".")
    cast("dict[str, Any]", document.setdefault(section, tomlkit.table()))[name] = _parsed(key, value)
    changed = tomlkit.dumps(document)  # pyright: ignore[reportUnknownMemberType]
    if problems := problems_of(changed, origin):
        raise ConfigError(
            "The setting was not changed:\n" + "\n".join(f"  {each}" for each in problems) + "\n",
            next_step=NextStep("config.list"),
            problems=list[Json](problems),
        )
    return changed


def without_setting(text: str, key: str, origin: str) -> str:
    """A settings file's text without one setting; the text itself if it has none. Raises ConfigError for bad TOML."""
    import tomlkit

    document = _parse_toml(text, origin)
    section, _, name = key.partition(".")
    cast("dict[str, dict[str, Any]]", document).get(section, {}).pop(name, None)
    return tomlkit.dumps(document)  # pyright: ignore[reportUnknownMemberType]


def problems_of(text: str, origin: str) -> list[str]:
    """All problems of a settings file's text, each with its place."""
    import tomllib

    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        return [f"{origin} is not TOML: {error}"]
    return layer_problems(SettingsLayer(origin, values))


def write_settings(path: Path, text: str) -> None:
    """Replace a settings file whole, or not at all; its folder is made. Raises ConfigError if it cannot be written."""
    part = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}.", next_step="Check the path.") from None


def _parse_toml(text: str, origin: str) -> "TOMLDocument":
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        return tomlkit.parse(text)
    except TOMLKitError as error:
        raise ConfigError(f"{origin} is not TOML: {error}", next_step=NextStep("config.edit")) from None


def _parsed(key: str, value: str) -> Json:
    """JSON if it fits the setting, else the text itself: a name may look like a number."""
    try:
        parsed = parse_strict(value)
    except ValueError:
        return value
    section, _, name = key.partition(".")
    fits = not layer_problems(SettingsLayer("", {section: {name: parsed}}))
    return parsed if fits or layer_problems(SettingsLayer("", {section: {name: value}})) else value


def _toml(value: Json) -> str:
    """A value as TOML; what is not set is shown as an empty text."""
    if value is None:
        return '""'
    return "{}" if isinstance(value, Mapping) else json.dumps(value, ensure_ascii=False)
