"""The limits of a repair (core 10): pure checks of the repaired output against the original."""

from collections.abc import Collection, Iterator, Sequence
from typing import cast

from aeon.base.json import Json, JsonObject, canonical_json
from aeon.base.json_schema import ValidationProblem
from aeon.supervisor.repair_context import KnownValues, iterate_leaves


def plan_violations(before: JsonObject | None, after: JsonObject, tools: Collection[str]) -> list[ValidationProblem]:
    """The violations of a repaired plan, which must keep the goal and every readable step, and use registered tools.

    `before` is the readable part of the plan; None if nothing was readable.
    """
    problems = [
        ValidationProblem(
            f"$.steps[{index}].tool", f"{step['tool']!r} is not registered; registered are: {', '.join(tools)}"
        )
        for index, step in enumerate(after["steps"])
        if step.get("tool") is not None and step["tool"] not in tools
    ]
    if before is None:
        return problems
    if _is_text(before.get("goal")) and after["goal"] != before["goal"]:
        problems.append(ValidationProblem("$.goal", f"must stay {before['goal']!r}"))
    steps = [cast(JsonObject, step) for step in _listed(before.get("steps")) if isinstance(step, dict)]
    if not steps:
        return problems
    if len(steps) != len(after["steps"]):
        return [*problems, ValidationProblem("$.steps", f"must stay {len(steps)} steps, not {len(after['steps'])}")]
    return [*problems, *_step_changes(steps, after["steps"], tools)]


def _step_changes(
    before: list[JsonObject], after: list[JsonObject], tools: Collection[str]
) -> Iterator[ValidationProblem]:
    ids: set[str] = set()
    for index, (old, new) in enumerate(zip(before, after, strict=True)):
        step_id = old.get("step_id")
        fixed = {"description": old.get("description")} if _is_text(old.get("description")) else {}
        if _is_text(step_id) and step_id not in ids:
            fixed["step_id"] = step_id
            ids.add(cast(str, step_id))
        if old.get("tool") in tools:
            fixed["tool"] = old["tool"]
        if old.get("agent") == "llm":
            fixed["agent"] = "llm"
            if not _is_text(old.get("tool")):
                fixed["tool"] = None  # a tool would win over the agent (core 1)
        for field, value in fixed.items():
            if new.get(field) != value:
                yield ValidationProblem(f"$.steps[{index}].{field}", f"must stay {value!r}")
        if new.get("arguments") is not None and not _same(new["arguments"], old.get("arguments")):
            yield ValidationProblem(f"$.steps[{index}].arguments", "must stay as they were, or be left out")


def call_violations(
    before: JsonObject | None, after: JsonObject, invalid: Collection[str], sources: Sequence[Json]
) -> list[ValidationProblem]:
    """The violations of a repaired call, which keeps the tool and every valid argument (core 18).

    New values may come only from the call and `sources`. `invalid` names the arguments that were not valid.
    """
    old = before or {}
    problems: list[ValidationProblem] = []
    if _is_text(old.get("tool")) and after["tool"] != old["tool"]:
        problems.append(ValidationProblem("$.tool", f"must stay {old['tool']!r}"))
    arguments = cast(JsonObject, old["arguments"]) if isinstance(old.get("arguments"), dict) else {}
    new = cast(JsonObject, after["arguments"])
    for name, value in arguments.items():
        if name not in invalid and not (name in new and _same(new[name], value)):
            problems.append(
                ValidationProblem(f"$.arguments.{name}", f"was valid and must stay {canonical_json(value)[:200]}")
            )
    known = KnownValues([*sources, *(value for key, value in old.items() if key != "tool" and value != {})])
    problems += [
        ValidationProblem(f"$.arguments.{name}", f"{leaf!r} appears nowhere in the context; a repair invents nothing")
        for name, value in new.items()
        if not (name in arguments and _same(arguments[name], value))
        for leaf in iterate_leaves(value)
        if not known.contains(leaf)
    ]
    return problems


def step_violations(before: JsonObject, after: JsonObject) -> list[ValidationProblem]:
    """The violations of a step with a new tool, which must keep its id, description and arguments."""
    return [
        ValidationProblem(f"$.{field}", f"must stay {before.get(field)!r}")
        for field in ("step_id", "description", "arguments")
        if field in after and not _same(after[field], before.get(field))
    ]


def _same(one: Json, other: Json) -> bool:
    return canonical_json(one) == canonical_json(other)


def _is_text(value: Json) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _listed(value: Json) -> list[Json]:
    return cast(list[Json], value) if isinstance(value, list) else []
