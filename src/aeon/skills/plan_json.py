"""Plan JSON and its result, with the published field names (skills-data-model 2 and 3)."""

from enum import StrEnum
from typing import Annotated, Any, Literal, cast
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, Field, InstanceOf, PlainSerializer, ValidationError, WithJsonSchema
from pydantic.alias_generators import to_camel
from pydantic.json_schema import SkipJsonSchema

from aeon.base.errors import PlanError
from aeon.base.json import Json, JsonObject, json_problems
from aeon.base.json_schema import ValidationProblem
from aeon.base.next_steps import NextStep
from aeon.llm.usage import Usage

MAX_RETRIES = 100
MAX_BACKOFF_MS = 60_000
"""Milliseconds."""

ToolId = Annotated[str, Field(min_length=1, max_length=128, pattern=r"^[^\s{}\x00-\x1f\x7f]+$")]
ToolPath = Annotated[str, Field(min_length=1, max_length=4096)]


def new_request_id() -> str:
    """Returns a new id for a plan without one."""
    return str(uuid4())


class _PlanJsonModel(BaseModel):
    model_config = ConfigDict(
        extra="forbid", alias_generator=to_camel, populate_by_name=True, hide_input_in_errors=True
    )

    def as_dict(self) -> JsonObject:
        """Returns the model as JSON data under the published names."""
        return self.model_dump(mode="json", by_alias=True)


class RetryPolicyJson(_PlanJsonModel):
    """Retries after the first attempt (skills 4).

    The delay before retry n is `backoffMs * 2**(n-1)` milliseconds.
    """

    max_retries: int = Field(default=3, ge=0, le=MAX_RETRIES)
    backoff_ms: int = Field(default=100, ge=0, le=MAX_BACKOFF_MS)


class ToolInvocation(_PlanJsonModel):
    """One node: a script and its input (skills 5).

    `{tool.<toolId>.<path>}` in an input is an earlier node's output.
    """

    tool_id: ToolId
    tool_path: ToolPath
    input: JsonObject = {}
    dependencies: list[str] = []
    required: bool = True
    is_async: bool = Field(default=True, alias="async")
    retry_policy: RetryPolicyJson | None = None
    """None selects the policy that the skill declares, else repeats a script only if that can do no harm."""


class PlanMetadata(_PlanJsonModel):
    """The number of the planning attempt, from 1, and the id of the previous plan."""

    generation_attempt: int = Field(default=1, ge=1)
    parent_plan_id: str | None = None


class PlanJson(_PlanJsonModel):
    """A plan: its nodes and their dependencies."""

    request_id: str = Field(default_factory=new_request_id, min_length=1, max_length=200)
    narrative: str | None = None
    tools: list[ToolInvocation]
    parallel: bool = True
    disabled_skills: list[str] = []
    metadata: PlanMetadata = PlanMetadata()


class ExecutionState(StrEnum):
    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    SKIPPED = "skipped"
    TIMEOUT = "timeout"


class FailureReason(StrEnum):
    CIRCULAR_DEPENDENCY = "circular_dependency"
    TOOL_FAILURE = "tool_failure"
    TIMEOUT = "timeout"
    PROTOCOL_VIOLATION = "protocol_violation"


class ToolErrorJson(_PlanJsonModel):
    """Why a node failed. `type` is a `FailureClass` of aeon.skills.failures."""

    type: str
    message: str
    exit_code: int | None = None
    next_step: Annotated[InstanceOf[NextStep] | str, PlainSerializer(str), WithJsonSchema({"type": "string"})] = ""
    """What the user can do about it; as data, in the words of no particular door."""


class FailedAttempt(_PlanJsonModel):
    """A failed attempt, kept for the reader; its patches are not applied (skills 6)."""

    attempt: int
    error: ToolErrorJson
    events: list[JsonObject] = []
    dropped_events: int = 0
    execution_time_ms: int = 0


class ToolResult(_PlanJsonModel):
    """The result of one node. `events` are those of its last attempt.

    Aeon adds `attempts`, `sandbox`, `diagnostics` and `dropped_events`: the number of events of the last attempt that
    were not kept because the plan's scripts wrote too much (skills 18).
    """

    tool_id: str
    tool_path: str | None
    ok: bool
    state: ExecutionState
    output: JsonObject | None = None
    events: list[JsonObject] = []
    execution_time_ms: int = 0
    retry_count: int = 0
    error: ToolErrorJson | None = None
    sandbox: Literal["bubblewrap", "landlock", "plain"] | None = None
    attempts: list[FailedAttempt] = []
    diagnostics: str = ""
    dropped_events: int = 0


