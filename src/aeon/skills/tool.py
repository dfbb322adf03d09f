"""A skill's script as a tool of the kernel: the same process, retries and limits, one node at a time."""

from typing import Any, Protocol

from aeon.base.cancellation import on_cancel
from aeon.base.errors import ToolError
from aeon.base.json import JsonObject
from aeon.skills.failures import FailureClass
from aeon.skills.invocation import Cancellation
from aeon.skills.models import Skill, SkillScript
from aeon.skills.plan_json import ExecutionResult, PlanJson, ToolInvocation
from aeon.tools.interface import Tool

_ADDED_PROPERTIES: JsonObject = {
    "summary": {"description": "What the script said of itself in the end."},
    "assets": {"description": "The files that it made, by name."},
}
"""Fields of every output under the protocol beside what the script's schema declares (`plan.check.ADDED_OUTPUT`)."""


class ToolPlanExecution(Protocol):
    """Runs a plan to its end, or until it is cancelled; `verbatim`, nothing in its inputs is a reference."""

    def __call__(self, plan: PlanJson, /, *, cancellation: Cancellation, verbatim: bool) -> ExecutionResult: ...


_SETUP_FAILURES = frozenset({FailureClass.CANNOT_START, FailureClass.CONFIGURATION})
"""Failures that a look at the skill explains; the others are the script's or the input's."""

_NODE = "call"
_GRACE_SECONDS = 15.0
"""Seconds beyond the plan's deadline in which its processes are ended."""


class SkillTool(Tool):
    """Calls one script. Its effects are its output alone: a kernel's run has no state that patches could change.

    `plan_timeout` is in seconds and bounds the call, all its retries included. A call that is given up is cancelled.
    """

    def __init__(self, skill: Skill, script: SkillScript, execute: ToolPlanExecution, plan_timeout: float) -> None:
        self.name = f"{skill.name}.{script.name}"
        self.description = script.description or skill.description
        self.input_schema = script.input_schema or {"type": "object"}
        self.output_schema = _with_added(script.output_schema or {"type": "object"})
        self.timeout = plan_timeout + _GRACE_SECONDS
        self._path = script.tool_path
        self._execute = execute

    def invoke(self, /, **kwargs: Any) -> JsonObject:
        """The script's output. Raises ToolError with the class of its failure."""
        plan = PlanJson(tools=[ToolInvocation(tool_id=_NODE, tool_path=self._path, input=kwargs)])
        with Cancellation() as cancellation, on_cancel(cancellation.cancel):
            result = self._execute(plan, cancellation=cancellation, verbatim=True).execution_trace[0]
        if result.ok:
            return result.output or {}
        said = result.error
        message = "it was ended before it began" if said is None else f"{said.type}: {said.message}"
        is_set_up_wrong = said is not None and said.type in _SETUP_FAILURES
        raise ToolError(
            f"The skill's script {self._path} failed: {message}",
            next_step="See `aeon skills check`." if is_set_up_wrong else "Correct its input, or the script.",
        )


def _with_added(schema: JsonObject) -> JsonObject:
    """The schema, open for what the executor adds to an output: a closed one would reject it."""
    return {**schema, "properties": {**_ADDED_PROPERTIES, **schema.get("properties", {})}}
