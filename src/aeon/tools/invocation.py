"""Invocation of tools: every call (raise, hang, NaN, 50 MB) ends with a checked result or a ToolError (core 6)."""

from collections.abc import Callable
from contextvars import copy_context
from queue import Empty
from traceback import format_tb
from typing import cast

from aeon.base.cancellation import CancelScope, on_cancel
from aeon.base.errors import MAX_MESSAGE, ToolError, exception_message, exception_text, is_recordable
from aeon.base.introspection import overrides
from aeon.base.json import Json, JsonObject, canonical_json, copy_json, json_problems, parse_strict
from aeon.base.loggers import room_logger
from aeon.base.threads import ThreadOutcome, WorkerThread, capture_outcome
from aeon.tools.async_call import blocking_own_loop
from aeon.tools.interface import Tool
from aeon.tools.registry import RegisteredTool

_LOG = room_logger("tools")
_LOGGED_FRAMES = 10

MAX_RESULT_CHARACTERS = 1_048_576
"""Characters of an encoded result."""


class ToolInvoker:
    """Calls tools, one at a time. A tool with a timeout runs in a worker thread, which is abandoned if it hangs."""

    def __init__(self) -> None:
        self._worker: WorkerThread[Json] | None = None
        self._cancel_scope = CancelScope()

    def invoke(self, registered: RegisteredTool, arguments: JsonObject) -> JsonObject:
        """Returns a copy of the tool's result, checked against its schema. Raises ToolError and no other Exception.

        On a timeout or an interruption, the tool's cancel callbacks run.
        """
        tool = registered.tool
        own = _own_copy(arguments, tool.name)
        cancel_scope = CancelScope()

        def work() -> Json:
            with cancel_scope.activate():
                _require_own(tool, "validate_input", own)
                return tool.invoke(**own)

        result = _checked(self._run(tool, work, cancel_scope), registered)
        if not overrides(tool, Tool, "validate_output"):
            return result

        def check_result() -> Json:
            with cancel_scope.activate():
                _require_own(tool, "validate_output", result)

        self._run(tool, check_result, cancel_scope)
        return result

    def _run(self, tool: Tool, work: Callable[[], Json], cancel_scope: CancelScope) -> Json:
        """Runs the tool's own code within its timeout. Raises ToolError for whatever it raises."""
        cancel = cancel_scope.cancel
        with self._cancel_scope.on_cancel(cancel), on_cancel(cancel), blocking_own_loop():
            try:
                outcome = capture_outcome(work) if tool.timeout is None else self._within(tool.timeout, work, tool.name)
            except BaseException:
                cancel_scope.cancel()
                raise
        if tool.timeout is None and isinstance(outcome.error, KeyboardInterrupt):
            raise outcome.error  # the user's interruption, in this thread
        if outcome.error is not None:
            error = _tool_error(tool.name, outcome.error)
            if error is outcome.error:
                raise error
            raise error from outcome.error
        return outcome.result

    def cancel(self) -> None:
        """Cancels this invoker's calls, from another thread. The invoker cannot be used afterwards."""
        self._cancel_scope.cancel()

    def close(self) -> None:
        """Ends the worker thread."""
        if self._worker is not None:
            self._worker.tasks.put(None)
            self._worker = None

    def _within(self, seconds: float, work: Callable[[], Json], name: str) -> ThreadOutcome[Json]:
        # The worker is kept only after it has answered: the late result of a hung or interrupted call is dropped.
        worker, self._worker = self._worker or WorkerThread[Json]("aeon-tool"), None
        context = copy_context()
        worker.tasks.put(lambda: context.run(work))
        try:
            outcome = worker.outcomes.get(timeout=seconds)
        except Empty:
            worker.tasks.put(None)
            raise ToolError(
                f"The tool {name!r} did not answer within {seconds:g} s.",
                next_step="Give it more time with its `timeout`, or find out why it hangs.",
            ) from None
        self._worker = worker
        return outcome


def _require_own(tool: Tool, method: str, value: JsonObject) -> None:
    """Calls the tool's own `validate_input` or `validate_output` with a copy. Raises ToolError if it returns False.

    The inherited methods only check the schema, which is checked anyway.
    """
    if not overrides(tool, Tool, method):
        return
    copy = cast(JsonObject, copy_json(value))
    is_input = method == "validate_input"
    if not (tool.validate_input(**copy) if is_input else tool.validate_output(copy)):
        what = "input" if is_input else "result"
        raise ToolError(
            f"The tool {tool.name!r} does not accept its {what}.", next_step=f"See what its {method}() asks for."
        )


def _own_copy(arguments: JsonObject, name: str) -> JsonObject:
    """A copy, because a tool may change its arguments."""
    problems = json_problems(arguments)
    if problems:
        raise ToolError(_shortened(f"The arguments for {name!r} are not JSON: {'; '.join(problems[:5])}."))
    return cast(JsonObject, copy_json(arguments))


def _tool_error(name: str, error: BaseException) -> ToolError:
    """The tool's own ToolError if the log can keep it, else one that describes the exception.

    Where the exception was raised is logged: lines of code, no values, and not the exception's text.
    """
    if isinstance(error, ToolError) and _can_be_kept(error):
        return error
    frames = "".join(format_tb(error.__traceback__, -_LOGGED_FRAMES)).rstrip()
    _LOG.debug("the tool %s raised %s:\n%s", name, type(error).__name__, frames)
    return ToolError(_shortened(f"The tool {name!r} failed: {exception_message(error)}"))


def _can_be_kept(error: ToolError) -> bool:
    return is_recordable(error) and max(len(error.message), len(error.advice)) <= MAX_MESSAGE


def _shortened(message: str) -> str:
    """The part of a message that the log keeps: a replay must reproduce it unchanged (core 13)."""
    return message[:MAX_MESSAGE]


def _checked(result: Json, registered: RegisteredTool) -> JsonObject:
    name = registered.tool.name
    try:
        text = canonical_json(result)
    except Exception as error:  # noqa: BLE001  # encoding runs the result's own code where it subclasses dict or list
        raise ToolError(
            _shortened(f"The tool {name!r} returned a value that is not JSON: {exception_text(error)}."),
            next_step="Return JSON only.",
        ) from None
    if len(text) > MAX_RESULT_CHARACTERS:
        raise ToolError(
            f"The tool {name!r} returned {len(text):,} characters; at most {MAX_RESULT_CHARACTERS:,} are kept.",
            next_step="Return a summary, or the path of a file with the whole result.",
        )
    if not isinstance(result, dict):
        raise ToolError(
            f"The tool {name!r} returned {type(result).__name__}, not an object.",
            next_step="Return a dict from invoke().",
        )
    copy: JsonObject = parse_strict(text)
    problems = registered.output.problems(copy)
    if problems:
        listed = "; ".join(str(problem) for problem in problems[:5])
        raise ToolError(
            _shortened(f"The tool {name!r} returned a result that does not fit its output schema: {listed}."),
            next_step="Correct the tool or its output_schema.",
        )
    return copy
