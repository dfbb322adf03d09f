"""`StepExecutor`: carries out one step in one of three modes: tool, llm, fallback (core 1-4, core 6)."""

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
from aeon.kernel.marks import MODEL_KNOWLEDGE_MARK, declined_mark, fallback_mark
from aeon.kernel.prompts import STEP_SYSTEM_PROMPT, CallForm, StepContext, call_form, call_prompt, reasoning_prompt
from aeon.kernel.state import RunPolicy
from aeon.llm.interface import LLMAdapter, LLMRequest, LLMResponse, call_model
from aeon.memory.interface import Memory
from aeon.observability.events import Observer, TextGenerated, ToolInvoked, WarningIssued, guard_observer
from aeon.observability.records import ToolCall
from aeon.plan.models import PlanStep, StepStatus
from aeon.supervisor.repair import Supervisor
from aeon.supervisor.repair_context import RepairContext
from aeon.tools.invocation import ToolInvoker
from aeon.tools.registry import RegisteredTool, ToolRegistry
from aeon.validation.schema import Validator, argument_problems

_MAX_TOKENS = 1024
"""Output tokens of a thought."""


@dataclass(slots=True)
class StepExecutionResult:
    """How a step went. `execution_mode` is "tool", "llm" or "fallback".

    `llm_output` is the raw reply of the step's one thought, {} when the model was not asked. `errors` also holds what
    did not end the step. `is_unreachable` says that the model cannot be reached, which ends the run (core 7).
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
    """A step that is being carried out: its outcome so far, its call's arguments, and the call that a thought gave."""

    outcome: StepExecutionResult
    arguments: JsonObject | None = None
    model_call: JsonObject | None = None


