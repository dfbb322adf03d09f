"""Examples of a skill: what its scripts must give for an input, in `examples.json` of its folder.

The file is a list of objects: `script` (a path in the folder), `args` or `input`, and `expect`. The latter has any of
`output` (an object that the output must contain), `text` (a part of the printed text), and `fails` (whether the script
must fail).
"""

from typing import Any, cast

from pydantic import BaseModel, ConfigDict, ValidationError

from aeon.base.errors import InputError
from aeon.base.json import Json, JsonObject, parse_strict
from aeon.skills.bounded_files import UnreadableFileError, read_bounded
from aeon.skills.models import Skill
from aeon.skills.plan_json import PlanJson, ToolInvocation, ToolResult

EXAMPLES_JSON = "examples.json"


class _ExampleModel(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)


class ExpectedResult(_ExampleModel):
    """What a script must give; what is not named may be anything."""

    output: JsonObject = {}
    text: str = ""
    fails: bool = False


class SkillExample(_ExampleModel):
    """One call of a script, and what it must give."""

    script: str
    args: list[str] = []
    input: JsonObject = {}
    expect: ExpectedResult = ExpectedResult()

    def plan(self, skill: Skill) -> PlanJson:
        """Returns the plan that makes the call."""
        given = {**self.input, "args": self.args} if self.args else self.input
        node = ToolInvocation(tool_id="example", tool_path=f"{skill.name}/{self.script}", input=given)
        return PlanJson(tools=[node])

    def problem_of(self, result: ToolResult) -> str | None:
        """Returns how the result differs from what is expected; None if it does not."""
        if result.ok is self.expect.fails:
            why = "it ended well" if result.error is None else result.error.message
            return f"it must {'fail' if self.expect.fails else 'end well'}, but {why}"
        output = result.output or {}
        if missing := _missing(self.expect.output, output, "$"):
            return missing
        text = output.get("text", "")
        if self.expect.text not in (text if isinstance(text, str) else ""):
            return f"its text does not contain {self.expect.text!r}"
        return None


def read_examples(skill: Skill) -> list[SkillExample]:
    """Returns the examples of a skill. Raises InputError without any, or with every fault of the file."""
    path = skill.directory_path / EXAMPLES_JSON
    if not path.is_file():
        raise InputError(
            f"The skill {skill.name!r} has no {EXAMPLES_JSON}.",
            next_step='Write one: [{"script": "scripts/say.py", "args": ["hi"], "expect": {"text": "hi"}}].',
        )
    try:
        listed: Any = parse_strict(read_bounded(path).decode("utf-8-sig"))
        return [
            SkillExample.model_validate(each) for each in cast(list[Json], listed if isinstance(listed, list) else [{}])
        ]
    except UnreadableFileError as error:
        raise InputError(f"{path} cannot be read: {error.message}.", next_step="Correct it.") from None
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors())
        raise InputError(f"{path} is not a list of examples: {faults}.", next_step="Correct it.") from None
    except ValueError as error:
        raise InputError(f"{path} is not JSON: {error}.", next_step="Correct it.") from None


def _missing(expected: Json, given: Json, path: str) -> str | None:
    if isinstance(expected, dict) and isinstance(given, dict):
        found = cast(JsonObject, given)
        inner = (_missing(value, found.get(key), f"{path}.{key}") for key, value in cast(JsonObject, expected).items())
        return next((problem for problem in inner if problem), None)
    return None if expected == given else f"{path} must be {expected!r}, but it is {given!r}"
