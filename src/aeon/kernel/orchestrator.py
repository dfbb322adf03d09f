"""`Orchestrator`: turns a request into a plan and its results, step by step, every cycle logged (FR-001 to FR-005)."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Dict, Optional  # noqa: UP035  # the published signature

from aeon.base.clock import Clock, SystemClock
from aeon.base.errors import LLMError, OrchestrationError, PlanError, SupervisorError, exception_message
from aeon.base.introspection import overrides
from aeon.base.json import JsonObject, copy_json
from aeon.kernel.executor import StepExecutionResult, StepExecutor
from aeon.kernel.input_checks import check_supplied_plan, checked_on_missing_tool, checked_ttl
from aeon.kernel.marks import doubt_marks, is_declined, is_trusted, repair_marks
from aeon.kernel.prompts import StepContext, planner_prompt, planner_system
from aeon.kernel.request_text import normalize_request
from aeon.kernel.state import LOG_FORMAT, CancellationCheck, OnMissingTool, OrchestrationState, RunPolicy, RunStatus
from aeon.llm.interface import LLMAdapter, LLMRequest, call_model
from aeon.memory.interface import Memory
from aeon.memory.kv_store import InMemoryKVStore
from aeon.observability.events import (
    Event,
    Observer,
    PlanningStarted,
    PlanReady,
    PlanStepEnded,
    PlanStepStarted,
    RepairAttempted,
    RunEnded,
    guard_observer,
    text_sink,
)
from aeon.observability.log import RunLog, null_log
from aeon.observability.plan_record import PlanRecorder
from aeon.observability.records import SupervisorAction
from aeon.plan.models import Plan, PlanStep, StepStatus
from aeon.plan.parser import build_plan
from aeon.supervisor.answered_run import AnsweredRun
from aeon.supervisor.repair import Supervisor
from aeon.tools.registry import ToolOffer, ToolRegistry
from aeon.validation.output_schemas import plan_schema
from aeon.validation.schema import Validator

_PLAN_TOKENS, _SOLUTION_TOKENS = 1536, 400


class Orchestrator:
    """Runs requests with one model, one memory and one set of tools.

    Only the model is required. `ttl` is the number of steps that may be visited. `log` receives one entry per cycle,
    `observer` every event. `on_missing_tool` decides about a step for which no tool is found: "fallback", by contract
    (the model answers, marked as its own words), or "fail" (core 17). `earlier` are the messages of the conversation
    that requests continue, from which numbers in an answer may come.
    """

    def __init__(  # noqa: PLR0913  # the published parameters, and the injectable parts
        self,
        llm_adapter: LLMAdapter,
        memory: Memory | None = None,
        tool_registry: ToolRegistry | None = None,
        supervisor: Supervisor | None = None,
        validator: Validator | None = None,
        ttl: int = 50,
        *,
        log: RunLog | None = None,
        observer: Observer | None = None,
        clock: Clock | None = None,
        on_missing_tool: OnMissingTool = "fallback",
        earlier: tuple[str, ...] = (),
    ) -> None:
        self._llm = llm_adapter
        self._clock = clock or SystemClock()
        self._memory = InMemoryKVStore() if memory is None else memory
        self._registry = ToolRegistry() if tool_registry is None else tool_registry
        self._supervisor = Supervisor(llm_adapter, clock=self._clock) if supervisor is None else supervisor
        self._validator = Validator() if validator is None else validator
        self._ttl = checked_ttl(ttl)
        self._on_missing_tool: OnMissingTool = checked_on_missing_tool(on_missing_tool)
        self._earlier = earlier
        self._keeps_log = log is not None
        self._log = null_log() if log is None else log
        self._user_observer = observer
        self._observer: Observer | None = None
        self._tools = self._registry
        self._is_busy = False
        self._state: OrchestrationState | None = None

    def execute(
        self,
        user_request: str,
        initial_plan: Optional[Plan] = None,  # noqa: UP045  # the published signature
        *,
        repair: bool = False,
        allow_fallback: bool = True,
        cancellation: CancellationCheck | None = None,
    ) -> Dict[str, Any]:  # noqa: UP006
        """Plans the request (or uses `initial_plan`) and runs every step in order.

        Returns "plan", "status" ("completed", "failed", "ttl_expired") and "final_state", also "answer" (the last
        step's result as text, None without one), "results" and "marks" by step id, "trusted" (false if a step
        failed, fell back, was declined or is doubtful: core 17), and "error" if the run ended early.

        For an `initial_plan` only: arguments that do not fit their tool are refused unless the model may `repair` them;
        unknown tools are left to the model, by contract, unless `allow_fallback` is false.
        `cancellation` is called before each step and returns whether to stop there; a cancelled run is "ttl_expired",
        with an error of the type "RunCancelled", and can be resumed.

        Raises RequestError or PlanError for invalid input, OrchestrationError if no plan could be made, LogError if the
        log cannot be written.
        """
        policy = RunPolicy(on_missing_tool=self._on_missing_tool)
        if initial_plan is not None:
            on_missing_tool = self._on_missing_tool if allow_fallback else "fail"
            policy = RunPolicy(is_supplied=True, repair=repair, on_missing_tool=on_missing_tool)
        with self._run_scope(cancellation):
            if initial_plan is not None:
                check_supplied_plan(initial_plan, self._tools, repair=repair, allow_fallback=allow_fallback)
            return self._start_run(user_request, initial_plan, policy)

    def _start_run(self, user_request: str, initial_plan: Plan | None, policy: RunPolicy) -> Dict[str, Any]:  # noqa: UP006
        if not self._keeps_log:
            self._log = null_log()
        elif self._log.entries:
            raise OrchestrationError("The log already has a run.", next_step="Give each run its own log, or resume it.")
        request = normalize_request(user_request)
        self._state = None
        cycle = _Cycle(self._clock.now(), len(self._supervisor.actions))
        plan = self._plan_run(request, cycle, policy) if initial_plan is None else self._accept_plan(initial_plan)
        self._state = OrchestrationState(
            plan=plan,
            ttl_remaining=self._ttl,
            request=request,
            policy=policy,
            earlier=self._earlier,
            llm_outputs=[cycle.llm_output] if cycle.llm_output else [],
            supervisor_actions=self._take_actions(cycle, None),
        )
        self._recorder = PlanRecorder(plan.goal, [step.as_dict() for step in plan.steps])
        self._write(cycle, self._recorder.next_state(), run=self._header(request, policy))
        if self._observer is not None:
            self._observer(PlanReady(plan.as_dict(), is_supplied=policy.is_supplied))
        return self._run(self._state)

    def plan(self, user_request: str) -> Plan:
        """Only plans the request; nothing runs and nothing is logged. Raises RequestError, OrchestrationError."""
        with self._run_scope():
            cycle = _Cycle(self._clock.now(), len(self._supervisor.actions))
            plan = self._make_plan(normalize_request(user_request), cycle)
            self._take_actions(cycle, None)
            return plan

    def resume(
        self, state: OrchestrationState, ttl: int | None = None, *, cancellation: CancellationCheck | None = None
    ) -> Dict[str, Any]:  # noqa: UP006
        """Continues a run from the `state` that its log restores (core 13). Returns as `execute`.

        `ttl` is the number of further cycles; None uses the orchestrator's. The log must be the run's own.
        """
        checked = self._ttl if ttl is None else checked_ttl(ttl)
        with self._run_scope(cancellation):
            self._state = state.snapshot()
            self._state.ttl_remaining = checked
            steps = [step.as_dict() for step in self._state.plan.steps]
            self._recorder = PlanRecorder(self._state.plan.goal, steps, entries=self._log.entries)
            self._emit(PlanReady(self._state.plan.as_dict(), is_supplied=True))
            return self._run(self._state, resumed={"ttl": self._state.ttl_remaining})

    def get_state(self) -> OrchestrationState:
        """Returns an independent snapshot of the state (core 16). Raises OrchestrationError before the first run."""
        if self._state is None:
            raise OrchestrationError("Nothing has run yet.", next_step="Call execute() first.")
        return self._state.snapshot()

    @contextmanager
    def _run_scope(self, cancellation: CancellationCheck | None = None) -> Generator[None]:
        """The scope of one run, with a snapshot of the registered tools and a guarded observer.

        Raises OrchestrationError inside another run, for example if a tool calls its own orchestrator.
        """
        if self._is_busy:
            raise OrchestrationError(
                "This orchestrator is in the middle of a run.",
                next_step="Use a separate Orchestrator for the other run.",
            )
        self._is_busy, self._cancellation = True, cancellation
        try:
            self._tools = self._registry.snapshot()
            self._observer = guard_observer(self._user_observer)
            with self._supervisor.run_scope():
                yield
        finally:
            self._is_busy = False

    def _plan_run(self, request: str, cycle: "_Cycle", policy: RunPolicy) -> Plan:
        """Makes the plan of a run; a planning cycle that fails is logged too (FR-039)."""
        try:
            return self._make_plan(request, cycle)
        except OrchestrationError:
            self._write(cycle, {}, run=self._header(request, policy))
            raise

    def _make_plan(self, request: str, cycle: "_Cycle") -> Plan:
        """Asks the model for a plan and reads it with the supervisor's help. Where none is needed, code plans."""
        offer = self._tools.offer(request)
        if offer.plan is not None:
            return build_plan(offer.plan)
        self._emit(PlanningStarted(request, [tool["name"] for tool in offer.tools]))
        try:
            reply = call_model(self._llm, self._planning_request(request, offer), text_sink(self._observer, "plan"))
            cycle.llm_output = reply.as_dict()
            return self._validated(self._supervisor.read_plan(reply, offer.tools, request))
        except (LLMError, SupervisorError) as error:
            if not cycle.llm_output:
                cycle.llm_output = {"error": error.as_dict()}
            cycle.errors.append(error.as_dict())
            actions = self._take_actions(cycle, None)
            raise OrchestrationError(
                f"No plan could be made: {error.message}",
                next_step=error.next or "Simplify the request, pass a plan with --plan, or use a stronger model.",
                cause=error.as_dict(),
                attempts=[cycle.llm_output, *(action.as_dict() for action in actions)],
            ) from error

    def _validated(self, plan: JsonObject) -> Plan:
        """The model's plan, after the validator has checked copies. Raises SupervisorError (FR-024, FR-026)."""
        try:
            self._validator.validate_llm_output(copy_json(plan))
            self._validator.validate_plan(copy_json(plan))
            return build_plan(plan)
        except Exception as error:  # a validator is external code
            raise SupervisorError(f"The validator refuses the plan: {exception_message(error)}") from error

    def _accept_plan(self, plan: Plan) -> Plan:
        """A copy of a user's plan, after the validator has checked it. Raises PlanError (FR-026)."""
        accepted = build_plan(plan.as_dict())
        try:
            if overrides(self._validator, Validator, "validate_plan"):
                self._validator.validate_plan(plan.as_dict())
        except Exception as error:  # a validator is external code
            raise PlanError(f"The validator refuses the plan: {exception_message(error)}") from error
        return accepted

    def _planning_request(self, request: str, offer: ToolOffer) -> LLMRequest:
        if offer.working is not None:
            return LLMRequest(request, offer.working, _SOLUTION_TOKENS, 0.0)
        prompt = planner_prompt(request, offer, self._stored_keys())
        return LLMRequest(prompt, planner_system(offer), _PLAN_TOKENS, 0.0, plan_schema(offer.tools))

    def _stored_keys(self) -> list[str]:
        try:
            return [key for key, _ in self._memory.search("") if not key.startswith("step/")]
        except Exception:  # noqa: BLE001  # a memory is external code (core 14)
            return []  # planning does not need the keys; a step that needs the memory will report its failure

    def _run(self, state: OrchestrationState, resumed: JsonObject | None = None) -> Dict[str, Any]:  # noqa: UP006
        """Visits the pending steps in order until all are done, the TTL expires, or the model is gone (core 4-7)."""
        executor = StepExecutor(
            validator=self._validator, clock=self._clock, observer=self._observer, policy=state.policy
        )
        executor.context = StepContext(
            state.request, state.plan.goal, state.plan.steps, 0, state.results, state.failures(), state.marks
        )
        error: JsonObject | None = None
        try:
            for position, step in enumerate(state.plan.steps):
                if step.status in (StepStatus.COMPLETE, StepStatus.FAILED):
                    continue
                if (
                    error := state.stop_error(is_cancelled=self._cancellation is not None and self._cancellation())
                ) is not None:
                    break
                outcome = self._visit(state, executor, position, step, resumed)
                resumed = None
                if outcome.is_unreachable:
                    error = outcome.errors[-1]
                    break
        finally:
            executor.close()
        return self._result(state, error)

    def _visit(
        self,
        state: OrchestrationState,
        executor: StepExecutor,
        position: int,
        step: PlanStep,
        resumed: JsonObject | None,
    ) -> StepExecutionResult:
        """Runs one cycle: one step, at most one model request and one tool call; the TTL falls by one (core 4)."""
        cycle = _Cycle(self._clock.now(), len(self._supervisor.actions))
        plan_state = self._recorder.next_state()
        state.current_step_id = step.step_id
        context = executor.context
        context.position, context.ttl_remaining, context.instant = position, state.ttl_remaining, cycle.timestamp
        context.lines.pop(step.step_id, None)
        if self._observer is not None:
            self._observer(PlanStepStarted(step.as_dict(), position, state.ttl_remaining))

        outcome = executor.execute_step(step, self._tools, self._memory, self._llm, self._supervisor)

        state.ttl_remaining -= 1
        state.current_step_id = None
        cycle.take(outcome)
        actions = self._take_actions(cycle, step.step_id)
        self._record_outcome(state, context, step, outcome, actions)
        marks = _marks(state, position, outcome, actions)
        if marks:
            state.marks[step.step_id] = marks
        record = step.as_dict()
        self._recorder.record_step(position, record)
        fields = {"outcome": _outcome_record(record, outcome, marks)} | ({"resumed": resumed} if resumed else {})
        self._write(cycle, plan_state, **fields)
        if self._observer is not None:
            result = outcome.result if outcome.success else None
            self._observer(PlanStepEnded(record, position, outcome.execution_mode, result, outcome.error, marks))
        return outcome

    def _record_outcome(
        self,
        state: OrchestrationState,
        context: StepContext,
        step: PlanStep,
        outcome: StepExecutionResult,
        actions: Sequence[SupervisorAction],
    ) -> None:
        state.tool_history.extend(outcome.tool_calls)
        state.errors.extend(outcome.errors)
        state.supervisor_actions.extend(actions)
        if outcome.llm_output:
            state.llm_outputs.append(outcome.llm_output)
        if outcome.success:
            state.results[step.step_id] = outcome.result
        else:
            context.failures[step.step_id] = outcome.error or ""

    def _take_actions(self, cycle: "_Cycle", step_id: str | None) -> list[SupervisorAction]:
        """Returns the repairs since the cycle began, and adds them to the cycle."""
        actions = self._supervisor.actions_since(cycle.first_action)
        cycle.actions = [action.as_dict() for action in actions]
        for action in cycle.actions:
            self._emit(RepairAttempted(step_id, action))
        return actions

    def _write(self, cycle: "_Cycle", plan_state: JsonObject, **extra: JsonObject) -> None:
        state = self._state
        self._log.append(
            {
                "step_number": self._log.entries + 1,
                "plan_state": plan_state,
                "llm_output": cycle.llm_output,
                "supervisor_actions": cycle.actions,
                "tool_calls": cycle.tool_calls,
                "ttl_remaining": self._ttl if state is None else state.ttl_remaining,
                "errors": cycle.errors,
                "timestamp": cycle.timestamp,
                "finished_at": self._clock.now(),
                **extra,
            }
        )

    def _header(self, request: str, policy: RunPolicy) -> JsonObject:
        """The data that a replay needs to run the same kernel (core 13)."""
        return {
            "format": LOG_FORMAT,
            "request": request,
            "ttl": self._ttl,
            "policy": policy.model_dump(),
            "tools": self._tools.export_tools_for_llm(),
        }

    def _result(self, state: OrchestrationState, error: JsonObject | None) -> Dict[str, Any]:  # noqa: UP006
        failed = any(step.status is StepStatus.FAILED for step in state.plan.steps)
        status: RunStatus = "failed" if failed else "completed"
        if error is not None and error["type"] in ("TTLExpired", "RunCancelled"):
            status = "ttl_expired"
        answer = state.answer()
        log = getattr(self._log, "path", None)
        trusted = status == "completed" and is_trusted(state.marks)
        self._emit(RunEnded(status, answer, error, str(log) if isinstance(log, Path) else None, trusted=trusted))
        final = self.get_state()
        result: JsonObject = {
            "plan": final.plan.as_dict(),
            "status": status,
            "final_state": final,
            "answer": answer,
            "results": copy_json(state.results),
            "marks": {step_id: list(marks) for step_id, marks in state.marks.items()},
            "trusted": trusted,
        }
        return result if error is None else {**result, "error": error}

    def _emit(self, event: Event) -> None:
        if self._observer is not None:
            self._observer(event)


