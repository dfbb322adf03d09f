"""The registry of tools. Every registered tool has a name, a description and valid schemas (core 15)."""

import inspect
from collections.abc import Mapping, Sequence
from copy import copy, deepcopy
from typing import NamedTuple, Self, cast

from aeon.base.errors import ToolDefinitionError
from aeon.base.json import Json, JsonObject, json_problems
from aeon.base.json_schema import CompiledSchema
from aeon.base.language import with_language
from aeon.base.lazy_pattern import LazyPattern
from aeon.base.writing import is_rewriting
from aeon.tools.attachments import CALCULATE_FROM_TEXT
from aeon.tools.interface import Example, TextRead, Tool, timeout_problems
from aeon.tools.quoted_lines import QUOTE_LINES, quote_steps
from aeon.tools.text_calculations import asks_to_calculate, calculation_steps
from aeon.tools.worked_solutions import CALCULATOR

_OF_OWN_WORDS = frozenset(("calculator", "exact", "now", "date_math", "convert_time", "convert_units"))
"""Tools that compute with what stands in a request. A text in it that is to be rewritten is not for them."""
_NAME = LazyPattern(r"[^\s\x00-\x1f\x7f]{1,128}")


class RegisteredTool(NamedTuple):
    """A tool with its compiled schemas."""

    tool: Tool
    input: CompiledSchema
    output: CompiledSchema
    exported: JsonObject
    """The tool as data, in the form for prompts."""


class ToolOffer(NamedTuple):
    """The tools that a planner sees for a request, as data: the common ones, and the extra ones that suit it.

    The examples use only these tools. `hints` are the arguments that the tools' code could read from the request. If an
    extra tool could, the common ones give none: "2/3 + 3/4 as a fraction" is for one tool.
    """

    common: list[JsonObject]
    extra: list[JsonObject]
    common_examples: list[Example]
    extra_examples: list[Example]
    hints: dict[str, JsonObject]
    working: str | None = None
    """Instructions under which a model works the request out, if the only tool that suits has some."""
    plan: JsonObject | None = None
    """The plan that code makes where no model is needed for it: no tool suits, so that the model answers, or one tool
    can read the whole request."""

    @property
    def tools(self) -> list[JsonObject]:
        """All of them, the common ones first."""
        return [*self.common, *self.extra]


