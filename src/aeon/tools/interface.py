"""What a tool is (core-interfaces): a name, a description, two JSON schemas and `invoke`."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Dict  # noqa: UP035  # the published signature

from aeon.base.json import JsonObject
from aeon.base.json_schema import compile_schema

DEFAULT_TIMEOUT = 30.0
"""Seconds a tool may take unless it says otherwise."""


@dataclass(frozen=True, slots=True)
class Example:
    """A request and the steps of a good plan for it, shown to the planner when every tool it names is registered.

    A step is `description` with `tool` and `arguments`, or with `agent`.
    """

    request: str
    steps: Sequence[JsonObject]


class Tool(ABC):
    """A capability the kernel can call. Subclasses set the four fields and `invoke`; the rest has defaults.

    `invoke` is deterministic, knows nothing of the kernel, and raises ToolError when it cannot do its work.
    """

    name: str
    description: str
    input_schema: Dict[str, Any]  # noqa: UP006  # the published signature
    output_schema: Dict[str, Any]  # noqa: UP006  # the published signature

    timeout: float | None = DEFAULT_TIMEOUT
    """Seconds after which a call is given up. None only for tools whose work is bounded by construction."""

    offered_schema: JsonObject | None = None
    """The part of `input_schema` that models are offered, where the whole would only mislead them. None: all of it."""

    examples: Sequence[Example] = ()

    @abstractmethod
    def invoke(self, **kwargs: Any) -> Dict[str, Any]:  # noqa: UP006  # the published signature
        """Do the work with arguments that fit `input_schema`; return an object that fits `output_schema`."""

    def read_request(self, request: str) -> JsonObject | None:  # noqa: ARG002  # most tools read nothing
        """Arguments that code can read out of a request for sure (a literal sum, say), as a hint to the planner."""
        return None

    def validate_input(self, **kwargs: Any) -> bool:
        """Whether the arguments fit `input_schema`."""
        return compile_schema(self.input_schema).is_valid(kwargs)

    def validate_output(self, result: Dict[str, Any]) -> bool:  # noqa: UP006  # the published signature
        """Whether the result fits `output_schema`."""
        return compile_schema(self.output_schema).is_valid(result)
