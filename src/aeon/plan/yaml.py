"""YAML as plain data: no tags, no aliases (so no alias bombs), no duplicate keys, no excessive depth."""

from typing import Any, cast

import yaml

from aeon.base.json import MAX_DEPTH, Json

_Loader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml's loader if PyYAML was built with it: five times faster, same results."""

_MERGE = "tag:yaml.org,2002:merge"


def load_yaml(text: str) -> Json:
    """Decodes one YAML document. Raises ValueError with the position of the problem."""
    try:
        _check_events(text)
        return yaml.load(text, Loader=_PlainLoader)  # noqa: S506  # a restricted SafeLoader
    except (yaml.YAMLError, OverflowError) as error:
        raise ValueError(" ".join(str(error).split())) from None
    except RecursionError:
        raise ValueError("the YAML is nested too deeply to read") from None


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
        return super().construct_mapping(node, deep)