class ToolRegistry:
    """The tools of a run, by name, in the order of their registration.

    `plans_always`: whether a request is planned by a model even if none of the tools suits it.
    """

    def __init__(self, tools: list[Tool] | None = None, *, plans_always: bool = True) -> None:
        self._plans_always = plans_always
        self._tools: dict[str, RegisteredTool] = {}
        for tool in tools or []:
            self.register(tool)

    def register(self, tool: Tool, *, is_checked: bool = False) -> None:
        """Adds a tool. The schemas of a tool that `is_checked` are known to be valid, and compile at their first use.

        Raises ToolDefinitionError (a ValueError), which lists every problem of the tool.
        """
        input_schema = _compile_schema(tool, "input_schema", is_checked=is_checked)
        output_schema = _compile_schema(tool, "output_schema", is_checked=is_checked)
        problems = _definition_problems(tool, [each for each in (input_schema, output_schema) if isinstance(each, str)])
        if not problems and tool.name in self._tools:
            problems = [f"a tool named {tool.name!r} is registered already; unregister it or choose another name"]
        if problems or isinstance(input_schema, str) or isinstance(output_schema, str):
            name = next(filter(None, (getattr(tool, each, None) for each in ("name", "__name__"))), type(tool).__name__)
            raise ToolDefinitionError(
                f"The tool {name!r} cannot be registered: {'; '.join(problems)}.", problems=problems
            )
        self._tools[tool.name] = RegisteredTool(tool, input_schema, output_schema, _exported(tool))

    def snapshot(self) -> Self:
        """Returns an independent registry with the tools that are registered now."""
        snapshot = copy(self)
        vars(snapshot)["_tools"] = dict(self._tools)
        return snapshot

    def get(self, name: str) -> Tool | None:
        """The tool of that name, or None."""
        registered = self._tools.get(name)
        return None if registered is None else registered.tool

    def lookup(self, name: str) -> RegisteredTool | None:
        """The tool of that name with its compiled schemas, or None."""
        return self._tools.get(name)

    def list_all(self) -> list[str]:
        """The names of all tools."""
        return list(self._tools)

    def unregister(self, name: str) -> None:
        """Removes a tool; an unknown name changes nothing."""
        self._tools.pop(name, None)

    def export_tools_for_llm(self) -> list[JsonObject]:
        """Every tool as data: name, description, both schemas and, if it has one, an example of its arguments."""
        return [deepcopy(entry.exported) for entry in self._tools.values()]

    def offer(self, request: str) -> ToolOffer:
        """The tools that a planner sees for a request."""
        common = {name: entry for name, entry in self._tools.items() if entry.tool.is_common}
        rest = {name: entry for name, entry in self._tools.items() if name not in common}
        extra = {name: entry for name, entry in rest.items() if _suits(entry.tool, request)}
        shown = common | extra
        hints = _hints(extra, request) or _hints(common, request)
        suiting = extra | {name: entry for name, entry in common.items() if _suits(entry.tool, request)}
        if is_rewriting(request):
            suiting = {name: entry for name, entry in suiting.items() if name not in _OF_OWN_WORDS}
        return ToolOffer(
            common=[deepcopy(entry.exported) for entry in common.values()],
            extra=[deepcopy(entry.exported) for entry in extra.values()],
            common_examples=_examples(common, common),
            extra_examples=_examples(extra, shown),
            hints=hints,
            working=None if self._plans_always else _working(request, suiting),
            plan=None if self._plans_always else _certain_plan(request, suiting, hints, self._tools),
        )


def _definition_problems(tool: Tool, of_schemas: Sequence[str]) -> list[str]:
    if inspect.isroutine(tool):
        return ["it is a function; make a tool of it with @tool"]
    problems: list[str] = []
    name, description = (cast(Json, getattr(tool, field, None)) for field in ("name", "description"))
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        problems.append(f"its name must be 1 to 128 characters without spaces, not {name!r}")
    if not isinstance(description, str) or not description.strip():
        problems.append("its description is empty; describe what the tool does, the model reads it")
    if not callable(getattr(tool, "invoke", None)):
        problems.append("it has no invoke()")
    elif inspect.iscoroutinefunction(tool.invoke):
        problems.append("its invoke() is async; make the tool from an async function with @tool")
    return [*problems, *of_schemas, *timeout_problems(getattr(tool, "timeout", None))]


def _suits(tool: Tool, request: str) -> bool:
    try:
        return bool(tool.suits(request))
    except Exception:  # noqa: BLE001  # external code; without an answer the tool is offered
        return True


def _examples(tools: Mapping[str, RegisteredTool], usable: Mapping[str, RegisteredTool]) -> list[Example]:
    """The examples of `tools` whose steps use only `usable` tools."""
    return [
        example
        for entry in tools.values()
        for example in entry.tool.examples
        if all(step.get("tool") is None or step["tool"] in usable for step in example.steps)
    ]


def _certain_plan(
    request: str,
    suiting: Mapping[str, RegisteredTool],
    hints: Mapping[str, JsonObject],
    tools: Mapping[str, RegisteredTool],
) -> JsonObject | None:
    """The plan of a request that no tool suits, or that one tool reads as a whole, or that is about a text.

    None if a model has to plan.
    """
    if not suiting:
        return _plan(request, {"description": "answer the request", "agent": "llm"})
    for name, arguments in hints.items():
        if len(hints) == 1 and _reads_whole(suiting[name].tool, request):
            return _plan(request, {"description": f"use {name}", "tool": name, "arguments": arguments})
    extra = [entry.tool for entry in suiting.values() if not entry.tool.is_common]
    read = _text_read(extra[0], request) if len(extra) == 1 else None
    return None if read is None or read.tool not in tools else _plan_of_text(request, read, tools)


