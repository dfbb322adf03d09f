"""Process records: a definition, its owner, and its version."""

from functools import cached_property
from typing import ClassVar, Literal, NamedTuple

from pydantic import Field, StrictInt

from aeon.base.json import Json, JsonObject, json_digest
from aeon.platform.catalog.model import EntityKind, OwnedEntity
from aeon.platform.processes.step_control import (
    MAX_STEP_SECONDS,
    MAX_WAIT_SECONDS,
    Compensation,
    ForEach,
    QuestionRules,
    RetryPolicy,
    VariableName,
)
from aeon.platform.records import Description, Name, Record

MAX_RECURSION_DEPTH = 10
"""Maximum depth of Processes that call each other (platform 7)."""


class StepOutput(Record):
    """The variable that holds a step's result, and whether the Process requires it (platform 8)."""

    variable: VariableName = Field(description="the name under which others read the result")
    token_budget: int | None = Field(default=None, ge=1, description="tokens that the step may use")
    required: bool = Field(default=True, description="false: the run goes on if the step fails")


class StepExecution(Record):
    """When a step runs, for how long, and whether a person answers it.

    A sequential step waits for all steps before it; a parallel one for the last sequential one before it. Both wait
    for their dependencies (platform 7). A manual step asks a person, and the answer is its result (platform 9).
    """

    mode: Literal["sequential", "parallel"] = Field(
        default="sequential", description="parallel: with the parallel steps beside it"
    )
    condition: str | None = Field(default=None, min_length=1, max_length=4000, description="CEL; false skips the step")
    timeout: int = Field(
        default=60, ge=1, le=MAX_WAIT_SECONDS, description=f"seconds; at most {MAX_STEP_SECONDS} for a call of a tool"
    )
    interaction_mode: Literal["auto", "manual"] = Field(default="auto", description="manual: a person answers")


def _is_unset(value: object) -> bool:
    """Return whether an optional part of the language is not used; then definitions do not mention it."""
    return value is None or value in ([], {})


class ProcessStep(Record):
    """One unit of work: a call of a tool or of another Process, by id, or a wait.

    What a definition does not use is not part of it, so that its digest stays the same when the language grows.
    """

    id: VariableName = Field(description="the name of the step in this process")
    tool: str | None = Field(default=None, description="the id of the tool that it calls")
    process: str | None = Field(default=None, description="the id of the process that it calls")
    inputs: dict[VariableName, Json] = Field(
        default={}, description="by parameter; `{name}` and `{step.variable.path}` are references (platform 6)"
    )
    depends_on: list[VariableName] = Field(default=[], description="ids of steps before this one")
    output: StepOutput = Field(description="the variable of the result, or an object with more about it")
    execution: StepExecution = Field(default=StepExecution(), description="when it runs, how long, and who does it")
    wait: StrictInt | str | None = Field(
        default=None,
        exclude_if=_is_unset,
        description="seconds, a duration such as PT30M, an instant, or a reference to one of them",
    )
    for_each: ForEach | None = Field(
        default=None, exclude_if=_is_unset, description="repeats the call for each item of a list"
    )
    retry: RetryPolicy | None = Field(
        default=None, exclude_if=_is_unset, description="how often a failed call is repeated, and when"
    )
    question: QuestionRules | None = Field(
        default=None, exclude_if=_is_unset, description="who answers a manual step, and what if nobody does"
    )
    compensate: Compensation | None = Field(
        default=None, exclude_if=_is_unset, description="the call that undoes the step if the run fails later"
    )


MAX_RETENTION_DAYS = 36_500
"""Maximum number of days for which a Process keeps its runs."""

FIELDS_OUTSIDE_DIGEST = ("name", "description", "enabled", "retentionDays")
"""Fields outside a definition's digest, because they do not decide what a run does."""


class ProcessDefinition(Record):
    """A Process as its owner wrote it.

    Definitions with the same `digest` are the same; a run is pinned to one.
    """

    name: Name = Field(description="unique among the processes of one user")
    description: Description = Field(default="", description="what it is for")
    initial_context: list[VariableName] = Field(default=[], max_length=200, description="inputs, all of them required")
    inputs: dict[VariableName, JsonObject] = Field(
        default={},
        max_length=200,
        exclude_if=_is_unset,
        description="inputs with a JSON Schema each; one with a `default` may be left out",
    )
    steps: list[ProcessStep] = Field(min_length=1, max_length=10_000, description="the steps, in their order")
    on_failure: list[ProcessStep] = Field(
        default=[], max_length=100, exclude_if=_is_unset, description="run after a required failure; read `{failure}`"
    )
    finally_: list[ProcessStep] = Field(
        default=[], alias="finally", max_length=100, exclude_if=_is_unset, description="run at the end, however it came"
    )
    output_template: str = Field(
        default="", max_length=100_000, description="Handlebars; empty: the last step's result"
    )
    token_budget: int | None = Field(default=None, ge=1, description="tokens that all steps together may use")
    max_recursion_depth: int = Field(
        default=3, ge=1, le=MAX_RECURSION_DEPTH, description="how deep processes may call each other"
    )
    enabled: bool = Field(default=True, description="false: it cannot be started")
    retention_days: int | None = Field(
        default=None,
        ge=1,
        le=MAX_RETENTION_DAYS,
        exclude_if=_is_unset,
        description="days that your ended runs of it are kept; by default as the settings say",
    )

    @property
    def input_names(self) -> list[str]:
        """The names of all inputs: those of `initialContext`, then the typed ones."""
        return list(dict.fromkeys([*self.initial_context, *self.inputs]))

    @property
    def required_inputs(self) -> list[str]:
        """The names of the inputs that a run must be given: those without a default."""
        return [name for name in self.input_names if "default" not in self.inputs.get(name, {})]

    @cached_property
    def all_steps(self) -> list[ProcessStep]:
        """All steps that a run may execute, in the order of their sections (`sections`)."""
        return [*self.steps, *compensations_of(self.steps), *self.on_failure, *self.finally_]

    @property
    def digest(self) -> str:
        """SHA-256 of all fields that decide what a run does, so not of FIELDS_OUTSIDE_DIGEST."""
        fields = {key: value for key, value in self.as_dict().items() if key not in FIELDS_OUTSIDE_DIGEST}
        return json_digest(fields)


