"""Short builders of plans and calls for tests."""

from aeon.base.json import Json, JsonObject


def step(step_id: str, description: str = "do it", **fields: Json) -> JsonObject:
    """One step as data."""
    return {"step_id": step_id, "description": description, **fields}


def calc(step_id: str, expression: str) -> JsonObject:
    """A calculator step with its arguments."""
    return step(step_id, f"compute {expression}", tool="calculator", arguments={"expression": expression})


def plan(*steps: JsonObject, goal: str = "the goal") -> JsonObject:
    """A plan as data."""
    return {"goal": goal, "steps": list(steps)}


def call(tool: str, **arguments: Json) -> JsonObject:
    """A tool call in the form that a model writes."""
    return {"tool": tool, "arguments": arguments}
