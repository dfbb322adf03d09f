"""Planning without a model: what a search finds and code can fill in (core: nothing is invented). Coarse, but sure."""

import re
from collections.abc import Mapping
from typing import cast

from aeon.base.json import Json, JsonObject
from aeon.base.json_schema import schema_check
from aeon.skills.models import Skill, SkillScript
from aeon.skills.plan_json import PlanJson, ToolInvocation
from aeon.skills.planner.retrieval import SkillIndex
from aeon.skills.planner.schema import fresh_ids
from aeon.skills.planner.task import PlanningError, PlanningTask

_MOST_SKILLS = 3
_REQUEST_FIELDS = frozenset({"request", "prompt", "text", "query", "question", "message"})
"""Properties that take the request as it stands."""

_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])")
_LONGEST = 10_000
_LONGEST_NUMBER = 300


class PatternPlanner:
    """One node for each skill that the request's words find and whose input can be read out of the request.

    A property takes its default, else the value named in the request that its schema asks for: one of its enum, a
    match of its pattern, a lone number; a free text called `prompt`, `text` or the like takes the request itself.
    Nodes run one after another, in the order of the search. A script that declares no input is never guessed at, and
    what a kept node did already is not done again.
    """

    def plan(self, task: PlanningTask) -> PlanJson:
        """Raises PlanningError when the request's words lead to no script that can be filled in."""
        with SkillIndex(task.catalog.plannable()) as index:
            found = index.search(task.request, _MOST_SKILLS)
        done = [(node.tool_path, node.input) for node in task.kept]
        wanted = [call for skill in found if (call := _call(skill, task.request)) is not None]
        calls = [(script, filled) for script, filled in wanted if (script.tool_path, filled) not in done]
        ids = fresh_ids([node.tool_id for node in task.kept])
        nodes = [
            ToolInvocation(tool_id=tool_id, tool_path=script.tool_path, input=filled, dependencies=ids[:at][-1:])
            for at, (tool_id, (script, filled)) in enumerate(zip(ids, calls, strict=False))
        ]
        if not nodes:
            raise PlanningError(
                "Without a model, the words of the request lead to no skill whose input can be read out of it.",
                next_step="Configure a model (`aeon doctor`), or write the plan by hand for `aeon skills exec`.",
            )
        return task.plan(nodes)


def _call(skill: Skill, request: str) -> tuple[SkillScript, JsonObject] | None:
    """The skill's first declared script whose input the request fills, with that input."""
    for script in skill.scripts:
        filled = filled_input(script.input_schema or {}, request) if script.protocol == "ndjson" else None
        if filled is not None:
            return script, filled
    return None


def filled_input(schema: JsonObject, request: str) -> JsonObject | None:
    """An input that fits `schema`, read out of the request; None when something required is not there."""
    properties = cast(Mapping[str, Json], schema.get("properties", {}))
    required = set(cast(list[str], schema.get("required", [])))
    filled: JsonObject = {}
    for name, inner in properties.items():
        value = _value(name, cast(JsonObject, inner) if isinstance(inner, dict) else {}, request)
        if value is not None and (name in required or not _is_free_text(inner)):
            filled[name] = value
    return filled if schema_check(schema or {"type": "object"}).is_valid(filled) and required <= filled.keys() else None


def _value(name: str, schema: JsonObject, request: str) -> Json:
    """The value that the request names for a property, else the property's default."""
    read = _read(name, schema, request)
    return schema.get("default") if read is None else read


def _read(name: str, schema: JsonObject, request: str) -> Json:
    if "enum" in schema:
        named = [value for value in cast(list[Json], schema["enum"]) if _is_named(value, request)]
        return named[0] if len(named) == 1 else None
    kind = schema.get("type")
    if kind in ("integer", "number"):
        numbers = _NUMBER.findall(request)
        return _number(numbers[0], kind) if len(numbers) == 1 else None
    if kind != "string":
        return None
    if "pattern" in schema:
        return _matched(cast(str, schema["pattern"]), request)
    return request if name in _REQUEST_FIELDS else None


def _is_named(value: Json, request: str) -> bool:
    return isinstance(value, str) and re.search(rf"\b{re.escape(value)}\b", request, re.IGNORECASE) is not None


def _number(text: str, kind: str) -> Json:
    if len(text) > _LONGEST_NUMBER:
        return None
    if kind == "number":
        return float(text)
    return int(text) if "." not in text else None


def _matched(pattern: str, request: str) -> str | None:
    """The one word of the request that the pattern takes whole."""
    check = schema_check({"type": "string", "pattern": pattern})
    words = [word.strip(".,;:!?\"'()") for word in request[:_LONGEST].split()]
    found = list(dict.fromkeys(word for word in words if word and check.is_valid(word)))
    return found[0] if len(found) == 1 else None


def _is_free_text(schema: Json) -> bool:
    node = cast(JsonObject, schema) if isinstance(schema, dict) else {}
    return node.get("type") == "string" and not {"pattern", "enum", "default"} & node.keys()
