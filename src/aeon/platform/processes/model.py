"""Process records: a definition, its owner, and its version."""

import hashlib
from typing import Annotated, ClassVar, Literal, NamedTuple

from pydantic import Field

from aeon.base.json import Json, canonical_json
from aeon.platform.catalog.model import EntityKind, OwnedEntity
from aeon.platform.records import Description, Name, Record

VariableName = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
"""The name of an input or of a step's output. `step` cannot name an input."""

MAX_STEP_SECONDS = 300
"""Maximum timeout of one step, in seconds (platform 7)."""

MAX_RECURSION_DEPTH = 10
"""Maximum depth of Processes that call each other (platform 7)."""


class StepOutput(Record):
    """The variable that holds a step's result, and whether the Process requires it (platform 8)."""

    variable: VariableName
    token_budget: int | None = Field(default=None, ge=1)
    required: bool = True


class StepExecution(Record):
    """When a step runs, for how long, and whether a person answers it.

    A sequential step waits for all steps before it; a parallel one for the last sequential one before it. Both wait
    for their dependencies (platform 7). A manual step asks a person, and the answer is its result (platform 9).
    """

    mode: Literal["sequential", "parallel"] = "sequential"
    condition: str | None = Field(default=None, min_length=1, max_length=4000, description="CEL; false skips the step")
    timeout: int = Field(default=60, ge=1, le=MAX_STEP_SECONDS, description="seconds")
    interaction_mode: Literal["auto", "manual"] = "auto"


class ProcessStep(Record):
    """One unit of work: a call of a tool or of another Process, by id."""

    id: VariableName
    tool: str | None = Field(default=None, description="the id of the tool that it calls")
    process: str | None = Field(default=None, description="the id of the process that it calls")
    inputs: dict[VariableName, Json] = Field(
        default={}, description="by parameter; `{name}` and `{step.variable.path}` are references (platform 6)"
    )
    depends_on: list[VariableName] = Field(default=[], description="ids of steps before this one")
    output: StepOutput
    execution: StepExecution = StepExecution()


class ProcessDefinition(Record):
    """A Process as its owner wrote it.

    Definitions with the same `digest` are the same; a run is pinned to one.
    """

    name: Name
    description: Description = ""
    initial_context: list[VariableName] = Field(default=[], max_length=200, description="inputs, all of them required")
    steps: list[ProcessStep] = Field(min_length=1, max_length=10_000)
    output_template: str = Field(
        default="", max_length=100_000, description="Handlebars; empty: the last step's result"
    )
    token_budget: int | None = Field(default=None, ge=1)
    max_recursion_depth: int = Field(default=3, ge=1, le=MAX_RECURSION_DEPTH)
    enabled: bool = True

    @property
    def digest(self) -> str:
        """SHA-256 of all fields that decide what a run does, so not of FIELDS_OUTSIDE_DIGEST."""
        fields = {key: value for key, value in self.as_dict().items() if key not in ("name", "description", "enabled")}
        return hashlib.sha256(canonical_json(fields).encode()).hexdigest()


FIELDS_OUTSIDE_DIGEST = ("name", "description", "enabled")
"""Fields outside a definition's digest, because they do not decide what a run does."""


class Process(OwnedEntity):
    """A user's workflow.

    `digest` is that of the current definition; `version` counts all changes.
    """

    kind: ClassVar[EntityKind] = "process"
    stored_as_text: ClassVar[frozenset[str]] = frozenset({"initial_context"})

    description: Description = ""
    initial_context: list[VariableName] = Field(default=[])
    steps: list[ProcessStep]
    output_template: str = ""
    token_budget: int | None = None
    max_recursion_depth: int = 3
    enabled: bool = True
    digest: str

    @property
    def definition(self) -> ProcessDefinition:
        """The current definition."""
        return _definition(self)


class NewProcess(ProcessDefinition):
    """A Process to create."""

    shared: bool = False

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

    A `tokenBudget` of null removes the budget.
    """

    name: Name | None = None
    description: Description | None = None
    initial_context: list[VariableName] | None = Field(default=None, max_length=200)
    steps: list[ProcessStep] | None = Field(default=None, min_length=1, max_length=10_000)
    output_template: str | None = Field(default=None, max_length=100_000)
    token_budget: int | None = Field(default=None, ge=1)
    max_recursion_depth: int | None = Field(default=None, ge=1, le=MAX_RECURSION_DEPTH)
    enabled: bool | None = None
    shared: bool | None = None

    def requested_fields(self) -> dict[str, object]:
        """Return the fields to change and their new values."""
        fields = {name: getattr(self, name) for name in self.model_fields_set}
        return {name: value for name, value in fields.items() if value is not None or name == "token_budget"}


class ProcessVersion(NamedTuple):
    """A definition that a Process had: the Process version that introduced it, and when."""

    digest: str
    version: int
    at: str


def _definition(process: Process | NewProcess) -> ProcessDefinition:
    return ProcessDefinition.model_validate({name: getattr(process, name) for name in ProcessDefinition.model_fields})
