"""What must be known of the tools and processes that steps call, for the user who saves the Process."""

from typing import NamedTuple, Protocol

from aeon.base.json import JsonObject
from aeon.platform.catalog.model import ServiceType


class ToolTarget(NamedTuple):
    """A tool that the user sees. `has_access`: he may run it, with a Secret of his own if it needs one (platform 3)."""

    name: str
    service_type: ServiceType
    input_schema: JsonObject
    output_schema: JsonObject
    enabled: bool = True
    has_access: bool = True


class Callee(NamedTuple):
    """A Process that another one calls, by id; `is_conditional` when every step that calls it has a condition."""

    process: str
    is_conditional: bool


class ProcessTarget(NamedTuple):
    """A Process that the user sees, as it is now. `digest` is its definition's, to pin a run to what was checked."""

    name: str
    initial_context: tuple[str, ...]
    digest: str
    callees: tuple[Callee, ...] = ()
    enabled: bool = True


class TargetLookup(Protocol):
    """Finds what steps call. None: there is no such thing, or it is not the user's to see (platform 2)."""

    def tool(self, identity: str) -> ToolTarget | None: ...

    def process(self, identity: str) -> ProcessTarget | None: ...
