"""What a repair may not do (core 10): pure checks of the output after it against the output before it."""

from collections.abc import Collection, Iterator, Sequence
from typing import cast

from aeon.base.json import Json, JsonObject, canonical
from aeon.base.json_schema import Problem
from aeon.supervisor.given import Source, leaves


def plan_limits(before: JsonObject | None, after: JsonObject, tools: Collection[str]) -> list[Problem]:
    """A repaired plan keeps the goal and every readable step, and names registered tools only.

    `before` is what could be read of the plan; None when nothing could.
    """
    problems = [
        Problem(f"$.steps[{index}].tool", f"{step['tool']!r} is not registered; registered are: {', '.join(tools)}")
        for index, step in enumerate(after["steps"])
        if step.get("tool") is not None and step["tool"] not in tools
    ]
    if before is None:
        return problems
    if _is_text(before.get("goal")) and after["goal"] != before["goal"]:
        problems.append(Problem("$.goal", f"must stay {before['goal']!r}"))
    steps = [cast(JsonObject, step) for step in _listed(before.get("steps")) if isinstance(step, dict)]
    if not steps:
        return problems
    if len(steps) != len(after["steps"]):
        return [*problems, Problem("$.steps", f"must stay {len(steps)} steps, not {len(after['steps'])}")]
    return [*problems, *_step_changes(steps, after["steps"], tools)]


def _step_changes(before: list[JsonObject], after: list[JsonObject], tools: Collection[str]) -> Iterator[Problem]:
    ids: set[str] = set()
    for index, (old, new) in enumerate(zip(before, after, strict=True)):
        step_id = old.get("step_id")
        kept = {"description": old.get("description")} if _is_text(old.get("description")) else {}
        if _is_text(step_id) and step_id not in ids:
            kept["step_id"] = step_id
            ids.add(cast(str, step_id))
        if old.get("tool") in tools:
            kept["tool"] = old["tool"]
        if old.get("agent") == "llm":
            kept["agent"] = "llm"
            if not _is_text(old.get("tool")):
                kept["tool"] = None  # a tool would win over the agent (core 1)
        for field, value in kept.items():
            if new.get(field) != value:
                yield Problem(f"$.steps[{index}].{field}", f"must stay {value!r}")
        if new.get("arguments") is not None and not _same(new["arguments"], old.get("arguments")):
            yield Problem(f"$.steps[{index}].arguments", "must stay as they were, or be left out")


def call_limits(
    before: JsonObject | None, after: JsonObject, wrong: Collection[str], given: Sequence[Json]
) -> list[Problem]:
    """A repaired call keeps the tool and every valid argument, and takes new values only from what was given (core 18).

    `wrong` names the arguments that were not valid; `given` is what holds values besides the call itself.
    """
    old = before or {}
    problems: list[Problem] = []
    if _is_text(old.get("tool")) and after["tool"] != old["tool"]:
        problems.append(Problem("$.tool", f"must stay {old['tool']!r}"))
    arguments = cast(JsonObject, old["arguments"]) if isinstance(old.get("arguments"), dict) else {}
    new = cast(JsonObject, after["arguments"])
    for name, value in arguments.items():
        if name not in wrong and not (name in new and _same(new[name], value)):
            problems.append(Problem(f"$.arguments.{name}", f"was valid and must stay {canonical(value)[:200]}"))
    source = Source([*given, *(value for key, value in old.items() if key != "tool" and value != {})])
    problems += [
        Problem(f"$.arguments.{name}", f"{leaf!r} appears nowhere in the context; a repair invents nothing")
        for name, value in new.items()
        if not (name in arguments and _same(arguments[name], value))
        for leaf in leaves(value)
        if not source.says(leaf)
    ]
    return problems


def step_limits(before: JsonObject, after: JsonObject) -> list[Problem]:
    """A step whose tool was found is the same step: id, description and arguments are not touched."""
    return [
        Problem(f"$.{field}", f"must stay {before.get(field)!r}")
        for field in ("step_id", "description", "arguments")
        if field in after and not _same(after[field], before.get(field))
    ]


def _same(one: Json, other: Json) -> bool:
    return canonical(one) == canonical(other)


def _is_text(value: Json) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _listed(value: Json) -> list[Json]:
    return cast(list[Json], value) if isinstance(value, list) else []
