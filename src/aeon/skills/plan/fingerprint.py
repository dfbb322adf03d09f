"""What a plan's nodes run, whatever they are called: by it a plan, or a node's result, is known again (skills 4)."""

import hashlib
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeAlias, cast

from aeon.base.binding import reference_pattern, split_reference
from aeon.base.json import Json, JsonObject, canonical_json
from aeon.dag.scheduling import ReadySet
from aeon.skills.models import SkillCatalog
from aeon.skills.plan.graph import TOOL_PREFIX, plan_graph
from aeon.skills.plan_json import PlanJson

ScriptKey: TypeAlias = Callable[[str], str]
"""What stands for the script that a plan calls by some path."""

_REFERENCE = reference_pattern(TOOL_PREFIX)


def plan_fingerprint(plan: PlanJson, catalog: SkillCatalog) -> str:
    """Equal for two plans that run the same, whatever their ids, the spelling of paths and the order of their nodes."""
    nodes = sorted(node_fingerprints(plan, script_key_by_path(catalog)).values())
    tangled = [node.as_dict() for node in plan.tools if len(nodes) < len(plan.tools)]
    return canonical_json([nodes, tangled, plan.narrative if not plan.tools else None])


def node_fingerprints(plan: PlanJson, script_name: ScriptKey) -> dict[int, str]:
    """A digest for each node by position: of its script, its input, and the keys of the nodes it depends on.

    Ids do not count: a reference stands for what it refers to. Nodes on or after a cycle have no key.
    """
    graph = plan_graph(plan)
    keys: dict[int, str] = {}
    ready = ReadySet(graph.dependencies)
    while positions := ready.get_ready():
        for position in positions:
            node = plan.tools[position]
            named = {plan.tools[at].tool_id: keys[at] for at in graph.dependencies[position]}
            before = sorted(named.values())
            what = [script_name(node.tool_path), _without_ids(node.input, named), before]
            keys[position] = hashlib.sha256(canonical_json(what).encode()).hexdigest()
            ready.done(position)
    return keys


def script_key_by_path(catalog: SkillCatalog) -> ScriptKey:
    """Scripts by their path, however a plan spells it."""

    def named(tool_path: str) -> str:
        found = catalog.find_script(tool_path)
        return found[1].tool_path if found else tool_path

    return named


def script_key_by_content(catalog: SkillCatalog) -> ScriptKey:
    """Scripts by their path and a digest of their bytes as they are now, each read once."""
    name = script_key_by_path(catalog)
    known: dict[str, str] = {}

    def digested(tool_path: str) -> str:
        if tool_path not in known:
            found = catalog.find_script(tool_path)
            known[tool_path] = f"{name(tool_path)} {_digest(str(found[1].path)) if found else None}"
        return known[tool_path]

    return digested


def _digest(path: str) -> str | None:
    try:
        with open(path, "rb") as file:  # noqa: PTH123  # for file_digest
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def _without_ids(value: Json, named: Mapping[str, str]) -> Json:
    """`value`, in its references the keys of nodes instead of their ids."""
    if isinstance(value, str):
        return _REFERENCE.sub(lambda found: _renamed(found, named), value)
    if isinstance(value, dict):
        return {key: _without_ids(item, named) for key, item in cast(JsonObject, value).items()}
    if isinstance(value, list):
        return [_without_ids(item, named) for item in cast(Sequence[Json], value)]
    return value


def _renamed(found: re.Match[str], named: Mapping[str, str]) -> str:
    split = split_reference(found[1], cast(Collection[str], named))
    return found[0] if split is None else f"{{{TOOL_PREFIX}.{'.'.join([named[split[0]], *split[1]])}}}"
