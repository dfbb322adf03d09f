"""YAML as data only: no tags, no aliases (an alias bomb has nothing to multiply), no key twice, no absurd depth."""

from typing import Any, cast

import yaml

from aeon.base.json import MAX_DEPTH, Json

_Loader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml's where PyYAML was built with it: five times faster, the same answers."""

_MERGE = "tag:yaml.org,2002:merge"


def load_yaml(text: str) -> Json:
    """Decode one YAML document. Raises ValueError that says where it went wrong."""
    try:
        _check_events(text)
        return yaml.load(text, Loader=_PlainLoader)  # noqa: S506  # a SafeLoader, made narrower
    except (yaml.YAMLError, OverflowError) as error:
        raise ValueError(" ".join(str(error).split())) from None
    except RecursionError:
        raise ValueError("the YAML is nested too deeply to read") from None


def _check_events(text: str) -> None:
    """Refuse, before anything is built, what plans have no use for and what only attacks are made of."""
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
                raise yaml.YAMLError(f"line {line}: the key {name!r} stands twice in one object")
            seen.add(name)
        return super().construct_mapping(node, deep)
