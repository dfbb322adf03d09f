"""`StepExecutor`: executes one step in one of three modes: tool, llm, fallback (core 1-4, core 6)."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Dict, Optional, cast  # noqa: UP035  # the published fields

from aeon.base.binding import bind, bind_as_text
from aeon.base.clock import Clock, SystemClock
from aeon.base.errors import (
    AeonError,
    BindingError,
    ExecutionError,
    LLMError,
    MemoryStoreError,
    SupervisorError,
    ToolError,
    exception_message,
    is_recordable,
)
from aeon.base.introspection import overrides
from aeon.base.json import Json, JsonObject, copy_json, json_problems
from aeon.kernel.marks import MODEL_KNOWLEDGE_MARK, cut_marks, declined_mark, fallback_mark
from aeon.kernel.prompts import CallForm, StepContext, call_form, call_prompt, reasoning_prompt
from aeon.kernel.state import RunPolicy
from aeon.llm.instructions import STEP_SYSTEM_PROMPT
from aeon.llm.interface import LLMAdapter, LLMRequest, LLMResponse, call_model
from aeon.memory.interface import Memory
from aeon.observability.events import Observer, ToolInvoked, WarningIssued, guard_observer, text_sink
from aeon.observability.records import ToolCall
from aeon.plan.models import PlanStep, StepStatus
from aeon.supervisor.repair import Supervisor
from aeon.supervisor.repair_context import RepairContext
from aeon.tools.invocation import ToolInvoker
from aeon.tools.registry import RegisteredTool, ToolRegistry
from aeon.validation.schema import Validator, argument_problems

_MAX_TOKENS = 1024
"""Output tokens of a tool call. A text may have those that `LLMRequest` allows: an essay of 1,200 words."""


@dataclass(slots=True)
class StepExecutionResult:
    """The result of a step. `execution_mode` is "tool", "llm" or "fallback".

    `llm_output` is the raw reply of the step's one model request, {} without one. `errors` also contains errors that
    did not end the step. `is_unreachable`: the model cannot be reached, which ends the run (core 7).
    """

    success: bool = False
    result: Dict[str, Any] = field(default_factory=dict[str, Any])  # noqa: UP006  # the published fields
    error: Optional[str] = None  # noqa: UP045
    execution_mode: str = "fallback"
    tool_calls: list[ToolCall] = field(default_factory=list[ToolCall])
    llm_output: JsonObject = field(default_factory=dict[str, Any])
    errors: list[JsonObject] = field(default_factory=list[JsonObject])
    marks: list[str] = field(default_factory=list[str])
    is_unreachable: bool = False


@dataclass(slots=True)
class _StepAttempt:
    """A step in progress: its outcome so far, the arguments of its tool call, and the call that the model proposed."""

    outcome: StepExecutionResult
    arguments: JsonObject | None = None
    model_call: JsonObject | None = None


class StepExecutor:
    """Executes steps. `context` is the part of the run that prompts show; the orchestrator keeps it up to date."""

    def __init__(
        self,
        *,
        validator: Validator | None = None,
        clock: Clock | None = None,
        observer: Observer | None = None,
        policy: RunPolicy | None = None,
    ) -> None:
        self.context = StepContext()
        self._policy = policy or RunPolicy()
        self._validator = validator or Validator()
        self._clock = clock or SystemClock()
        self._observe = guard_observer(observer)
        self._invoker = ToolInvoker()
        self._forms: dict[str, CallForm] = {}
        self._current: _StepAttempt | None = None

    def execute_step(
        self, step: PlanStep, registry: ToolRegistry, memory: Memory, llm: LLMAdapter, supervisor: Supervisor
    ) -> StepExecutionResult:
        """Executes a step with its tool, by the model, or, if no tool is found, by the model as fallback.

        The step goes from pending to running to complete or failed; its result is stored under `step/<step_id>`.
        Raises ExecutionError if the step has run already.
        """
        return self._execute(step, memory, lambda attempt: self._run(step, registry, memory, llm, supervisor, attempt))

    def execute_tool_step(self, step: PlanStep, registry: ToolRegistry, memory: Memory) -> StepExecutionResult:
        """Runs a step's tool with the step's own arguments, without a model. The step must name a registered tool."""
        return self._execute(step, memory, lambda attempt: self._run_tool(step, registry, attempt))

    def execute_llm_reasoning_step(self, step: PlanStep, memory: Memory, llm: LLMAdapter) -> StepExecutionResult:
        """Lets the model execute a step, with the results so far; as fallback if the step does not name the model."""
        return self._execute(step, memory, lambda attempt: self._reason(step, llm, attempt.outcome))

    def close(self) -> None:
        """Ends the tools' worker thread."""
        self._invoker.close()

    def _execute(self, step: PlanStep, memory: Memory, work: Callable[[_StepAttempt], None]) -> StepExecutionResult:
        """Begins the step, runs `work` and ends the step; inside a running step, only runs `work`."""
        if self._current is not None:
            work(self._current)
            return self._current.outcome
        outcome = self._begin(step, memory)
        self._current = _StepAttempt(outcome)
        try:
            work(self._current)
        except LLMError as error:
            outcome.is_unreachable = True
            self._fail(outcome, step, error)
        except (ToolError, SupervisorError, BindingError, ExecutionError) as error:
            self._fail(outcome, step, error)
        finally:
            self._current = None
        return self._end(step, memory, outcome)

    def _begin(self, step: PlanStep, memory: Memory) -> StepExecutionResult:
        """Marks the step as running. Outside a run, earlier results come from the memory."""
        step.advance(StepStatus.RUNNING)
        outcome = StepExecutionResult()
        if self.context.goal is None:
            self.context.results = {}
            try:
                self.context.results = _stored_results(memory)
            except Exception as error:  # noqa: BLE001  # a memory is external code (core 14)
                self._record_memory_error(step, outcome, error)
        return outcome

    def _run(
        self,
        step: PlanStep,
        registry: ToolRegistry,
        memory: Memory,
        llm: LLMAdapter,
        supervisor: Supervisor,
        attempt: _StepAttempt,
    ) -> None:
        """Determines the step's mode and its call, and calls the published method of the mode (core 1)."""
        outcome = attempt.outcome
        if not self._names_a_tool(step, registry):
            self._find_tool(step, registry, supervisor, outcome)
        registered = registry.lookup(step.tool) if step.tool is not None else None
        if registered is None:
            self.execute_llm_reasoning_step(step, memory, llm)
            return
        outcome.execution_mode = "tool"
        attempt.arguments = self._plan_arguments(step, registered, outcome)
        if attempt.arguments is None:
            attempt.arguments, attempt.model_call = self._model_arguments(step, registered, llm, supervisor, outcome)
        self.execute_tool_step(step, registry, memory)

    def _names_a_tool(self, step: PlanStep, registry: ToolRegistry) -> bool:
        try:
            return self._validator.validate_step_tool(step, registry).valid
        except Exception as error:  # a validator is external code
            raise ExecutionError(f"The validator refuses the step: {exception_message(error)}") from error

    def _run_tool(self, step: PlanStep, registry: ToolRegistry, attempt: _StepAttempt) -> None:
        """Calls the step's tool with the attempt's arguments, or with the step's own."""
        attempt.outcome.execution_mode = "tool"
        registered = registry.lookup(step.tool or "")
        if registered is None:
            raise ExecutionError(f"Step {step.step_id!r} does not name a registered tool.")
        if attempt.arguments is None:
            attempt.arguments = self._plan_arguments(step, registered, attempt.outcome)
        if attempt.arguments is None:
            raise ExecutionError(f"Step {step.step_id!r} has no valid arguments for {step.tool!r}.")
        self._invoke(step, registered, attempt.arguments, attempt)

    def _find_tool(
        self, step: PlanStep, registry: ToolRegistry, supervisor: Supervisor, outcome: StepExecutionResult
    ) -> None:
        """Lets the supervisor find a registered tool for the step; without one the model executes it (core 2).

        The step keeps the name of the missing tool. Raises ExecutionError if the run allows no fallback.
        """
        missing = step.tool
        self._warn(step, outcome, step.errors[-1])
        try:
            replacement = self._replacement_tool(step, registry, supervisor)
        except SupervisorError as error:
            outcome.errors.append({**error.as_dict(), "step_id": step.step_id})
            if self._policy.on_missing_tool == "fail":
                raise _no_tool_error(missing) from error
            return
        step.tool = replacement
        step.errors = []
        outcome.marks.append(f"repaired: tool {missing or 'none'} -> {step.tool}")

    def _replacement_tool(self, step: PlanStep, registry: ToolRegistry, supervisor: Supervisor) -> str:
        """The registered tool that the supervisor chooses. Raises SupervisorError, LLMError."""
        tools = registry.export_tools_for_llm()
        try:
            name: Json = supervisor.repair_missing_tool_step(step.as_dict(), tools, self.context.goal or "")["tool"]
            is_known = isinstance(name, str) and registry.lookup(name) is not None
        except (SupervisorError, LLMError):
            raise
        except Exception as error:  # a supervisor may be external code
            raise SupervisorError(f"The supervisor failed: {exception_message(error)}") from error
        if not is_known:
            raise SupervisorError(f"The supervisor names a tool that is not registered: {name!r}.")
        return name

    def _plan_arguments(
        self, step: PlanStep, registered: RegisteredTool, outcome: StepExecutionResult
    ) -> JsonObject | None:
        """The step's own arguments with their references resolved; None if there are none or they do not fit.

        References keep their type (core 3); if only text fits, they are rendered as text. Raises ExecutionError for
        arguments that do not fit and that the model may not replace (core 17).
        """
        if step.arguments is None:
            return None
        arguments, problems = self._bound(step.arguments, registered)
        if not problems:
            return arguments
        message = f"The plan's arguments for {step.tool!r} do not fit: {problems}"
        if not self._policy.repair:
            raise ExecutionError(
                message, next_step="Correct the plan, or let the model repair it: --repair, repair=True."
            )
        self._warn(step, outcome, message)
        return None

    def _bound(self, arguments: JsonObject, registered: RegisteredTool) -> tuple[JsonObject, str]:
        """`arguments` with their references resolved, and the remaining problems as text ("" if they fit)."""
        bound: JsonObject = bind(arguments, self.context.results)
        problems = argument_problems(bound, registered.input)
        if problems:
            as_text: JsonObject = bind_as_text(arguments, self.context.results)
            if registered.input.is_valid(as_text):
                return as_text, ""
        return bound, "; ".join(str(problem) for problem in problems[:5])

    def _model_arguments(
        self,
        step: PlanStep,
        registered: RegisteredTool,
        llm: LLMAdapter,
        supervisor: Supervisor,
        outcome: StepExecutionResult,
    ) -> tuple[JsonObject, JsonObject]:
        """Asks the model for the call and reads its reply with the supervisor's help (core 3, core 4).

        Returns the arguments with their references resolved, and the call as the model wrote it.
        """
        form = self._form(registered.exported)
        prompt = call_prompt(step, form, self.context)
        reply = self._ask(llm, LLMRequest(prompt, STEP_SYSTEM_PROMPT, _MAX_TOKENS, 0.0, form.schema), "call", outcome)
        call = supervisor.read_call(reply, form.tool, registered.input, self._repair_context(step))
        arguments, problems = self._bound(call["arguments"], registered)
        if problems:
            raise ExecutionError(
                f"The call of {step.tool!r} does not fit after its references are resolved: {problems}"
            )
        return arguments, call

    def _repair_context(self, step: PlanStep) -> RepairContext:
        """The sources from which a repair of the step's call may take values (core 18)."""
        run = self.context
        return RepairContext(run.request, run.goal or "", step.description, step.arguments or {}, run.results)

    def _form(self, tool: JsonObject) -> CallForm:
        """The form of a tool's calls, cached while the same tool is registered under its name."""
        form = self._forms.get(tool["name"])
        if form is None or form.tool is not tool:
            form = self._forms[tool["name"]] = call_form(tool)
        return form

    def _reason(self, step: PlanStep, llm: LLMAdapter, outcome: StepExecutionResult) -> None:
        """Lets the model execute the step (core 1). A truncated text is an error."""
        is_fallback = step.tool is not None or step.agent != "llm"
        outcome.execution_mode = "fallback" if is_fallback else "llm"
        if is_fallback:
            outcome.marks.append(fallback_mark(step.tool))
        answers_request = not self._policy.is_supplied and not is_fallback and len(self.context.steps) == 1
        prompt, system, left_out = reasoning_prompt(
            step, self.context, is_fallback=is_fallback, answers_request=answers_request
        )
        outcome.marks += cut_marks(left_out)
        reply = self._ask(llm, LLMRequest(prompt, system, temperature=0.0), "answer", outcome)
        outcome.result = {"text": reply.text.strip()}
        if reply.is_truncated:
            raise ExecutionError(
                "The answer was cut off: it is too long, or repeats itself.", next_step="Ask for a shorter one."
            )
        if reply.finish_reason == "refusal":
            raise ExecutionError("The model refused to answer.", next_step="Rephrase the step.")
        if not reply.text.strip():
            raise ExecutionError("The model's answer is empty.")
        self._mark_answer(reply.text, outcome)

    def _mark_answer(self, text: str, outcome: StepExecutionResult) -> None:
        """Marks an answer that declines, and one that relies on the model alone (core 19)."""
        if (mark := declined_mark(text, self.context.request or "")) is not None:
            outcome.marks.append(mark)
        elif outcome.execution_mode == "llm" and not self.context.results:
            outcome.marks.append(MODEL_KNOWLEDGE_MARK)

    def _ask(self, llm: LLMAdapter, request: LLMRequest, purpose: str, outcome: StepExecutionResult) -> LLMResponse:
        try:
            reply = call_model(llm, request, text_sink(self._observe, purpose))
        except LLMError as error:
            outcome.llm_output = {"error": error.as_dict()}
            raise
        outcome.llm_output = reply.as_dict()
        return reply

    def _invoke(self, step: PlanStep, registered: RegisteredTool, arguments: JsonObject, attempt: _StepAttempt) -> None:
        """Calls the tool once and records the call (core 6, FR-054)."""
        self._accept_call(registered, arguments, attempt.model_call)
        outcome = attempt.outcome
        name: str = registered.exported["name"]
        timestamp = self._clock.now()
        if self._observe is not None:
            self._observe(ToolInvoked(step.step_id, name, arguments))
        record: JsonObject = {
            "tool_name": name,
            "arguments": arguments,
            "timestamp": timestamp,
            "step_id": step.step_id,
        }
        try:
            result = self._invoker.invoke(registered, arguments)
        except ToolError as error:
            outcome.tool_calls.append(ToolCall(**record, error=error.as_dict()))
            raise
        outcome.tool_calls.append(ToolCall(**record, result=result))
        outcome.result = result

    def _accept_call(self, registered: RegisteredTool, arguments: JsonObject, model_call: JsonObject | None) -> None:
        """Validates copies of the model's call and of the actual call. Raises ExecutionError (FR-024, FR-025).

        Both have passed the checks of `Validator` already, so only overridden methods are called.
        """
        tool = registered.exported
        try:
            if model_call is not None and overrides(self._validator, Validator, "validate_llm_output"):
                self._validator.validate_llm_output(copy_json(model_call))
            if overrides(self._validator, Validator, "validate_tool_call"):
                call: JsonObject = {"tool": tool["name"], "arguments": copy_json(arguments)}
                self._validator.validate_tool_call(call, tool["input_schema"])
        except Exception as error:  # a validator is external code
            raise ExecutionError(
                f"The validator refuses the call of {tool['name']!r}: {exception_message(error)}"
            ) from error

    def _end(self, step: PlanStep, memory: Memory, outcome: StepExecutionResult) -> StepExecutionResult:
        outcome.success = outcome.error is None
        if outcome.success:
            self._store(step, memory, outcome.result, outcome)
        step.advance(StepStatus.COMPLETE if outcome.success else StepStatus.FAILED)
        return outcome

    def _store(self, step: PlanStep, memory: Memory, result: Json, outcome: StepExecutionResult) -> None:
        """Stores the result for later steps; a failing memory is logged and does not stop the run (core 14)."""
        try:
            memory.write(f"step/{step.step_id}", copy_json(result))
        except Exception as error:  # noqa: BLE001  # a memory is external code (core 14)
            self._record_memory_error(step, outcome, error)

    def _record_memory_error(self, step: PlanStep, outcome: StepExecutionResult, error: Exception) -> None:
        """Logs a memory's exception, in the one form that can be replayed."""
        failure = MemoryStoreError(exception_message(error))
        if isinstance(error, MemoryStoreError) and is_recordable(error):
            failure = MemoryStoreError(error.message, next_step=error.advice)
        outcome.errors.append({**failure.as_dict(), "step_id": step.step_id})
        self._warn(step, outcome, str(failure), mark=False)

    def _fail(self, outcome: StepExecutionResult, step: PlanStep, error: AeonError) -> None:
        outcome.error = str(error)
        outcome.errors.append({**error.as_dict(), "step_id": step.step_id})

    def _warn(self, step: PlanStep, outcome: StepExecutionResult, message: str, *, mark: bool = True) -> None:
        if mark:
            outcome.errors.append({"type": "Warning", "message": message, "step_id": step.step_id})
        if self._observe is not None:
            self._observe(WarningIssued(step.step_id, message))


def _no_tool_error(name: str | None) -> ExecutionError:
    return ExecutionError(
        f"There is no tool {name!r}, and none was found for the step." if name else "No tool was found for the step.",
        next_step="Register the tool or correct the plan; with on_missing_tool='fallback' the model answers instead.",
    )


def _stored_results(memory: Memory) -> dict[str, Json]:
    """The results of earlier steps in `memory`, by id. Raises MemoryStoreError if they are not JSON."""
    results = {key.removeprefix("step/"): value for key, value in memory.search("step/")}
    if problems := json_problems(results):
        raise MemoryStoreError(f"The memory returned values that are not JSON: {'; '.join(problems[:5])}.")
    return cast(dict[str, Json], copy_json(results))
