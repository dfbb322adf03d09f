"""YAML as plain data: no tags, no aliases (so no alias bombs), no duplicate keys, no excessive depth."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, cast

import yaml

from aeon.base.json import MAX_DEPTH, TOO_MANY_DIGITS, Json, exceeds_digits, json_problems

_Loader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml's loader if PyYAML was built with it: five times faster, same results."""

_MERGE = "tag:yaml.org,2002:merge"
_TRUTH = "tag:yaml.org,2002:bool"
_TEXT = "tag:yaml.org,2002:str"
_RESOLVED = {
    _TRUTH: ("tTfF", r"true|True|TRUE|false|False|FALSE"),
    "tag:yaml.org,2002:int": ("-0123456789", r"-?(?:0|[1-9][0-9]*|0x[0-9a-fA-F]+)"),
    "tag:yaml.org,2002:float": (
        "-.0123456789",
        r"-?(?:(?:0|[1-9][0-9]*)\.[0-9]*(?:[eE][-+][0-9]+)?|\.[0-9]+(?:[eE][-+][0-9]+)?|\.(?:inf|Inf|INF))|\.(?:nan|NaN|NAN)",
    ),
}
"""What is a truth value or a number, by its first characters. YAML 1.1, which PyYAML reads, has more of them: 01067 is
567 there, 12:30 is 750, 1_000 is 1000, +49 is 49, and NO is false. Here they are texts, as most of them in YAML 1.2."""

_PLACE = re.compile(r'^line \d+: | in "<[a-z ]+>", line \d+, column \d+')


class YamlError(ValueError):
    """A text is not YAML as plain data. `line` and `column` are the place of the problem, counted from 1.

    `reason` is the message without places, for a text that is a part of a file.
    """

    def __init__(self, message: str, line: int = 1, column: int = 1) -> None:
        super().__init__(message)
        self.reason = _PLACE.sub("", message)
        self.line = line
        self.column = column


def load_yaml(text: str) -> Json:
    """Decodes one YAML document. Raises YamlError with the position of the problem."""
    try:
        _check_events(text)
        return yaml.load(text, Loader=_PlainLoader)  # noqa: S506  # a restricted SafeLoader
    except (yaml.YAMLError, OverflowError) as error:
        position = _position_of(error)
        raise YamlError(_tab_message(text, position) or " ".join(str(error).split()), *position) from None
    except RecursionError:
        raise YamlError("the YAML is nested too deeply to read") from None
    except ValueError as error:
        if exceeds_digits(error):
            raise YamlError(TOO_MANY_DIGITS) from None
        raise


_DATES = ("a date is", "a datetime is")
"""How `json_problems` begins what it says about a date."""


def find_unplain(value: Json) -> list[tuple[str, str]]:
    """Returns what in a decoded document is not JSON: the path of each value, and what to write."""
    split = [each.partition(": ") for each in json_problems(value)]
    quote = "YAML reads this as a date: put it in quotes"
    return [(path, quote if message.startswith(_DATES) else message) for path, _, message in split]


def dump_yaml(value: Json, *, allow_unicode: bool = True) -> str:
    """Encodes plain data so that `load_yaml` returns it again: no aliases, texts of several lines as blocks."""
    return yaml.dump(value, Dumper=_PlainDumper, sort_keys=False, allow_unicode=allow_unicode, width=120)


class TextPosition(NamedTuple):
    """A place in a text: its line and column, counted from 1."""

    line: int
    column: int


def find_positions(text: str, paths: Iterable[Sequence[str | int]]) -> list[TextPosition]:
    """Returns the position of the value at each path; of the last part that exists, if a path goes on.

    A value in a mapping is where its key is. A part that names an object's own `type` leads to that object, as in the
    paths of pydantic's unions. Raises YamlError if `load_yaml` cannot decode the text.
    """
    load_yaml(text)
    root: yaml.Node | None = yaml.compose(text, Loader=_PlainLoader)
    return [_find_position(root, path) for path in paths]


def find_lines(text: str, paths: Iterable[Sequence[str | int]]) -> list[int]:
    """Returns the line of the value at each path, as `find_positions` does."""
    return [found.line for found in find_positions(text, paths)]


def _find_position(root: yaml.Node | None, path: Sequence[str | int]) -> TextPosition:
    node, position = root, TextPosition(1, 1) if root is None else _position(root)
    for part in path:
        found = _inner(node, part)
        if found is not None:
            node, position = found
        elif not _is_type(node, part):
            break
    return position


def _is_type(node: yaml.Node | None, part: str | int) -> bool:
    kind = _inner(node, "type")
    return kind is not None and kind[0].value == part


def _inner(node: yaml.Node | None, part: str | int) -> tuple[yaml.Node, TextPosition] | None:
    """Returns the node of a key or an item, and its position."""
    if isinstance(node, yaml.MappingNode):
        pairs = cast("list[tuple[yaml.Node, yaml.Node]]", node.value)
        return next(((value, _position(key)) for key, value in pairs if str(key.value) == part), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int):
        items = cast("list[yaml.Node]", node.value)
        return (items[part], _position(items[part])) if 0 <= part < len(items) else None
    return None


def _position(node: yaml.Node) -> TextPosition:
    return TextPosition(node.start_mark.line + 1, node.start_mark.column + 1)


def _position_of(error: Exception) -> TextPosition:
    mark = getattr(error, "problem_mark", None)  # libyaml's marks have a type of their own
    if mark is not None:
        return TextPosition(mark.line + 1, mark.column + 1)
    found = re.match(r"line (\d+): ", str(error))
    return TextPosition(int(found[1]) if found else 1, 1)


def _tab_message(text: str, position: TextPosition) -> str:
    """Returns what to say if a tab is at the place of a problem, else nothing."""
    line = text.splitlines()[position.line - 1 : position.line]
    if not line or line[0][position.column - 1 : position.column] != "\t":
        return ""
    return f"line {position.line}: there is a tab, and YAML does not indent by tabs; use spaces"


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
            if key.tag == _TRUTH:  # as `on`, which YAML 1.1 reads as true: keys are texts
                key.tag = _TEXT
        return super().construct_mapping(node, deep)


def _resolvers() -> dict[str, list[tuple[str, re.Pattern[str]]]]:
    """The inherited resolvers of plain scalars by their first character, with those of `_RESOLVED` instead."""
    inherited: dict[str, list[tuple[str, re.Pattern[str]]]] = _Loader.yaml_implicit_resolvers
    kept = {first: [each for each in found if each[0] not in _RESOLVED] for first, found in inherited.items()}
    for tag, (firsts, pattern) in _RESOLVED.items():
        for first in firsts:
            kept.setdefault(first, []).append((tag, re.compile(f"(?:{pattern})$")))
    return kept


_PlainLoader.yaml_implicit_resolvers = _resolvers()


class _PlainDumper(yaml.SafeDumper):
    """Writes repeated values in full: `load_yaml` accepts no aliases."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002  # the base class passes it by name or position
        return True


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar(_TEXT, text, style=style)  # pyright: ignore[reportUnknownMemberType]  # its stub is untyped


_PlainDumper.add_representer(str, _represent_text)
