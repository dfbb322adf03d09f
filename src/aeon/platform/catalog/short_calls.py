"""Steps of documents that name a skill's script or the kernel instead of a tool: each gets a tool of the catalog.

`skill: mailer/send` calls the tool `mailer/send`, and `agent: request` the tool `agent request`, which the document
adds unless the file has one of that name. So everybody sees in lists, limits and the audit log what is called
(decision 75).
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, cast

from aeon.base.json import Json, JsonObject
from aeon.platform.catalog.documents import CatalogDocument

_SECTIONS: Final = ("steps", "onFailure", "finally")
_TARGETS: Final = frozenset({"tool", "process", "wait"})

_AGENT: Final = "agent request"
_OWN: Final[JsonObject] = {"service": "aeon itself", "connectionParams": {"command": "aeon:self"}}
_ANY: Final[JsonObject] = {"type": "object"}
_REQUEST: Final[JsonObject] = {
    "type": "object",
    "required": ["request"],
    "properties": {"request": {"type": "string", "minLength": 1, "maxLength": 20_000}},
    "additionalProperties": False,
}


def with_short_calls(documents: Sequence[CatalogDocument]) -> list[CatalogDocument]:
    """Return the documents with the tools that short calls need, and steps that name these.

    A short call of another form stays as it is, and is a fault of its step.
    """
    named = {document.name for document in documents if document.kind == "Tool"}
    added: dict[str, CatalogDocument] = {}
    result: list[CatalogDocument] = []
    for document in documents:
        if document.kind != "Process":
            result.append(document)
            continue
        tools: dict[str, JsonObject] = {}
        sections = {name: _named_targets(document.fields[name], tools) for name in _SECTIONS if name in document.fields}
        result.append(replace(document, fields={**document.fields, **sections}))
        for name, fields in tools.items():
            if name not in named:
                added.setdefault(name, CatalogDocument("Tool", name, {"name": name, **fields}, document.location))
    return [*added.values(), *result]


def _named_targets(steps: Json, tools: dict[str, JsonObject]) -> Json:
    """Return steps that name tools; `tools` gets those that they need."""
    return [_named_target(step, tools) for step in cast("list[Json]", steps)] if isinstance(steps, list) else steps


def _named_target(step: Json, tools: dict[str, JsonObject]) -> Json:
    if not isinstance(step, dict):
        return step
    fields = cast(JsonObject, step)
    if isinstance(undo := fields.get("compensate"), dict):
        fields = {**fields, "compensate": _named_target(undo, tools)}
    for key, tool_of in (("skill", _tool_of_skill), ("agent", _tool_of_agent)):
        if key in fields and not _TARGETS & fields.keys() and (tool := tool_of(fields[key])) is not None:
            name, wanted = tool
            tools[name] = wanted
            return {**{other: value for other, value in fields.items() if other != key}, "tool": name}
    return fields


def _tool_of_skill(value: Json) -> tuple[str, JsonObject] | None:
    skill, _, script = value.partition("/") if isinstance(value, str) else ("", "", "")
    if not skill or not script:
        return None
    operation: JsonObject = {"type": "skill_script", "skill": skill, "script": script}
    what = f"Runs the script {script} of the skill {skill}."
    return f"{skill}/{script}", {"description": what, **_OWN, "operation": operation, "inputSchema": _ANY}


def _tool_of_agent(value: Json) -> tuple[str, JsonObject] | None:
    if value != "request":
        return None
    operation: JsonObject = {"type": "agent_request"}
    what = "Plans and runs a request."
    return _AGENT, {"description": what, **_OWN, "operation": operation, "inputSchema": _REQUEST}
