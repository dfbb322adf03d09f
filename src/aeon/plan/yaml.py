"""YAML as data only: no tags, no aliases (an alias bomb has nothing to multiply), no key twice."""

from typing import Any, cast

import yaml

from aeon.base.json import Json


def load_yaml(text: str) -> Json:
    """Decode one YAML document. Raises ValueError that says where it went wrong."""
    try:
        return yaml.load(text, Loader=_PlainLoader)  # noqa: S506  # a SafeLoader, made narrower
    except yaml.YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from None
    except RecursionError:
        raise ValueError("the YAML is nested too deeply to read") from None


class _PlainLoader(yaml.SafeLoader):
    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            event = cast(yaml.AliasEvent, self.get_event())  # pyright: ignore[reportUnknownMemberType]  # untyped in PyYAML
            line = event.start_mark.line + 1 if event.start_mark else 0
            raise yaml.YAMLError(f"line {line}: the alias *{event.anchor} is not allowed; write the value out")
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in cast("list[tuple[yaml.Node, yaml.Node]]", node.value):
            name = str(cast(object, key.value))
            if name in seen:
                raise yaml.YAMLError(f"line {key.start_mark.line + 1}: the key {name!r} stands twice in one object")
            seen.add(name)
        return super().construct_mapping(node, deep)
