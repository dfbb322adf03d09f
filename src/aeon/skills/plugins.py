"""Manifests of plugins: `.claude-plugin/plugin.json` and `marketplace.json`, which name folders of skills (skills 17).

Skills are found without them; they say which skills belong to a plugin, and which plugins are elsewhere.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

from aeon.base.json import JsonObject
from aeon.skills.bounded_files import UnreadableFileError, read_json_object

MANIFEST_FOLDER = ".claude-plugin"
_SKILLS = "skills"
"""The folder of a plugin's skills unless its manifest names others."""


class Plugin(NamedTuple):
    """A plugin of a source: its folders of skills, or the address of a plugin that is elsewhere."""

    name: str
    folders: Sequence[Path] = ()
    address: str = ""


def plugins_of(tree: Path) -> list[Plugin]:
    """Returns the plugins that the manifests of a source name. Raises UnreadableFileError with the file's path."""
    found: list[Plugin] = []
    marketplace = _manifest(tree / MANIFEST_FOLDER / "marketplace.json")
    for fields in _objects(marketplace.get("plugins")):
        source: Any = fields.get("source", "./")
        if isinstance(source, str):
            if (tree / source).resolve().is_relative_to(tree.resolve()):
                found += _plugin(tree, tree / source, fields)
        elif isinstance(source, dict):
            found.append(Plugin(str(fields.get("name", "")), address=_address(cast(JsonObject, source))))
    if not found:
        found += _plugin(tree, tree, {})
    return found


def _plugin(tree: Path, folder: Path, fields: JsonObject) -> Iterator[Plugin]:
    """Yields the plugin in a folder of the tree; the fields of a marketplace come before those of its own manifest."""
    own = {**_manifest(folder / MANIFEST_FOLDER / "plugin.json"), **fields}
    named: Any = own.get("skills", _SKILLS)
    places = cast(list[object], named) if isinstance(named, list) else [named]
    folders = [folder / place for place in places if isinstance(place, str)]
    inside = [each for each in folders if each.is_dir() and each.resolve().is_relative_to(tree.resolve())]
    if isinstance(own.get("name"), str):
        yield Plugin(own["name"], inside)


def _manifest(path: Path) -> JsonObject:
    """Returns the fields of a manifest, none if the file does not exist."""
    if not path.is_file():
        return {}
    try:
        return read_json_object(path)
    except UnreadableFileError as error:
        raise UnreadableFileError(error.line, f"{MANIFEST_FOLDER}/{path.name} {error.message}") from None


def _objects(value: object) -> list[JsonObject]:
    items = cast(list[object], value) if isinstance(value, list) else []
    return [cast(JsonObject, item) for item in items if isinstance(item, dict)]


def _address(source: JsonObject) -> str:
    """Returns the git address of a plugin that is elsewhere."""
    if isinstance(source.get("repo"), str):
        return f"https://github.com/{source['repo']}"
    return str(source.get("url") or source.get("package") or "")
