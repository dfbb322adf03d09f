"""A Process as it is stored: what it says, whose it is, and which version of it this is."""

from typing import ClassVar, NamedTuple

from pydantic import Field

from aeon.platform.catalog.model import EntityKind, OwnedEntity
from aeon.platform.processes.definition import MAX_RECURSION_DEPTH, ProcessDefinition, ProcessStep, VariableName
from aeon.platform.records import Description, Name, Record

FIELDS_OUTSIDE_DIGEST = ("name", "description", "enabled")
"""What a definition's digest leaves out: neither decides what a run does."""


class Process(OwnedEntity):
    """A workflow of its owner's. `digest` is that of its definition as it is now; `version` counts all changes."""

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
        """What it says."""
        return _definition(self)


class NewProcess(ProcessDefinition):
    """A Process to create."""

    shared: bool = False

    @property
    def definition(self) -> ProcessDefinition:
        """What it says."""
        return _definition(self)

    @property
    def digest(self) -> str:
        """The definition's: who sees a Process is no part of what it does."""
        return self.definition.digest


class ProcessChange(Record):
    """What may change of a Process; what is left out stays. Steps are replaced as a whole.

    A `tokenBudget` of null takes the budget away.
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
        """What is to be different, by field."""
        said = {name: getattr(self, name) for name in self.model_fields_set}
        return {name: value for name, value in said.items() if value is not None or name == "token_budget"}


class ProcessVersion(NamedTuple):
    """A definition that a Process once had: from which of its versions on, and since when."""

    digest: str
    version: int
    at: str


def _definition(process: Process | NewProcess) -> ProcessDefinition:
    return ProcessDefinition.model_validate({name: getattr(process, name) for name in ProcessDefinition.model_fields})