class StepExecutor:
    """Carries out steps. `context` is what thoughts are told of the run; the orchestrator keeps it up to date."""

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
        self._caller = ToolInvoker()
        self._forms: dict[str, CallForm] = {}
        self._current: _StepAttempt | None = None

    def execute_step(
        self, step: PlanStep, registry: ToolRegistry, memory: Memory, llm: LLMAdapter, supervisor: Supervisor
    ) -> StepExecutionResult:
        """Carry out a step: with its tool, by the model, or, when no tool can be found, by the model as fallback.

        The step goes from pending to running to complete or failed; its result is stored under `step/<step_id>`.
        Raises ExecutionError for a step that has run already.
        """
        return self._execute(step, memory, lambda begun: self._run(step, registry, memory, llm, supervisor, begun))

    def execute_tool_step(self, step: PlanStep, registry: ToolRegistry, memory: Memory) -> StepExecutionResult:
        """Run a step's tool with the step's own arguments; no model is asked. The step must name a registered tool."""
        return self._execute(step, memory, lambda begun: self._run_tool(step, registry, begun))

    def execute_llm_reasoning_step(self, step: PlanStep, memory: Memory, llm: LLMAdapter) -> StepExecutionResult:
        """Let the model carry out a step, told the results so far; as fallback when the step does not ask for it."""
        return self._execute(step, memory, lambda begun: self._reason(step, llm, begun.outcome))

    def close(self) -> None:
        """Let the tools' worker thread end."""
        self._caller.close()

    def _execute(self, step: PlanStep, memory: Memory, work: Callable[[_StepAttempt], None]) -> StepExecutionResult:
        """Begin the step, do the work, end the step; within a step that has begun, only do the work."""
        if self._current is not None:
            work(self._current)
            return self._current.outcome
        outcome = self._begun(step, memory)
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
        return self._ended(step, memory, outcome)

    def _begun(self, step: PlanStep, memory: Memory) -> StepExecutionResult:
        """The step, running. Outside a run, earlier results are what the memory holds of them."""
        step.advance(StepStatus.RUNNING)
        outcome = StepExecutionResult()
        if self.context.goal is None:
            self.context.results = {}
            try:
                self.context.results = _recalled(memory)
            except Exception as error:  # noqa: BLE001  # a memory is other people's code (core 14)
                self._note_memory(step, outcome, error)
        return outcome

    def _run(
        self,
        step: PlanStep,
        registry: ToolRegistry,
        memory: Memory,
        llm: LLMAdapter,
        supervisor: Supervisor,
        begun: _StepAttempt,
    ) -> None:
        """Find out the step's mode and its call, and have the published method of the mode carry it out (core 1)."""
        outcome = begun.outcome
        if not self._names_a_tool(step, registry):
            self._find_tool(step, registry, supervisor, outcome)
        registered = registry.lookup(step.tool) if step.tool is not None else None
        if registered is None:
            self.execute_llm_reasoning_step(step, memory, llm)
            return
        outcome.execution_mode = "tool"
        begun.arguments = self._given_arguments(step, registered, outcome)
        if begun.arguments is None:
            begun.arguments, begun.model_call = self._thought_arguments(step, registered, llm, supervisor, outcome)
        self.execute_tool_step(step, registry, memory)

    def _names_a_tool(self, step: PlanStep, registry: ToolRegistry) -> bool:
        try:
            return self._validator.validate_step_tool(step, registry).valid
        except Exception as error:  # a validator is other people's code
            raise ExecutionError(f"The validator refuses the step: {exception_message(error)}") from error

    def _run_tool(self, step: PlanStep, registry: ToolRegistry, begun: _StepAttempt) -> None:
        """Call the step's tool with the arguments that were found out, or with the step's own."""
        begun.outcome.execution_mode = "tool"
        registered = registry.lookup(step.tool or "")
        if registered is None:
            raise ExecutionError(f"Step {step.step_id!r} names no registered tool.")
        if begun.arguments is None:
            begun.arguments = self._given_arguments(step, registered, begun.outcome)
        if begun.arguments is None:
            raise ExecutionError(f"Step {step.step_id!r} has no valid arguments for {step.tool!r}.")
        self._invoke(step, registered, begun.arguments, begun)

    def _find_tool(
        self, step: PlanStep, registry: ToolRegistry, supervisor: Supervisor, outcome: StepExecutionResult
    ) -> None:
        """Have the supervisor find a registered tool for the step; without one it falls back to the model (core 2).

        The step keeps the name of the tool that is missing. Raises ExecutionError where the run has no fallback.
        """
        wanted = step.tool
        self._warn(step, outcome, step.errors[-1])
        try:
            found = self._found_tool(step, registry, supervisor)
        except SupervisorError as error:
            outcome.errors.append({**error.as_dict(), "step_id": step.step_id})
            if self._policy.on_missing_tool == "fail":
                raise _no_tool(wanted) from error
            return
        step.tool = found
        step.errors = []
        outcome.marks.append(f"repaired: tool {wanted or 'none'} -> {step.tool}")

    def _found_tool(self, step: PlanStep, registry: ToolRegistry, supervisor: Supervisor) -> str:
        """The registered tool that the supervisor finds. Raises SupervisorError, LLMError."""
        tools = registry.export_tools_for_llm()
        try:
            found: Json = supervisor.repair_missing_tool_step(step.as_dict(), tools, self.context.goal or "")["tool"]
            is_known = isinstance(found, str) and registry.lookup(found) is not None
        except (SupervisorError, LLMError):
            raise
        except Exception as error:  # a supervisor may be other people's code
            raise SupervisorError(f"The supervisor failed: {exception_message(error)}") from error
        if not is_known:
            raise SupervisorError(f"The supervisor names a tool that is not registered: {found!r}.")
        return found

    def _given_arguments(
        self, step: PlanStep, registered: RegisteredTool, outcome: StepExecutionResult
    ) -> JsonObject | None:
        """The step's own arguments with its references filled in; None when there are none or they do not fit.

        References keep their type (core 3); where only text fits, they are rendered as text. Raises ExecutionError for
        arguments that do not fit and that the model may not replace (core 17).
        """
        if step.arguments is None:
            return None
        arguments, listed = self._bound(step.arguments, registered)
        if not listed:
            return arguments
        unfit = f"The plan's arguments for {step.tool!r} do not fit: {listed}"
        if not self._policy.repair:
            raise ExecutionError(
                unfit, next_step="Correct the plan, or let the model repair it: --repair, repair=True."
            )
        self._warn(step, outcome, unfit)
        return None

    def _bound(self, arguments: JsonObject, registered: RegisteredTool) -> tuple[JsonObject, str]:
        """`arguments` with their references filled in, and what then does not fit ("" when all does)."""
        bound: JsonObject = bind(arguments, self.context.results)
        problems = argument_problems(bound, registered.input)
        if problems:
            as_text: JsonObject = bind_as_text(arguments, self.context.results)
            if registered.input.is_valid(as_text):
                return as_text, ""
        return bound, "; ".join(str(problem) for problem in problems[:5])

    def _thought_arguments(
        self,
        step: PlanStep,
        registered: RegisteredTool,
        llm: LLMAdapter,
        supervisor: Supervisor,
        outcome: StepExecutionResult,
    ) -> tuple[JsonObject, JsonObject]:
        """Ask the model for the call, and read its answer with the supervisor's help (core 3, core 4).

        Returns the arguments with their references filled in, and the call as the model gave it.
        """
        form = self._form(registered.exported)
        prompt = call_prompt(step, form, self.context)
        reply = self._ask(llm, LLMRequest(prompt, STEP_SYSTEM_PROMPT, _MAX_TOKENS, 0.0, form.schema), "call", outcome)
        call = supervisor.read_call(reply, form.tool, registered.input, self._given(step))
        arguments, listed = self._bound(call["arguments"], registered)
        if listed:
            raise ExecutionError(f"The call of {step.tool!r} does not fit once its references are filled in: {listed}")
        return arguments, call

    def _given(self, step: PlanStep) -> RepairContext:
        """What a repair of the step's call may take values from (core 18)."""
        known = self.context
        return RepairContext(known.request, known.goal or "", step.description, step.arguments or {}, known.results)

    def _form(self, tool: JsonObject) -> CallForm:
        """The form of a tool's calls, kept for as long as the same tool is registered under its name."""
        known = self._forms.get(tool["name"])
        if known is None or known.tool is not tool:
            known = self._forms[tool["name"]] = call_form(tool)
        return known

    def _reason(self, step: PlanStep, llm: LLMAdapter, outcome: StepExecutionResult) -> None:
        """Let the model carry out the step (core 1). A text that was cut off is not passed off as whole."""
        is_fallback = step.tool is not None or step.agent != "llm"
        outcome.execution_mode = "fallback" if is_fallback else "llm"
        if is_fallback:
            outcome.marks.append(fallback_mark(step.tool))
        prompt = reasoning_prompt(step, self.context, is_fallback=is_fallback)
        request = LLMRequest(prompt, STEP_SYSTEM_PROMPT, _MAX_TOKENS, 0.0)
        reply = self._ask(llm, request, "answer", outcome)
        outcome.result = {"text": reply.text.strip()}
        if reply.is_truncated:
            raise ExecutionError(
                "The model's answer was cut off by the token limit.", next_step="Ask for a shorter one."
            )
        if reply.finish_reason == "refusal":
            raise ExecutionError("The model refused to answer.", next_step="Say the step in another way.")
        if not reply.text.strip():
            raise ExecutionError("The model answered nothing.")
        self._mark_words(reply.text, outcome)

    def _mark_words(self, text: str, outcome: StepExecutionResult) -> None:
        """Mark an answer that says what is missing, and one that rests on nothing but the model (core 19)."""
        if (mark := declined_mark(text)) is not None:
            outcome.marks.append(mark)
        elif outcome.execution_mode == "llm" and not self.context.results:
            outcome.marks.append(MODEL_KNOWLEDGE_MARK)

    def _ask(self, llm: LLMAdapter, request: LLMRequest, purpose: str, outcome: StepExecutionResult) -> LLMResponse:
        observe = self._observe
        try:
            reply = call_model(
                llm, request, None if observe is None else lambda text: observe(TextGenerated(purpose, text))
            )
        except LLMError as error:
            outcome.llm_output = {"error": error.as_dict()}
            raise
        outcome.llm_output = reply.as_dict()
        return reply

    def _invoke(self, step: PlanStep, registered: RegisteredTool, arguments: JsonObject, begun: _StepAttempt) -> None:
        """Call the tool once and record the call (core 6, FR-054)."""
        self._accept_call(registered, arguments, begun.model_call)
        outcome = begun.outcome
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
            result = self._caller.invoke(registered, arguments)
        except ToolError as error:
            outcome.tool_calls.append(ToolCall(**record, error=error.as_dict()))
            raise
        outcome.tool_calls.append(ToolCall(**record, result=result))
        outcome.result = result

    def _accept_call(self, registered: RegisteredTool, arguments: JsonObject, thought: JsonObject | None) -> None:
        """Show the validator copies of the model's call and of what runs. Raises ExecutionError (FR-024, FR-025).

        Both have passed the checks of `Validator` itself by now, so only methods of others' own are asked.
        """
        tool = registered.exported
        try:
            if thought is not None and overrides(self._validator, Validator, "validate_llm_output"):
                self._validator.validate_llm_output(copy_json(thought))
            if overrides(self._validator, Validator, "validate_tool_call"):
                call: JsonObject = {"tool": tool["name"], "arguments": copy_json(arguments)}
                self._validator.validate_tool_call(call, tool["input_schema"])
        except Exception as error:  # a validator is other people's code
            raise ExecutionError(
                f"The validator refuses the call of {tool['name']!r}: {exception_message(error)}"
            ) from error

    def _ended(self, step: PlanStep, memory: Memory, outcome: StepExecutionResult) -> StepExecutionResult:
        outcome.success = outcome.error is None
        if outcome.success:
            self._store(step, memory, outcome.result, outcome)
        step.advance(StepStatus.COMPLETE if outcome.success else StepStatus.FAILED)
        return outcome

    def _store(self, step: PlanStep, memory: Memory, result: Json, outcome: StepExecutionResult) -> None:
        """Keep the result for later steps; a memory that fails is logged and stops nothing (core 14)."""
        try:
            memory.write(f"step/{step.step_id}", copy_json(result))
        except Exception as error:  # noqa: BLE001  # a memory is other people's code (core 14)
            self._note_memory(step, outcome, error)

    def _note_memory(self, step: PlanStep, outcome: StepExecutionResult, error: Exception) -> None:
        """Log what a memory raised, in the one form that replays."""
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


def _no_tool(wanted: str | None) -> ExecutionError:
    return ExecutionError(
        f"There is no tool {wanted!r}, and none was found for the step."
        if wanted
        else "No tool was found for the step.",
        next_step="Register the tool or correct the plan; on_missing_tool='fallback' has the model answer instead.",
    )


def _recalled(memory: Memory) -> dict[str, Json]:
    """The results that `memory` holds of earlier steps, by id. Raises MemoryStoreError for what is no JSON."""
    results = {key.removeprefix("step/"): value for key, value in memory.search("step/")}
    if wrong := json_problems(results):
        raise MemoryStoreError(f"The memory returned what is not JSON: {'; '.join(wrong[:5])}.")
    return cast(dict[str, Json], copy_json(results))
