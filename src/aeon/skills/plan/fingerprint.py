"""Fingerprints of plans and nodes by what they run, whatever their ids (skills 4)."""

import hashlib
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeAlias, cast

from aeon.base.binding import reference_pattern, split_reference
from aeon.base.json import Json, JsonObject, canonical_json, json_digest
from aeon.dag.scheduling import ReadySet
from aeon.skills.models import SkillCatalog
from aeon.skills.plan.graph import TOOL_PREFIX, plan_graph
from aeon.skills.plan_json import PlanJson

ScriptKey: TypeAlias = Callable[[str], str]
"""Returns the key of the script at a plan's path."""

_REFERENCE = reference_pattern(TOOL_PREFIX)


def plan_fingerprint(plan: PlanJson, catalog: SkillCatalog) -> str:
    """Returns a fingerprint that is equal for plans that run the same.

    Ids, the spelling of paths and the order of nodes do not matter.
    """
    nodes = sorted(node_fingerprints(plan, script_key_by_path(catalog)).values())
    cyclic_nodes = [node.as_dict() for node in plan.tools if len(nodes) < len(plan.tools)]
    return canonical_json([nodes, cyclic_nodes, plan.narrative if not plan.tools else None])


def node_fingerprints(plan: PlanJson, script_name: ScriptKey) -> dict[int, str]:
    """Returns a digest for each node by position.

    It covers its script, its input, and the keys of its dependencies. Ids do not matter: a reference counts as the
    node it refers to. Nodes on or after a cycle have no key.
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
            keys[position] = json_digest(what)
            ready.done(position)
    return keys


def script_key_by_path(catalog: SkillCatalog) -> ScriptKey:
    """Returns keys that are a script's path in its canonical spelling."""

    def key(tool_path: str) -> str:
        match = catalog.find_script(tool_path)
        return match[1].tool_path if match else tool_path

    return key


def script_key_by_content(catalog: SkillCatalog) -> ScriptKey:
    """Returns keys that are a script's path and a digest of its current bytes.

    It reads each script once.
    """
    path_key = script_key_by_path(catalog)
    known: dict[str, str] = {}

    def key(tool_path: str) -> str:
        if tool_path not in known:
            match = catalog.find_script(tool_path)
            known[tool_path] = f"{path_key(tool_path)} {_digest(str(match[1].path)) if match else None}"
        return known[tool_path]

    return key


def _digest(path: str) -> str | None:
    try:
        with open(path, "rb") as file:  # noqa: PTH123  # for file_digest
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def _without_ids(value: Json, named: Mapping[str, str]) -> Json:
    """Returns `value` with node keys instead of ids in its references."""
    if isinstance(value, str):
        return _REFERENCE.sub(lambda match: _renamed(match, named), value)
    if isinstance(value, dict):
        return {key: _without_ids(item, named) for key, item in cast(JsonObject, value).items()}
    if isinstance(value, list):
        return [_without_ids(item, named) for item in cast(Sequence[Json], value)]
    return value


def _renamed(match: re.Match[str], named: Mapping[str, str]) -> str:
    split = split_reference(match[1], cast(Collection[str], named))
    return match[0] if split is None else f"{{{TOOL_PREFIX}.{'.'.join([named[split[0]], *split[1]])}}}"