def _plan_of_text(request: str, read: TextRead, tools: Mapping[str, RegisteredTool]) -> JsonObject:
    """The plan that reads a text, and answers from it, computes with its numbers or quotes some of its lines."""
    call: JsonObject = {"description": f"use {read.tool}", "tool": read.tool, "arguments": read.arguments}
    text = "{step.s1.text}"
    material: JsonObject = {read.name: text}
    if read.use == "answer":
        return _plan(request, call)
    if CALCULATE_FROM_TEXT in tools and asks_to_calculate(request):
        return _plan(request, call, *calculation_steps(request, material))
    if QUOTE_LINES in tools and read.use == "lines":
        return _plan(request, call, *quote_steps(request, material, text))
    return _plan(request, call, {"description": with_language(request), "agent": "llm", "arguments": material})


def _text_read(tool: Tool, request: str) -> TextRead | None:
    try:
        read = cast(object, tool.text_read(request))
    except Exception:  # noqa: BLE001  # external code; without an answer the model plans
        return None
    return read if isinstance(read, TextRead) and not json_problems(read.arguments) else None


def _working(request: str, suiting: Mapping[str, RegisteredTool]) -> str | None:
    """The instructions to work the request out, of the only tool that suits.

    The calculator may suit besides: a solution has its steps too.
    """
    special = [entry for name, entry in suiting.items() if name != CALCULATOR]
    if len(special or suiting) != 1:
        return None
    (entry,) = special or suiting.values()
    try:
        working = cast(Json, entry.tool.working(request))
    except Exception:  # noqa: BLE001  # external code; without an answer the model plans
        return None
    return working if isinstance(working, str) else None


def _reads_whole(tool: Tool, request: str) -> bool:
    try:
        return bool(tool.reads_whole(request))
    except Exception:  # noqa: BLE001  # external code; without an answer the model plans
        return False


def _plan(request: str, *steps: JsonObject) -> JsonObject:
    return {"goal": request, "steps": [{"step_id": f"s{number}", **step} for number, step in enumerate(steps, 1)]}


def _hints(tools: Mapping[str, RegisteredTool], request: str) -> dict[str, JsonObject]:
    read = {name: _hint(entry.tool, request) for name, entry in tools.items()}
    return {name: arguments for name, arguments in read.items() if arguments is not None}


def _hint(tool: Tool, request: str) -> JsonObject | None:
    try:
        arguments = cast(Json, tool.read_request(request))
    except Exception:  # noqa: BLE001  # external code; the hint is optional
        return None
    return cast(JsonObject, arguments) if isinstance(arguments, dict) and not json_problems(arguments) else None


def _compile_schema(tool: Tool, field: str, *, is_checked: bool) -> CompiledSchema | str:
    """A schema of a tool, compiled; or what is wrong with it."""
    schema = cast(Json, getattr(tool, field, None))
    if not isinstance(schema, dict):
        return f"its {field} must be a JSON schema as a dict, not {type(schema).__name__}"
    try:
        return CompiledSchema(cast(JsonObject, schema), is_checked=is_checked)
    except (ValueError, TypeError) as error:
        return f"its {field} is not a valid JSON schema: {error}"


def _exported(tool: Tool) -> JsonObject:
    exported: JsonObject = {
        "name": tool.name,
        "description": tool.description,
        "input_schema": deepcopy(tool.input_schema),
        "output_schema": deepcopy(tool.output_schema),
    }
    if tool.offered_schema is not None:
        exported["offered_schema"] = deepcopy(tool.offered_schema)
    steps = [step for example in tool.examples for step in example.steps]
    own = [step["arguments"] for step in steps if step.get("tool") == tool.name and "arguments" in step]
    return {**exported, "example": deepcopy(own[0])} if own else exported
