"""The tool interface (core-interfaces): a name, a description, two JSON schemas and `invoke`."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Dict, Literal, NamedTuple  # noqa: UP035  # the published signature

from aeon.base.json import JsonObject
from aeon.base.json_schema import compile_schema

DEFAULT_TIMEOUT = 30.0
"""Seconds that a tool may take by default."""

_MAX_TIMEOUT = 1e6
"""Seconds; far above normal use, and within the range of every clock."""


def timeout_problems(timeout: object) -> list[str]:
    """Returns what is wrong with the timeout of a tool, empty if nothing is."""
    is_duration = isinstance(timeout, (int, float)) and math.isfinite(timeout) and 0 < timeout <= _MAX_TIMEOUT
    if timeout is None or is_duration:
        return []
    return [f"its timeout must be a positive number of seconds or None, not {timeout!r}"]


@dataclass(frozen=True, slots=True)
class Example:
    """A request and the steps of a good plan for it, shown to the planner if all its tools are registered.

    A step is `description` with `tool` and `arguments`, or with `agent`.
    """

    request: str
    steps: Sequence[JsonObject]


class TextRead(NamedTuple):
    """A call whose result has the text from which a request is answered, in its field `text`."""

    tool: str
    arguments: JsonObject
    name: str = "text"
    """What the model is told that the text is."""
    use: Literal["material", "lines", "answer"] = "material"
    """The model answers from the text, or says which of its lines are the answer; or the text is the answer."""


class Tool(ABC):
    """A capability that the kernel can call. Subclasses set the four fields and `invoke`; the rest has defaults.

    `invoke` is deterministic, does not depend on the kernel, and raises ToolError if it cannot do its work.
    """

    name: str
    description: str
    input_schema: Dict[str, Any]  # noqa: UP006  # the published signature
    output_schema: Dict[str, Any]  # noqa: UP006  # the published signature

    timeout: float | None = DEFAULT_TIMEOUT
    """Seconds after which a call is abandoned. None only for tools whose work is bounded by construction."""

    offered_schema: JsonObject | None = None
    """The part of `input_schema` that models see, if the whole schema would mislead them. None: all of it."""

    examples: Sequence[Example] = ()

    is_common: bool = True
    """Whether a planner sees the tool for every request. False: only for the requests that it `suits`, after the common
    ones, so that the instructions that a model has read stay the same."""

    is_repeatable: bool = False
    """Whether a call may be made again after one whose end is not known: it only reads, or does the same again."""

    @abstractmethod
    def invoke(self, **kwargs: Any) -> Dict[str, Any]:  # noqa: UP006  # the published signature
        """Runs the tool with arguments that fit `input_schema`; returns an object that fits `output_schema`."""

    def read_request(self, request: str) -> JsonObject | None:  # noqa: ARG002  # most tools ignore it
        """Arguments that code can read from a request with certainty (a literal sum, say), as a hint to the planner."""
        return None

    def reads_whole(self, request: str) -> bool:  # noqa: ARG002  # most tools read a part of a request
        """Whether the arguments of `read_request` are all that the request asks for: then no model plans it."""
        return False

    def suits(self, request: str) -> bool:  # noqa: ARG002  # most tools suit any request
        """Whether the tool may help with the request: code decides by its words.

        A planner sees a tool that is not common only then. If no tool suits, the model answers the request itself.
        """
        return True

    def text_read(self, request: str) -> TextRead | None:  # noqa: ARG002  # most tools read no texts
        """The call that reads the text from which the request is answered. Asked if no other special tool suits."""
        return None

    def working(self, request: str) -> str | None:  # noqa: ARG002  # the calculator alone has some
        """Instructions under which a model works the request out in lines, which code reads as calls of this tool.

        Asked if no other tool suits the request. None: the model writes a plan.
        """
        return None

    def validate_input(self, **kwargs: Any) -> bool:
        """Whether the arguments fit `input_schema`."""
        return compile_schema(self.input_schema).is_valid(kwargs)

    def validate_output(self, result: Dict[str, Any]) -> bool:  # noqa: UP006  # the published signature
        """Whether the result fits `output_schema`."""
        return compile_schema(self.output_schema).is_valid(result)