class ExecutionResult(_PlanJsonModel):
    """The result of a plan (skills-data-model 3).

    Aeon adds `warnings`: conflicts of nodes, lenient readings.
    """

    plan_id: str
    success: bool
    narrative: str | None = None
    failed_tools: list[str] = []
    can_replan: bool = False
    failure_reason: FailureReason | None = None
    execution_trace: list[ToolResult] = []
    final_state: JsonObject = {}
    total_execution_time_ms: int = 0
    generation_metadata: PlanMetadata | None = None
    warnings: list[str] = []
    usage: SkipJsonSchema[Usage | None] = Field(default=None, exclude=True)
    """The model calls of the request, None for a supplied plan. It is not part of the published form."""


_SHOWN = 20
"""Maximum number of problems in a message; the error's details have all of them."""

_WORDS = {
    "string_pattern_mismatch": "must have no spaces, braces or control characters",
    "missing": "is missing",
    "model_type": "must be a JSON object",
    "string_too_short": "must not be empty",
}


def parse_plan(data: Json) -> PlanJson:
    """Parses a plan from decoded JSON.

    Raises PlanError with every problem of form and its path (skills 7).
    """
    problems = [ValidationProblem(*fault.split(": ", 1)) for fault in json_problems(data)]
    if not problems:
        try:
            return PlanJson.model_validate(data)
        except ValidationError as error:
            items = cast(list[dict[str, Any]], error.errors(include_url=False, include_input=False))
            problems = [_problem_of(item) for item in items]
    raise PlanError(_problem_list(problems), problems=[str(problem) for problem in problems])


_COMMENTS = ("$comment", "$schema")
"""Fields of other programs that write plans; they say nothing about a run."""


def without_comments(data: Json) -> tuple[Json, list[str]]:
    """Returns a plan of another program in Aeon's form, and notes about what was assumed.

    Comments are left out. `parallel` and `async` are true where they are missing, which other programs read as false:
    results are the same, since effects commit in the plan's order, but scripts may run at once.
    """
    stripped = _stripped(data)
    if stripped == data or not isinstance(stripped, dict):
        return stripped, []
    notes = ["comments in it were ignored"]
    plan = cast(JsonObject, stripped)
    nodes: list[Any] = cast("list[Any]", plan["tools"]) if isinstance(plan.get("tools"), list) else []
    is_async_missing = any(isinstance(node, dict) and "async" not in node for node in nodes)
    missing = [*(["parallel"] if "parallel" not in plan else []), *(["async"] if is_async_missing else [])]
    if missing:
        notes.append(f"{' and '.join(missing)} were assumed to be true where missing: independent scripts run at once")
    return plan, notes


def _stripped(value: Json) -> Json:
    """Returns a plan, or a node of one, without comments; an input stays as it is."""
    if not isinstance(value, dict):
        return value
    kept: JsonObject = {key: item for key, item in cast(JsonObject, value).items() if key not in _COMMENTS}
    if isinstance(kept.get("tools"), list):
        kept["tools"] = [_stripped(node) for node in cast(list[Json], kept["tools"])]
    return kept


def _problem_list(problems: list[ValidationProblem]) -> str:
    shown = "\n".join(f"  {problem}" for problem in problems[:_SHOWN])
    more = f"\n  ... and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
    return f"The plan has {len(problems)} problem(s):\n{shown}{more}\n"


def _problem_of(item: dict[str, Any]) -> ValidationProblem:
    location = cast(tuple[int | str, ...], item["loc"])
    path = "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    if item["type"] == "extra_forbidden":
        return ValidationProblem(path, f"unknown field; known are {', '.join(_known_fields(location))}")
    return ValidationProblem(path, _WORDS.get(item["type"], str(item["msg"])))


def _known_fields(location: tuple[int | str, ...]) -> list[str]:
    model: type[BaseModel] = PlanJson
    if "retryPolicy" in location[:-1]:
        model = RetryPolicyJson
    elif location[0] == "metadata":
        model = PlanMetadata
    elif len(location) > 1:
        model = ToolInvocation
    return [field.alias or name for name, field in model.model_fields.items()]
