"""What a check must know about the targets of steps, as the saving user sees them."""

from typing import NamedTuple, Protocol

from aeon.base.json import JsonObject
from aeon.platform.catalog.model import ServiceType


class ToolTarget(NamedTuple):
    """A tool that the user sees.

    `has_access`: the user may run it, with a Secret of their own if it needs one (platform 3). `timeout` is that of its
    operation, in seconds; None if it is unknown.
    """

    name: str
    service_type: ServiceType
    input_schema: JsonObject
    output_schema: JsonObject
    enabled: bool = True
    has_access: bool = True
    timeout: float | None = None


class Callee(NamedTuple):
    """A called Process, by id; `is_conditional` if every step that calls it has a condition."""

    process: str
    is_conditional: bool


class ProcessTarget(NamedTuple):
    """A Process that the user sees, in its current version.

    `inputs` are the names of its inputs, `required` those without a default, None for all. `digest` pins a run to the
    definition that was checked.
    """

    name: str
    inputs: tuple[str, ...]
    digest: str
    callees: tuple[Callee, ...] = ()
    enabled: bool = True
    required: tuple[str, ...] | None = None


class TargetLookup(Protocol):
    """Finds the targets of steps; None if there is none or the user cannot see it (platform 2)."""

    def tool(self, identity: str) -> ToolTarget | None: ...

    def process(self, identity: str) -> ProcessTarget | None: ...
