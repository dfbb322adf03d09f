"""Executes what Aeon does itself: `skill_script` and `agent_request`, for the user to whom the folder belongs."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from threading import Event, Timer
from typing import NamedTuple, Protocol, cast

from aeon.base.cancellation import CancelScope, on_cancel
from aeon.base.errors import AeonError, InputError, ToolError
from aeon.base.json import Json, JsonObject
from aeon.platform.catalog.operations import AgentRequest, OwnOperation, SkillScriptCall, TokenUsage
from aeon.platform.catalog.tool_calls import OperationError, OperationRequest, OperationResult
from aeon.tools.interface import Tool


class KernelAnswer(NamedTuple):
    """What `Orchestrator.execute` returned for a request, and the tokens that it used."""

    result: JsonObject
    usage: TokenUsage | None


class OwnAbilities(Protocol):
    """What the executors use of the project's folder."""

    @property
    def user(self) -> str:
        """The user to whom the folder, its skills and its settings belong."""
        ...

    def script_tool(self, skill: str, script: str) -> Tool:
        """Return a script of a skill as a tool. Raises InputError for an unknown one, MissingExtraError."""
        ...

    def ask_kernel(self, request: str, is_cancelled: Callable[[], bool]) -> KernelAnswer:
        """Plan and run a request. Raises AeonError."""
        ...


class SkillScriptExecutor:
    """Executes `skill_script`: the same process, sandbox, trust, grants and limits as with `aeon skill run`."""

    def __init__(self, abilities: Callable[[], OwnAbilities]) -> None:
        """`abilities` opens them at the first call."""
        self._abilities = abilities

    def execute(self, work: OperationRequest) -> OperationResult:
        operation = cast(SkillScriptCall, work.operation)
        abilities = _abilities_of(work, self._abilities())
        try:
            tool = abilities.script_tool(operation.skill, operation.script)
            with _time_limit(operation):
                return OperationResult(tool.invoke(**work.arguments))
        except (InputError, ToolError) as error:
            raise OperationError(error.message, next_step=error.next) from None


class AgentExecutor:
    """Executes `agent_request`: the kernel with the folder's own tools, skills and settings.

    The text of the request may come from anywhere, so it grants nothing: no host that it names may be asked, and no
    file that it names may be read, unless the settings allow it.
    """

    def __init__(self, abilities: Callable[[], OwnAbilities]) -> None:
        """`abilities` opens them at the first call."""
        self._abilities = abilities

    def execute(self, work: OperationRequest) -> OperationResult:
        operation = cast(AgentRequest, work.operation)
        abilities = _abilities_of(work, self._abilities())
        try:
            with _time_limit(operation) as is_over:
                answer = abilities.ask_kernel(str(work.arguments["request"]), is_over)
        except OperationError:
            raise
        except AeonError as error:
            raise OperationError(error.message, next_step=error.next) from None
        return OperationResult(_output(answer), answer.usage)


def _abilities_of(work: OperationRequest, abilities: OwnAbilities) -> OwnAbilities:
    """Return the abilities. Raises OperationError for another user than the one to whom the folder belongs."""
    if work.user != abilities.user:
        raise OperationError(
            f"the folder's skills and settings belong to {abilities.user}, and {work.user} started this call",
            next_step=f"Let {abilities.user} start it.",
        )
    return abilities


@contextmanager
def _time_limit(operation: OwnOperation) -> Generator[Callable[[], bool]]:
    """End the work inside when its time is over, or its caller gives up; yields what says so.

    Raises OperationError then.
    """
    scope, is_over = CancelScope(), Event()

    def end() -> None:
        is_over.set()
        scope.cancel()

    timer = Timer(operation.timeout, end)
    timer.daemon = True
    timer.start()
    try:
        with on_cancel(end), scope.activate():
            yield is_over.is_set
    except ToolError:
        if not is_over.is_set():
            raise
    finally:
        timer.cancel()
    if is_over.is_set():
        raise OperationError(
            f"it was not done within {operation.timeout:g} s", next_step="Give its operation a longer timeout."
        )


def _output(answer: KernelAnswer) -> JsonObject:
    """Return the published result. Raises OperationError with the usage if a step of the kernel failed."""
    result = answer.result
    if result["status"] == "failed":
        error: Json = result.get("error") or {}
        raise OperationError(
            str(error.get("message") or "a step of the request failed"),
            next_step=str(error.get("next_step") or "Say more exactly what is wanted."),
            usage=answer.usage,
        )
    return {name: result[name] for name in ("answer", "status", "trusted", "marks")}
