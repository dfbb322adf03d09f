"""`Supervisor`: reads model output, repairs it within limits, records every repair (core 2, 9, 10; FR-028 to 033)."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, Dict, List, Optional, cast  # noqa: UP035  # the published signatures

from aeon.base.clock import Clock, SystemClock
from aeon.base.errors import LLMError, SupervisorError, exception_message
from aeon.base.introspection import overrides
from aeon.base.json import Json, JsonObject, canonical_json, json_problems
from aeon.base.json_schema import CompiledSchema, ValidationProblem, compile_schema
from aeon.llm.instructions import REPAIR_SYSTEM_PROMPT
from aeon.llm.interface import LLMAdapter, LLMRequest, LLMResponse, call_model
from aeon.observability.records import ActionType, SupervisorAction
from aeon.supervisor.limits import call_violations, plan_violations
from aeon.supervisor.plan_normalization import (
    correct_field_references,
    drop_unusable_arguments,
    normalize_plan_keys,
    unreadable_parts,
)
from aeon.supervisor.prompts import repair_prompt, tool_choice_prompt
from aeon.supervisor.repair_context import KnownValues, RepairContext, iterate_leaves
from aeon.supervisor.repair_tasks import (
    RepairTask,
    call_task,
    choice_problems,
    chosen_tool,
    invalid_arguments,
    is_object,
    matching_name,
    model_plan_problems,
    object_schema,
    plan_form,
    plan_task,
    require_object,
    tool_names,
    with_goal,
    with_tool,
)
from aeon.supervisor.replies import (
    as_object,
    call_form,
    is_json,
    named_call_problems,
    proposal,
    read_reply,
    read_solved_plan,
    readable_object,
    shown_text,
)
from aeon.validation.output_schemas import tool_choice_schema
from aeon.validation.recovery import RecoveredValue, RecoveryFailure
from aeon.validation.schema import call_problems

MAX_ATTEMPTS = 2
"""Maximum model calls to repair one faulty output (FR-050, core 4)."""

_MAX_TOKENS = 1024


@dataclass(frozen=True, slots=True)
class _FaultyReply:
    """The data of a faulty reply beyond the published arguments of the repair methods.

    `original` is the recorded form, `shown` the text in the prompt; `is_unread`: nothing in it was readable.
    """

    original: JsonObject
    shown: str
    problems: Sequence[ValidationProblem]
    tools: Sequence[JsonObject] | None = None
    request: str = ""
    context: RepairContext = field(default_factory=RepairContext)
    is_unread: bool = False


_FAULTY_REPLY: ContextVar[_FaultyReply | None] = ContextVar("faulty_reply", default=None)
"""The reply that is being repaired, for the published repair method."""

_RUN: ContextVar[object] = ContextVar("run", default=None)
"""The current run; each thread and each nested run has its own."""


class Supervisor:
    """Repairs malformed output with the run's model, under a reduced prompt, at most twice per output.

    `actions` contains every attempted repair, also deterministic ones; it is append-only. Several runs may share a
    supervisor, also concurrently.
    """

    def __init__(
        self, llm_adapter: LLMAdapter, system_prompt: str = REPAIR_SYSTEM_PROMPT, *, clock: Clock | None = None
    ) -> None:
        self.actions: list[SupervisorAction] = []
        self._llm = llm_adapter
        self._system_prompt = system_prompt
        self._clock = clock or SystemClock()
        self._action_runs: dict[int, object] = {}
        """The run of each action, by the action's `id()`."""

    @contextmanager
    def run_scope(self) -> Generator[None]:
        """Assigns the actions recorded inside the context to a new run."""
        token = _RUN.set(object())
        try:
            yield
        finally:
            _RUN.reset(token)

    def actions_since(self, first: int) -> list[SupervisorAction]:
        """The actions from index `first` on, without those of other runs."""
        run = _RUN.get()
        return [action for action in self.actions[first:] if self._action_runs.get(id(action), run) is run]

    def repair_json(
        self,
        malformed_json: str,
        expected_schema: Optional[Dict[str, Any]] = None,  # noqa: UP006, UP045
        max_attempts: int = MAX_ATTEMPTS,
    ) -> Dict[str, Any]:  # noqa: UP006
        """Returns the object that `malformed_json` represents (FR-029).

        Raises SupervisorError if it cannot be repaired, if the schema is invalid or if no object fits it.
        """
        schema = object_schema(expected_schema or {})
        read = self._recovered(LLMResponse(malformed_json), compile_schema(schema))
        if isinstance(read, RecoveredValue):
            return cast(JsonObject, read.value)
        return self._repair(
            RepairTask(
                "json_repair",
                {"text": malformed_json},
                read.problems,
                lambda problems: repair_prompt(malformed_json, problems, expected_schema, ""),
                expected_schema and schema,
                compile_schema(schema).problems,
            ),
            max_attempts,
        )

    def repair_tool_call(
        self,
        malformed_call: Dict[str, Any],  # noqa: UP006
        tool_schema: Dict[str, Any],  # noqa: UP006
        max_attempts: int = MAX_ATTEMPTS,
        *,
        context: str = "",
    ) -> Dict[str, Any]:  # noqa: UP006
        """Returns `{"tool", "arguments"}` with arguments that fit `tool_schema`; a valid call is returned unchanged.

        The tool and every valid argument stay; a missing value must occur in the call or in `context` (core 18).
        Raises SupervisorError if that is not possible (FR-030).
        """
        require_object(malformed_call)
        faulty = _FAULTY_REPLY.get()
        _FAULTY_REPLY.set(None)
        if faulty is None:
            problems = call_problems(malformed_call, compile_schema(tool_schema))
            if not problems:
                return malformed_call
            faulty = _FaultyReply(
                malformed_call, canonical_json(malformed_call), problems, context=RepairContext(context)
            )
        task = call_task(malformed_call, faulty.shown, faulty.problems, tool_schema, faulty.context)
        return self._repair(replace(task, before=faulty.original), max_attempts)

    def repair_plan(
        self,
        malformed_plan: Dict[str, Any],  # noqa: UP006
        max_attempts: int = MAX_ATTEMPTS,
        *,
        available_tools: Sequence[JsonObject] | None = None,
        request: str = "",
    ) -> Dict[str, Any]:  # noqa: UP006
        """Returns a plan that can start; a valid one is returned unchanged. Goal and readable steps stay (core 10).

        It uses only `available_tools`; if that is None, only tools that the malformed plan names.
        Raises SupervisorError if that is not possible (FR-031).
        """
        require_object(malformed_plan)
        faulty = _FAULTY_REPLY.get()
        _FAULTY_REPLY.set(None)
        before: JsonObject | None = malformed_plan
        if faulty is None:
            if not model_plan_problems(malformed_plan):
                return malformed_plan
            names = tool_names(malformed_plan, available_tools)
            before, problems = self._plan_in(malformed_plan, malformed_plan, names, request)
            if before is not None and not problems:
                return before
            shown = canonical_json(malformed_plan)
            faulty = _FaultyReply(before or malformed_plan, shown, problems, available_tools, request)
        elif faulty.is_unread:
            before = None
        task = plan_task(before, faulty.shown, faulty.problems, faulty.tools, faulty.request)
        return self._repair(replace(task, before=faulty.original), max_attempts)

    def repair_missing_tool_step(
        self,
        step: Dict[str, Any],  # noqa: UP006
        available_tools: List[Dict[str, Any]],  # noqa: UP006
        plan_goal: str,
        max_attempts: int = MAX_ATTEMPTS,
    ) -> Dict[str, Any]:  # noqa: UP006
        """Returns the same step with a registered tool and its errors cleared (core 2).

        A name that differs from one registered name only in case or punctuation is corrected without the model.
        Raises SupervisorError if no tool is found; the model then executes the step (core 1).
        """
        names = [str(tool["name"]) for tool in available_tools]
        match = matching_name(step.get("tool"), names)
        if match is not None:
            repaired = with_tool(step, match)
            self._record("missing_tool_repair", step, 1, repaired_output=repaired, stages=["same_name"])
            return repaired
        if not names:
            raise SupervisorError("No tool is registered, so none can be found for the step.")
        errors = [ValidationProblem("$", str(error)) for error in step.get("errors", [])]
        task = RepairTask(
            "missing_tool_repair",
            step,
            errors,
            lambda problems: tool_choice_prompt(step, available_tools, plan_goal, problems),
            tool_choice_schema(names),
            lambda choice: choice_problems(step, choice, names),
            lambda choice: with_tool(step, chosen_tool(choice)),
        )
        return self._repair(task, max_attempts)

    def read_plan(self, reply: LLMResponse, tools: Sequence[JsonObject], request: str) -> JsonObject:
        """Returns the plan in a planner's reply, recovered or repaired; the reply may be a solution in lines.

        Raises SupervisorError, LLMError.
        """
        if (solved := read_solved_plan(reply, tool_names(None, tools), request)) is not None:
            return solved
        read = self._read_reply(
            reply,
            compile_schema(plan_form()),
            lambda: [request, [tool["name"] for tool in tools]],
            lambda value: model_plan_problems(with_goal(value, request)),
        )
        parsed = read.value if isinstance(read, RecoveredValue) else read.parsed_value
        value, problems = self._plan_in(parsed, {"text": reply.text}, tool_names(None, tools), request)
        if value is None and isinstance(read, RecoveryFailure):
            problems = list(read.problems)
        usable = drop_unusable_arguments(value, problems) if value is not None and problems else None
        if usable is not None:
            self._record("plan_repair", cast(JsonObject, value), 1, repaired_output=usable, stages=["no_arguments"])
            value = usable
        elif value is None or problems:
            original, is_unread = value or {"text": reply.text}, value is None
            faulty = _FaultyReply(original, shown_text(reply), problems, tools, request, is_unread=is_unread)
            readable = value or {"goal": request}
            before, names = value, tool_names(None, tools)
            value = self._repaired(
                faulty,
                lambda: self.repair_plan(readable),
                lambda repaired: model_plan_problems(repaired) or plan_violations(before, repaired, names),
            )
        return self._with_known_fields(value, tools)

    def read_call(
        self, reply: LLMResponse, tool: JsonObject, check: CompiledSchema, context: RepairContext
    ) -> JsonObject:
        """Returns the call of `tool` in a model's reply, recovered, or repaired with values from `given`.

        Raises SupervisorError, LLMError.
        """
        name: str = tool["name"]
        read = self._read_reply(
            reply, call_form(), lambda: [name, *context.values()], lambda value: named_call_problems(value, name, check)
        )
        value = readable_object(read)
        problems = call_problems(value, check) if isinstance(read, RecoveredValue) else list(read.problems)
        if value is not None and isinstance(value.get("tool"), str) and value["tool"] != name:
            problems.append(ValidationProblem("$.tool", f"this step calls {name!r}"))
        if not problems:
            return cast(JsonObject, value)
        before = {**(value or {}), "tool": name}
        invalid = invalid_arguments(before, check)
        faulty = _FaultyReply(value or {"text": reply.text}, shown_text(reply), problems, context=context)
        return self._repaired(
            faulty,
            lambda: self.repair_tool_call(before, tool["input_schema"]),
            lambda repaired: (
                named_call_problems(repaired, name, check)
                or call_violations(before, repaired, invalid, context.values())
            ),
        )

    def _read_reply(
        self,
        reply: LLMResponse,
        check: CompiledSchema,
        known: Callable[[], Sequence[Json]],
        problems_of: Callable[[JsonObject], list[ValidationProblem]],
    ) -> RecoveredValue | RecoveryFailure:
        """Reads a reply. A subclass's `repair_json`, if overridden, reads a reply that is not JSON (core 9).

        Its value is final: the same reply is not repaired a second time (core 4). Each leaf of the value must occur in
        the reply or in the `known` values (core 18). Raises SupervisorError, LLMError.
        """
        if reply.is_truncated or not overrides(self, Supervisor, "repair_json") or is_json(reply.text):
            return self._recovered(reply, check)
        first, source = len(self.actions), KnownValues([reply.text, *known()])

        def check_value(value: Json) -> list[ValidationProblem]:
            if not isinstance(value, dict) or json_problems(value):
                return [ValidationProblem("$", "must be a JSON object")]
            invented = [leaf for leaf in iterate_leaves(value) if not source.contains(leaf)]
            problems = [ValidationProblem("$", f"{leaf!r} does not occur in the reply") for leaf in invented]
            return problems or problems_of(cast(JsonObject, value))

        value = self._repaired(None, lambda: self.repair_json(reply.text, check.schema), check_value)
        if not self.actions_since(first):
            self._record("json_repair", {"text": reply.text}, 1, repaired_output=value, stages=["repair_json"])
        return RecoveredValue(value, ("repair_json",))

    def _repaired(
        self,
        faulty: _FaultyReply | None,
        repair: Callable[[], JsonObject],
        check: Callable[[Json], list[ValidationProblem]],
    ) -> JsonObject:
        """Repairs a reply with a published method; an override in a subclass has the same limits (core 10).

        Raises SupervisorError, LLMError.
        """
        _FAULTY_REPLY.set(faulty)
        try:
            repaired = repair()
        except (SupervisorError, LLMError):
            raise
        except Exception as error:  # a subclass is external code
            raise SupervisorError(f"The supervisor failed: {exception_message(error)}") from error
        finally:
            _FAULTY_REPLY.set(None)
        if problems := check(repaired):
            listed = "; ".join(str(problem) for problem in problems[:5])
            raise SupervisorError(f"The supervisor's repair is not valid: {listed}.")
        return repaired

    def _plan_in(
        self, parsed: Json, before: JsonObject, tools: Sequence[str], request: str
    ) -> tuple[JsonObject | None, list[ValidationProblem]]:
        """The plan in `parsed`, with standard or common alternative keys, and its problems.

        None without a plan. Raises SupervisorError if a part cannot be read: no repair may invent it (FR-032).
        """
        own = with_goal(as_object(parsed), request)
        if own is not None and not model_plan_problems(own):
            return own, []
        plan = with_goal(as_object(normalize_plan_keys(parsed, tools)), request)
        if plan is None:
            return None, model_plan_problems(parsed)
        if unreadable := unreadable_parts(plan):
            refusal = SupervisorError(
                f"The plan cannot be read: {'; '.join(str(problem) for problem in unreadable[:5])}.",
                problems=[str(problem) for problem in unreadable[:20]],
            )
            self._record("plan_repair", before, 1, error=refusal.as_dict())
            raise refusal
        if own is None or canonical_json(own) != canonical_json(plan):
            self._record("plan_repair", before, 1, repaired_output=plan, stages=["own_keys"])
        return plan, model_plan_problems(plan)

    def _with_known_fields(self, plan: JsonObject, tools: Sequence[JsonObject]) -> JsonObject:
        corrected = correct_field_references(plan, tools)
        if corrected is not plan:
            self._record("plan_repair", plan, 1, repaired_output=corrected, stages=["only_field"])
        return corrected

    def _recovered(self, reply: LLMResponse, check: CompiledSchema) -> RecoveredValue | RecoveryFailure:
        """Reads a reply with the deterministic ladder and records its repairs (core 9, core 10)."""
        read = read_reply(reply, check)
        if isinstance(read, RecoveryFailure):
            return read
        if not is_object(read.value):
            return RecoveryFailure((ValidationProblem("$", "must be an object"),), None, is_truncated=False)
        if read.stages:
            before = {"text": reply.text}
            self._record("json_repair", before, 1, repaired_output=read.value, stages=list(read.stages))
        return read

    def _repair(self, task: RepairTask, max_attempts: int) -> JsonObject:
        problems = task.problems
        for attempt in range(1, min(max_attempts, MAX_ATTEMPTS) + 1):
            reply = self._ask_model(task, problems, attempt)
            value, problems = proposal(reply, task)
            if value is not None:
                return self._finished(task, value, attempt, reply)
            error: JsonObject = {"type": "SupervisorError", "problems": [str(problem) for problem in problems[:20]]}
            self._record(task.action_type, task.before, attempt, error=error, model_output=reply.as_dict())
        raise SupervisorError(
            f"The {task.action_type.replace('_', ' ')} failed within its limits: "
            f"{'; '.join(str(problem) for problem in problems[:5])}.",
            attempts=min(max_attempts, MAX_ATTEMPTS),
            problems=[str(problem) for problem in problems[:20]],
        )

    def _ask_model(self, task: RepairTask, problems: Sequence[ValidationProblem], attempt: int) -> LLMResponse:
        request = LLMRequest(task.prompt(problems), self._system_prompt, _MAX_TOKENS, 0.0, task.schema)
        try:
            return call_model(self._llm, request)
        except LLMError as error:
            failure = error.as_dict()
            self._record(task.action_type, task.before, attempt, error=failure, model_output={"error": failure})
            raise

    def _finished(self, task: RepairTask, value: JsonObject, attempt: int, reply: LLMResponse) -> JsonObject:
        try:
            repaired = task.finish(value)
        except SupervisorError as refusal:
            failure = refusal.as_dict()
            self._record(task.action_type, task.before, attempt, error=failure, model_output=reply.as_dict())
            raise
        self._record(task.action_type, task.before, attempt, repaired_output=repaired, model_output=reply.as_dict())
        return repaired

    def _record(self, action_type: ActionType, before: JsonObject, attempt: int, **outcome: Json) -> None:
        action = SupervisorAction(
            action_type=action_type,
            original_output=before,
            attempt_number=attempt,
            timestamp=self._clock.now(),
            **outcome,
        )
        self._action_runs[id(action)] = _RUN.get()
        self.actions.append(action)