class _Cycle:
    """The log data of one cycle."""

    def __init__(self, timestamp: str, first_action: int) -> None:
        self.timestamp = timestamp
        self.first_action = first_action
        self.llm_output: JsonObject = {}
        self.actions: list[JsonObject] = []
        self.tool_calls: list[JsonObject] = []
        self.errors: list[JsonObject] = []

    def take(self, outcome: StepExecutionResult) -> None:
        self.llm_output = outcome.llm_output
        self.tool_calls = [call.as_dict() for call in outcome.tool_calls]
        self.errors = outcome.errors


def _marks(
    state: OrchestrationState, position: int, outcome: StepExecutionResult, actions: Sequence[SupervisorAction]
) -> list[str]:
    """The marks of a step; for the last step also the reasons to doubt the answer, if it has one (core 17, 19)."""
    marks = [*outcome.marks, *repair_marks(actions)]
    if not outcome.success or position < len(state.plan.steps) - 1 or is_declined(marks):
        return marks
    about = not state.policy.is_supplied, outcome.execution_mode != "tool", state.earlier, outcome.llm_output
    run = AnsweredRun(state.request, state.plan.steps, state.tool_history, state.results, *about)
    return [*marks, *doubt_marks(run)]


def _outcome_record(step: JsonObject, outcome: StepExecutionResult, marks: list[str]) -> JsonObject:
    """The record of a step's outcome. Its result is in the tool call or the model's reply of the same entry."""
    record: JsonObject = {"step": step, "mode": outcome.execution_mode}
    if outcome.error is not None:
        record["error"] = outcome.error
    if marks:
        record["marks"] = marks
    return record
