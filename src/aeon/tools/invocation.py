"""Calling tools: whatever one does (raise, hang, NaN, 50 MB) ends as a checked result or a ToolError (core 6)."""

from collections.abc import Callable
from queue import Empty
from typing import cast

from aeon.base.cancellation import CancelScope, on_cancel
from aeon.base.errors import MAX_MESSAGE, ToolError, exception_message, exception_text, is_recordable
from aeon.base.introspection import overrides
from aeon.base.json import Json, JsonObject, canonical_json, copy_json, json_problems, parse_strict
from aeon.base.threads import ThreadOutcome, WorkerThread, capture_outcome
from aeon.tools.interface import Tool
from aeon.tools.registry import RegisteredTool

MAX_RESULT_CHARACTERS = 1_048_576
"""Characters of a result, encoded."""


class ToolInvoker:
    """Calls tools, one at a time. One with a timeout runs in a worker thread, which is left behind when it hangs."""

    def __init__(self) -> None:
        self._worker: WorkerThread[Json] | None = None
        self._cancel_scope = CancelScope()

    def invoke(self, registered: RegisteredTool, arguments: JsonObject) -> JsonObject:
        """The tool's result, a copy, checked against its output schema. Raises ToolError and no other Exception.

        When it is not waited for any longer (the tool's time is over, an interruption), the tool is told.
        """
        tool = registered.tool
        own = _own_copy(arguments, tool.name)
        giving_up = CancelScope()

        def work() -> Json:
            with giving_up.activate():
                _require_own(tool, "validate_input", own)
                return tool.invoke(**own)

        result = _checked(self._done(tool, work, giving_up), registered)
        if not overrides(tool, Tool, "validate_output"):
            return result

        def look() -> Json:
            with giving_up.activate():
                _require_own(tool, "validate_output", result)

        self._done(tool, look, giving_up)
        return result

    def _done(self, tool: Tool, work: Callable[[], Json], giving_up: CancelScope) -> Json:
        """What a piece of the tool's own code gives, within its time. Raises ToolError for whatever it raises."""
        with self._cancel_scope.on_cancel(giving_up.cancel), on_cancel(giving_up.cancel):
            try:
                outcome = capture_outcome(work) if tool.timeout is None else self._within(tool.timeout, work, tool.name)
            except BaseException:
                giving_up.cancel()
                raise
        if tool.timeout is None and isinstance(outcome.error, KeyboardInterrupt):
            raise outcome.error  # the user's, in this thread
        if outcome.error is not None:
            error = _tool_error(tool.name, outcome.error)
            if error is outcome.error:
                raise error
            raise error from outcome.error
        return outcome.result

    def cancel(self) -> None:
        """For another thread: nobody waits for this caller's calls any more. It is of no use afterwards."""
        self._cancel_scope.cancel()

    def close(self) -> None:
        """Let the worker thread end."""
        if self._worker is not None:
            self._worker.tasks.put(None)
            self._worker = None

    def _within(self, seconds: float, work: Callable[[], Json], name: str) -> ThreadOutcome[Json]:
        # The worker is kept only once it has answered: the late answer of a hung or interrupted call reaches nobody.
        worker, self._worker = self._worker or WorkerThread[Json]("aeon-tool"), None
        worker.tasks.put(work)
        try:
            outcome = worker.outcomes.get(timeout=seconds)
        except Empty:
            worker.tasks.put(None)
            raise ToolError(
                f"The tool {name!r} did not answer within {seconds:g} s.",
                next_step="Give it more time with its `timeout`, or see why it hangs.",
            ) from None
        self._worker = worker
        return outcome


def _require_own(tool: Tool, method: str, value: JsonObject) -> None:
    """Ask the tool's own `validate_input` or `validate_output` about a copy. Raises ToolError when it says no.

    The inherited one says what its schema says, which is checked anyway.
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
    """A copy: a tool may do with its arguments what it likes."""
    wrong = json_problems(arguments)
    if wrong:
        raise ToolError(_kept(f"The arguments for {name!r} are no JSON: {'; '.join(wrong[:5])}."))
    return cast(JsonObject, copy_json(arguments))


def _tool_error(name: str, error: BaseException) -> ToolError:
    """The tool's own ToolError when the log can keep it, else one that tells what was raised."""
    if isinstance(error, ToolError) and _can_be_kept(error):
        return error
    return ToolError(_kept(f"The tool {name!r} failed: {exception_message(error)}"))


def _can_be_kept(error: ToolError) -> bool:
    return is_recordable(error) and max(len(error.message), len(error.advice)) <= MAX_MESSAGE


def _kept(message: str) -> str:
    """What the log keeps of a message: a replay must find it short enough to be kept as it is (core 13)."""
    return message[:MAX_MESSAGE]


def _checked(result: Json, registered: RegisteredTool) -> JsonObject:
    name = registered.tool.name
    try:
        text = canonical_json(result)
    except Exception as error:  # noqa: BLE001  # encoding runs the result's own code where it subclasses dict or list
        raise ToolError(
            _kept(f"The tool {name!r} returned what is no JSON: {exception_text(error)}."),
            next_step="Return JSON only.",
        ) from None
    if len(text) > MAX_RESULT_CHARACTERS:
        raise ToolError(
            f"The tool {name!r} returned {len(text):,} characters; at most {MAX_RESULT_CHARACTERS:,} are kept.",
            next_step="Return a summary, or the path of a file with the whole.",
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
            _kept(f"The tool {name!r} returned what its output schema rejects: {listed}."),
            next_step="Correct the tool or its output_schema.",
        )
    return copy
