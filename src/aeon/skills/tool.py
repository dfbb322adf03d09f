"""A skill's script as a tool of the kernel: same process, retries and limits."""

from typing import TYPE_CHECKING, Any, Protocol

from aeon.base.cancellation import on_cancel
from aeon.base.errors import ToolError
from aeon.base.json import JsonObject
from aeon.base.next_steps import NextStep
from aeon.skills.failures import FailureClass
from aeon.skills.invocation import Cancellation
from aeon.skills.models import Skill, SkillScript
from aeon.tools.interface import Tool

if TYPE_CHECKING:
    from aeon.skills.plan_json import ExecutionResult, PlanJson, ToolErrorJson

_ADDED_PROPERTIES: JsonObject = {
    "summary": {"description": "The script's own summary of its result."},
    "assets": {"description": "The files that the script made, by name."},
}
"""Output fields under the protocol in addition to the script's own schema (`plan.check.ADDED_OUTPUT`)."""


class ToolPlanExecution(Protocol):
    """Runs a plan to its end or its cancellation.

    `verbatim`: nothing in its inputs is a reference.
    """

    def __call__(self, plan: "PlanJson", /, *, cancellation: Cancellation, verbatim: bool) -> "ExecutionResult": ...


_SETUP_FAILURES = frozenset({FailureClass.CANNOT_START, FailureClass.CONFIGURATION})
"""Failures that the notes about the skills explain; all others are faults of the script or the input."""

_NODE = "call"
_GRACE_SECONDS = 15.0
"""Seconds after the plan's deadline for ending its processes."""


class SkillTool(Tool):
    """A tool that calls one script.

    Only its output counts: a kernel's run has no state for patches to change. `plan_timeout` is in seconds and bounds
    the call with all its retries. An abandoned call is cancelled.
    """

    is_common = False  # only the scripts of skills that match a request are registered

    def __init__(self, skill: Skill, script: SkillScript, execute: ToolPlanExecution, plan_timeout: float) -> None:
        self.name = f"{skill.name}.{script.name}"
        self.description = script.description or skill.description
        self.input_schema = script.input_schema or {"type": "object"}
        self.output_schema = _with_added(script.output_schema or {"type": "object"})
        self.timeout = plan_timeout + _GRACE_SECONDS
        self._path = script.tool_path
        self._execute = execute

    def invoke(self, /, **kwargs: Any) -> JsonObject:
        """Returns the script's output. Raises ToolError with the class of its failure."""
        from aeon.skills.plan_json import PlanJson, ToolInvocation

        plan = PlanJson(tools=[ToolInvocation(tool_id=_NODE, tool_path=self._path, input=kwargs)])
        with Cancellation() as cancellation, on_cancel(cancellation.cancel):
            result = self._execute(plan, cancellation=cancellation, verbatim=True).execution_trace[0]
        if result.ok:
            return result.output or {}
        error = result.error
        message = "it ended before it started" if error is None else f"{error.type}: {error.message}"
        if result.retry_count:
            text = f"The skill's script {self._path} failed in {result.retry_count + 1} attempts: {message}"
        else:
            text = f"The skill's script {self._path} failed: {message}"
        raise ToolError(text, next_step=_advice(error))


def _advice(error: "ToolErrorJson | None") -> str | NextStep:
    if error is not None and error.next_step:
        return error.next_step
    is_setup = error is not None and error.type in _SETUP_FAILURES
    return NextStep("skills.check") if is_setup else "Correct the input or the script."


def _with_added(schema: JsonObject) -> JsonObject:
    """Returns the schema with the fields that the executor adds.

    A closed schema would reject them.
    """
    return {**schema, "properties": {**_ADDED_PROPERTIES, **schema.get("properties", {})}}
