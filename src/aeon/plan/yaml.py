"""YAML as plain data: no tags, no aliases (so no alias bombs), no duplicate keys, no excessive depth."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, cast

import yaml

from aeon.base.json import MAX_DEPTH, Json

_Loader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml's loader if PyYAML was built with it: five times faster, same results."""

_MERGE = "tag:yaml.org,2002:merge"
_BOOLEAN, _TEXT = "tag:yaml.org,2002:bool", "tag:yaml.org,2002:str"
_BOOLEANS = ("true", "false")
"""The words that are booleans in YAML 1.2; as keys, the others of YAML 1.1 (on, off, yes, no) are names here."""


class YamlError(ValueError):
    """A text is not YAML as plain data. `line` is the line of the problem, counted from 1."""

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.line = line


def load_yaml(text: str) -> Json:
    """Decodes one YAML document. Raises YamlError with the position of the problem."""
    try:
        _check_events(text)
        return yaml.load(text, Loader=_PlainLoader)  # noqa: S506  # a restricted SafeLoader
    except (yaml.YAMLError, OverflowError) as error:
        raise YamlError(" ".join(str(error).split()), _line_of(error)) from None
    except RecursionError:
        raise YamlError("the YAML is nested too deeply to read") from None


def dump_yaml(value: Json, *, allow_unicode: bool = True) -> str:
    """Encodes plain data so that `load_yaml` returns it again: no aliases, texts of several lines as blocks."""
    return yaml.dump(value, Dumper=_PlainDumper, sort_keys=False, allow_unicode=allow_unicode, width=120)


def find_lines(text: str, paths: Iterable[Sequence[str | int]]) -> list[int]:
    """Returns the line of the value at each path, counted from 1; of the last part that exists, if a path goes on.

    A part that names an object's own `type` leads to that object, as in the paths of pydantic's unions. Raises
    YamlError if `load_yaml` cannot decode the text.
    """
    load_yaml(text)
    root: yaml.Node | None = yaml.compose(text, Loader=_PlainLoader)
    return [_find_line(root, path) for path in paths]


def _find_line(root: yaml.Node | None, path: Sequence[str | int]) -> int:
    node, line = root, 1
    for part in path:
        found = _inner(node, part)
        if found is not None:
            node, line = found
        elif not _is_type(node, part):
            break
    return line


def _is_type(node: yaml.Node | None, part: str | int) -> bool:
    kind = _inner(node, "type")
    return kind is not None and kind[0].value == part


def _inner(node: yaml.Node | None, part: str | int) -> tuple[yaml.Node, int] | None:
    """Returns the node of a key or an item, and its line."""
    if isinstance(node, yaml.MappingNode):
        pairs = cast("list[tuple[yaml.Node, yaml.Node]]", node.value)
        return next(((value, key.start_mark.line + 1) for key, value in pairs if str(key.value) == part), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int):
        items = cast("list[yaml.Node]", node.value)
        return (items[part], items[part].start_mark.line + 1) if 0 <= part < len(items) else None
    return None


def _line_of(error: Exception) -> int:
    line: int | None = getattr(
        getattr(error, "problem_mark", None), "line", None
    )  # libyaml's marks have a type of their own
    if line is not None:
        return line + 1
    found = re.match(r"line (\d+): ", str(error))
    return int(found[1]) if found else 1


def _check_events(text: str) -> None:
    """Refuses aliases, tags and excessive depth before anything is built: plans do not need them, attacks use them."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.AliasEvent):
            raise _refused(event, f"the alias *{event.anchor} is not allowed; write the value out")
        if isinstance(event, yaml.NodeEvent) and (tag := getattr(event, "tag", None)) is not None:
            raise _refused(event, f"the tag {tag} is not allowed; a plan is plain data")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MAX_DEPTH:
            raise _refused(event, f"nested deeper than {MAX_DEPTH} levels")


def _refused(event: yaml.Event, reason: str) -> yaml.YAMLError:
    line = event.start_mark.line + 1 if event.start_mark else 0
    return yaml.YAMLError(f"line {line}: {reason}")


class _PlainLoader(_Loader):
    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in cast("list[tuple[yaml.Node, yaml.Node]]", node.value):
            name, line = str(cast(object, key.value)), key.start_mark.line + 1
            if key.tag == _MERGE:
                raise yaml.YAMLError(f"line {line}: the merge key << is not allowed; write the fields out")
            if name in seen:
                raise yaml.YAMLError(f"line {line}: the key {name!r} appears twice in one object")
            seen.add(name)
            if key.tag == _BOOLEAN and name.lower() not in _BOOLEANS:
                key.tag = _TEXT
        return super().construct_mapping(node, deep)


class _PlainDumper(yaml.SafeDumper):
    """Writes repeated values in full: `load_yaml` accepts no aliases."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002  # the base class passes it by name or position
        return True


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)  # pyright: ignore[reportUnknownMemberType]  # its stub is untyped


_PlainDumper.add_representer(str, _represent_text)