def variables_of(step: ProcessStep) -> list[str]:
    """Return the variables that a step gives: its result, and what failed in its loop if that is collected."""
    failures = None if step.for_each is None else step.for_each.failures
    return [step.output.variable] if failures is None else [step.output.variable, failures]


UNDO_PREFIX = "undo_"
"""What the id of a compensation begins with."""


def compensations_of(steps: list[ProcessStep]) -> list[ProcessStep]:
    """Return the compensations of steps as steps of their own, those of later steps first."""
    return [_compensation_of(step, step.compensate) for step in reversed(steps) if step.compensate is not None]


def _compensation_of(step: ProcessStep, call: Compensation) -> ProcessStep:
    """Return the step that undoes another one. Its result is needed by nothing."""
    name = f"{UNDO_PREFIX}{step.id}"
    changes: dict[str, object] = {"items": [], "concurrency": 1, "failures": f"{name}_failed"}
    loop = None if step.for_each is None else step.for_each.model_copy(update=changes)
    return ProcessStep.model_construct(
        id=name,
        tool=call.tool,
        process=call.process,
        inputs=call.inputs,
        output=StepOutput.model_construct(variable=name, required=False),
        execution=StepExecution(timeout=call.timeout),
        for_each=loop,
        retry=call.retry,
    )


class Process(OwnedEntity):
    """A user's workflow.

    `digest` is that of the current definition; `version` counts all changes. The runs of a `paused` one wait.
    """

    kind: ClassVar[EntityKind] = "process"
    stored_as_text: ClassVar[frozenset[str]] = frozenset({"initial_context"})

    description: Description = ""
    initial_context: list[VariableName] = Field(default=[])
    inputs: dict[VariableName, JsonObject] = Field(default={}, exclude_if=_is_unset)
    steps: list[ProcessStep]
    on_failure: list[ProcessStep] = Field(default=[], exclude_if=_is_unset)
    finally_: list[ProcessStep] = Field(default=[], alias="finally", exclude_if=_is_unset)
    output_template: str = ""
    token_budget: int | None = None
    max_recursion_depth: int = 3
    enabled: bool = True
    paused: bool = False
    retention_days: int | None = None
    digest: str

    @property
    def definition(self) -> ProcessDefinition:
        """The current definition."""
        return _definition(self)

    def is_trusted(self, digest: str | None) -> bool:
        """Return whether it still is the version that a user trusts; None trusts every version, as of an own one."""
        return digest in (None, self.digest)

    @property
    def input_names(self) -> list[str]:
        """The names of all inputs."""
        return self.definition.input_names

    @property
    def required_inputs(self) -> list[str]:
        """The names of the inputs that a run must be given."""
        return self.definition.required_inputs


class NewProcess(ProcessDefinition):
    """A Process to create."""

    shared: bool = Field(default=False, description="true: other users see it and may run it")

    @property
    def definition(self) -> ProcessDefinition:
        """The definition to create."""
        return _definition(self)

    @property
    def digest(self) -> str:
        """The definition's digest; sharing a Process does not change it."""
        return self.definition.digest


class ProcessChange(Record):
    """A change of a Process; omitted fields stay as they are. Steps are replaced as a whole.

    A null removes a `tokenBudget`, and the `retentionDays` of its own.
    """

    name: Name | None = None
    description: Description | None = None
    initial_context: list[VariableName] | None = Field(default=None, max_length=200)
    inputs: dict[VariableName, JsonObject] | None = Field(default=None, max_length=200)
    steps: list[ProcessStep] | None = Field(default=None, min_length=1, max_length=10_000)
    on_failure: list[ProcessStep] | None = Field(default=None, max_length=100)
    finally_: list[ProcessStep] | None = Field(default=None, alias="finally", max_length=100)
    output_template: str | None = Field(default=None, max_length=100_000)
    token_budget: int | None = Field(default=None, ge=1)
    max_recursion_depth: int | None = Field(default=None, ge=1, le=MAX_RECURSION_DEPTH)
    enabled: bool | None = None
    retention_days: int | None = Field(default=None, ge=1, le=MAX_RETENTION_DAYS)
    shared: bool | None = None

    def requested_fields(self) -> dict[str, object]:
        """Return the fields to change and their new values."""
        fields = {name: getattr(self, name) for name in self.model_fields_set}
        return {name: value for name, value in fields.items() if value is not None or name in _REMOVABLE}


_REMOVABLE = ("token_budget", "retention_days")
"""Fields that a change removes by null."""


class ProcessVersion(NamedTuple):
    """A definition that a Process had: the Process version that introduced it, and when."""

    digest: str
    version: int
    at: str


class ProcessPause(NamedTuple):
    """A Process that was paused or resumed, and the ids of the runs that were notified."""

    process: Process
    runs: list[str]


def _definition(process: Process | NewProcess) -> ProcessDefinition:
    return ProcessDefinition.model_validate({name: getattr(process, name) for name in ProcessDefinition.model_fields})
