"""`Supervisor`: reads model output, repairs it within limits, records every repair (core 2, 9, 10; FR-028 to 033)."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Dict, List, Optional, cast  # noqa: UP035  # the published signatures

from aeon.base.clock import Clock, SystemClock
from aeon.base.errors import LLMError, SupervisorError, exception_message
from aeon.base.introspection import overrides
from aeon.base.json import Json, JsonObject, canonical_json, json_problems, parse_strict
from aeon.base.json_schema import CompiledSchema, ValidationProblem, compile_schema, schema_problem
from aeon.llm.interface import LLMAdapter, LLMRequest, LLMResponse, call_model
from aeon.observability.records import ActionType, SupervisorAction
from aeon.plan.models import Plan
from aeon.plan.parser import plan_problems
from aeon.supervisor.limits import call_violations, plan_violations, step_violations
from aeon.supervisor.plan_normalization import (
    correct_field_references,
    drop_unusable_arguments,
    normalize_plan_keys,
    unreadable_parts,
)
from aeon.supervisor.prompts import REPAIR_SYSTEM_PROMPT, repair_prompt, tool_choice_prompt
from aeon.supervisor.repair_context import KnownValues, RepairContext, iterate_leaves
from aeon.validation.output_schemas import MAX_PLAN_STEPS, call_schema, plan_schema, tool_choice_schema
from aeon.validation.recovery import RecoveredValue, RecoveryFailure, recover
from aeon.validation.schema import argument_problems, call_problems

MAX_ATTEMPTS = 2
"""Model calls that one faulty output is worth (FR-050, core 4)."""

_MAX_TOKENS = 1024


@dataclass(frozen=True, slots=True)
class _RepairTask:
    """One faulty output: what it was, how to ask for its repair, and what a repair must pass."""

    action_type: ActionType
    before: JsonObject
    problems: Sequence[ValidationProblem]
    prompt: Callable[[Sequence[ValidationProblem]], str]
    schema: JsonObject | None
    """What decoding is constrained to."""
    faults: Callable[[JsonObject], list[ValidationProblem]]
    """What is wrong with a proposed repair: its form, and the limits it breaks."""
    finish: Callable[[JsonObject], JsonObject] = lambda value: value
    """Makes the repaired output of an accepted proposal; raises SupervisorError when it says that there is none."""


@dataclass(frozen=True, slots=True)
class _FaultyReply:
    """What is known of a reply beyond the published arguments of the repair that it needs.

    `original` is what is recorded, `shown` what the model is shown; `is_unread` says that nothing in it could be read.
    """

    original: JsonObject
    shown: str
    problems: Sequence[ValidationProblem]
    tools: Sequence[JsonObject] | None = None
    request: str = ""
    given: RepairContext = field(default_factory=RepairContext)
    is_unread: bool = False


_FAULTY_REPLY: ContextVar[_FaultyReply | None] = ContextVar("reading", default=None)
"""What is being read, for the repair that it leads to."""

_RUN: ContextVar[object] = ContextVar("run", default=None)
"""The run that is under way; each thread has its own, and a run within a run another."""


class Supervisor:
    """Repairs malformed output by the model of the run, under a reduced prompt, at most twice an output.

    `actions` holds every repair ever tried here, deterministic ones too; it is only appended to. Several runs
    may share a supervisor, also at the same time.
    """

    def __init__(
        self, llm_adapter: LLMAdapter, system_prompt: str = REPAIR_SYSTEM_PROMPT, *, clock: Clock | None = None
    ) -> None:
        self.actions: list[SupervisorAction] = []
        self._llm = llm_adapter
        self._system_prompt = system_prompt
        self._clock = clock or SystemClock()
        self._action_runs: dict[int, object] = {}
        """The runs that actions were recorded in, by the actions' ids."""

    @contextmanager
    def run_scope(self) -> Generator[None]:
        """What is recorded within belongs to a run of its own."""
        token = _RUN.set(object())
        try:
            yield
        finally:
            _RUN.reset(token)

    def actions_since(self, first: int) -> list[SupervisorAction]:
        """The actions after the first so many, but for those of other runs."""
        run = _RUN.get()
        return [action for action in self.actions[first:] if self._action_runs.get(id(action), run) is run]

    def repair_json(
        self,
        malformed_json: str,
        expected_schema: Optional[Dict[str, Any]] = None,  # noqa: UP006, UP045
        max_attempts: int = MAX_ATTEMPTS,
    ) -> Dict[str, Any]:  # noqa: UP006
        """The object that `malformed_json` stands for (FR-029).

        Raises SupervisorError when it cannot be repaired, and for a schema that no object fits or that is none.
        """
        schema = _object_schema(expected_schema or {})
        read = self._recovered(LLMResponse(malformed_json), compile_schema(schema))
        if isinstance(read, RecoveredValue):
            return cast(JsonObject, read.value)
        return self._repair(
            _RepairTask(
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
        """`{"tool", "arguments"}` with arguments that fit `tool_schema`; a valid call comes back as it is.

        The tool and every valid argument stay; a missing value must stand in the call or in `context` (core 18).
        Raises SupervisorError when that is not possible (FR-030).
        """
        _require_object(malformed_call)
        reading = _FAULTY_REPLY.get()
        _FAULTY_REPLY.set(None)
        if reading is None:
            problems = call_problems(malformed_call, compile_schema(tool_schema))
            if not problems:
                return malformed_call
            reading = _FaultyReply(
                malformed_call, canonical_json(malformed_call), problems, given=RepairContext(context)
            )
        task = _call_task(malformed_call, reading.shown, reading.problems, tool_schema, reading.given)
        return self._repair(replace(task, before=reading.original), max_attempts)

    def repair_plan(
        self,
        malformed_plan: Dict[str, Any],  # noqa: UP006
        max_attempts: int = MAX_ATTEMPTS,
        *,
        available_tools: Sequence[JsonObject] | None = None,
        request: str = "",
    ) -> Dict[str, Any]:  # noqa: UP006
        """A plan that can start; a valid one comes back as it is. Goal and readable steps stay (core 10).

        It names `available_tools` only; where those are not said, only tools that the malformed plan names.
        Raises SupervisorError when that is not possible (FR-031).
        """
        _require_object(malformed_plan)
        reading = _FAULTY_REPLY.get()
        _FAULTY_REPLY.set(None)
        before: JsonObject | None = malformed_plan
        if reading is None:
            if not _made_plan_problems(malformed_plan):
                return malformed_plan
            names = _tool_names(malformed_plan, available_tools)
            before, problems = self._plan_in(malformed_plan, malformed_plan, names, request)
            if before is not None and not problems:
                return before
            shown = canonical_json(malformed_plan)
            reading = _FaultyReply(before or malformed_plan, shown, problems, available_tools, request)
        elif reading.is_unread:
            before = None
        task = _plan_task(before, reading.shown, reading.problems, reading.tools, reading.request)
        return self._repair(replace(task, before=reading.original), max_attempts)

    def repair_missing_tool_step(
        self,
        step: Dict[str, Any],  # noqa: UP006
        available_tools: List[Dict[str, Any]],  # noqa: UP006
        plan_goal: str,
        max_attempts: int = MAX_ATTEMPTS,
    ) -> Dict[str, Any]:  # noqa: UP006
        """The same step with a registered tool and its errors cleared (core 2).

        A name that differs from one registered name in case or punctuation only is corrected without the model.
        Raises SupervisorError when no tool is found; the step is then run by the model (core 1).
        """
        names = [str(tool["name"]) for tool in available_tools]
        meant = _same_name(step.get("tool"), names)
        if meant is not None:
            repaired = _with_tool(step, meant)
            self._record("missing_tool_repair", step, 1, repaired_output=repaired, stages=["same_name"])
            return repaired
        if not names:
            raise SupervisorError("No tool is registered, so none can be found for the step.")
        errors = [ValidationProblem("$", str(error)) for error in step.get("errors", [])]
        task = _RepairTask(
            "missing_tool_repair",
            step,
            errors,
            lambda problems: tool_choice_prompt(step, available_tools, plan_goal, problems),
            tool_choice_schema(names),
            lambda choice: _choice_problems(step, choice, names),
            lambda choice: _with_tool(step, _chosen(choice)),
        )
        return self._repair(task, max_attempts)

    def read_plan(self, reply: LLMResponse, tools: Sequence[JsonObject], request: str) -> JsonObject:
        """The plan in a planner's reply, recovered or repaired. Raises SupervisorError, LLMError."""
        read = self._read_reply(
            reply,
            compile_schema(_plan_form()),
            [request, [tool["name"] for tool in tools]],
            lambda value: _made_plan_problems(_with_goal(value, request)),
        )
        found = read.value if isinstance(read, RecoveredValue) else read.parsed_value
        value, problems = self._plan_in(found, {"text": reply.text}, _tool_names(None, tools), request)
        if value is None and isinstance(read, RecoveryFailure):
            problems = list(read.problems)
        usable = drop_unusable_arguments(value, problems) if value is not None and problems else None
        if usable is not None:
            self._record("plan_repair", cast(JsonObject, value), 1, repaired_output=usable, stages=["no_arguments"])
            value = usable
        elif value is None or problems:
            original, is_unread = value or {"text": reply.text}, value is None
            reading = _FaultyReply(original, _shown(reply), problems, tools, request, is_unread=is_unread)
            readable = value or {"goal": request}
            kept, names = value, _tool_names(None, tools)
            value = self._repaired(
                reading,
                lambda: self.repair_plan(readable),
                lambda repaired: _made_plan_problems(repaired) or plan_violations(kept, repaired, names),
            )
        return self._with_known_fields(value, tools)

    def read_call(
        self, reply: LLMResponse, tool: JsonObject, check: CompiledSchema, given: RepairContext
    ) -> JsonObject:
        """The call of `tool` in a thought's reply, recovered or repaired from what was `given`.

        Raises SupervisorError, LLMError.
        """
        name: str = tool["name"]
        read = self._read_reply(
            reply, _call_form(), [name, *given.values()], lambda value: _call_faults(value, name, check)
        )
        value = _readable(read)
        problems = call_problems(value, check) if isinstance(read, RecoveredValue) else list(read.problems)
        if value is not None and isinstance(value.get("tool"), str) and value["tool"] != name:
            problems.append(ValidationProblem("$.tool", f"this step calls {name!r}"))
        if not problems:
            return cast(JsonObject, value)
        before = {**(value or {}), "tool": name}
        wrong = _wrong_arguments(before, check)
        reading = _FaultyReply(value or {"text": reply.text}, _shown(reply), problems, given=given)
        return self._repaired(
            reading,
            lambda: self.repair_tool_call(before, tool["input_schema"]),
            lambda repaired: (
                _call_faults(repaired, name, check) or call_violations(before, repaired, wrong, given.values())
            ),
        )

    def _read_reply(
        self,
        reply: LLMResponse,
        check: CompiledSchema,
        known: Sequence[Json],
        faults_of: Callable[[JsonObject], list[ValidationProblem]],
    ) -> RecoveredValue | RecoveryFailure:
        """The value in a reply. A `repair_json` that a subclass overrides reads a reply that is not JSON (core 9).

        Its value is final: the same reply is not repaired a second time (core 4). Each leaf of the value must stand in
        the reply or in what is `known` (core 18). Raises SupervisorError, LLMError.
        """
        if reply.is_truncated or _is_json(reply.text) or not overrides(self, Supervisor, "repair_json"):
            return self._recovered(reply, check)
        first, source = len(self.actions), KnownValues([reply.text, *known])

        def wrong(made: Json) -> list[ValidationProblem]:
            if not isinstance(made, dict) or json_problems(made):
                return [ValidationProblem("$", "must be a JSON object")]
            invented = [leaf for leaf in iterate_leaves(made) if not source.contains(leaf)]
            return [ValidationProblem("$", f"{leaf!r} does not stand in the reply") for leaf in invented] or faults_of(
                cast(JsonObject, made)
            )

        value = self._repaired(None, lambda: self.repair_json(reply.text, check.schema), wrong)
        if not self.actions_since(first):
            self._record("json_repair", {"text": reply.text}, 1, repaired_output=value, stages=["repair_json"])
        return RecoveredValue(value, ("repair_json",))

    def _repaired(
        self,
        reading: _FaultyReply | None,
        repair: Callable[[], JsonObject],
        faults_of: Callable[[Json], list[ValidationProblem]],
    ) -> JsonObject:
        """What a published repair makes of a reply; a subclass's own is held to the same limits (core 10).

        Raises SupervisorError, LLMError.
        """
        _FAULTY_REPLY.set(reading)
        try:
            repaired = repair()
        except (SupervisorError, LLMError):
            raise
        except Exception as error:  # a subclass is other people's code
            raise SupervisorError(f"The supervisor failed: {exception_message(error)}") from error
        finally:
            _FAULTY_REPLY.set(None)
        if problems := faults_of(repaired):
            listed = "; ".join(str(problem) for problem in problems[:5])
            raise SupervisorError(f"The supervisor's repair is not valid: {listed}.")
        return repaired

    def _plan_in(
        self, found: Json, before: JsonObject, tools: Sequence[str], request: str
    ) -> tuple[JsonObject | None, list[ValidationProblem]]:
        """The plan that `found` holds, under its own keys or usual other ones, and what is wrong with it.

        None when it holds none. Raises SupervisorError where a part cannot be read: no repair may make it up (FR-032).
        """
        own = _with_goal(_object(found), request)
        if own is not None and not _made_plan_problems(own):
            return own, []
        plan = _with_goal(_object(normalize_plan_keys(found, tools)), request)
        if plan is None:
            return None, _made_plan_problems(found)
        if lost := unreadable_parts(plan):
            refusal = SupervisorError(
                f"The plan cannot be read: {'; '.join(str(problem) for problem in lost[:5])}.",
                problems=[str(problem) for problem in lost[:20]],
            )
            self._record("plan_repair", before, 1, error=refusal.as_dict())
            raise refusal
        if own is None or canonical_json(own) != canonical_json(plan):
            self._record("plan_repair", before, 1, repaired_output=plan, stages=["own_keys"])
        return plan, _made_plan_problems(plan)

    def _with_known_fields(self, plan: JsonObject, tools: Sequence[JsonObject]) -> JsonObject:
        corrected = correct_field_references(plan, tools)
        if corrected is not plan:
            self._record("plan_repair", plan, 1, repaired_output=corrected, stages=["only_field"])
        return corrected

    def _recovered(self, reply: LLMResponse, check: CompiledSchema) -> RecoveredValue | RecoveryFailure:
        """What the deterministic ladder makes of a reply; a repair on it is recorded (core 9, core 10)."""
        read = _read(reply, check)
        if isinstance(read, RecoveryFailure):
            return read
        if not _is_object(read.value):
            return RecoveryFailure((ValidationProblem("$", "must be an object"),), None, is_truncated=False)
        if read.stages:
            before = {"text": reply.text}
            self._record("json_repair", before, 1, repaired_output=read.value, stages=list(read.stages))
        return read

    def _repair(self, task: _RepairTask, max_attempts: int) -> JsonObject:
        problems = task.problems
        for attempt in range(1, min(max_attempts, MAX_ATTEMPTS) + 1):
            reply = self._ask_model(task, problems, attempt)
            value, problems = _proposal(reply, task)
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

    def _ask_model(self, task: _RepairTask, problems: Sequence[ValidationProblem], attempt: int) -> LLMResponse:
        request = LLMRequest(task.prompt(problems), self._system_prompt, _MAX_TOKENS, 0.0, task.schema)
        try:
            return call_model(self._llm, request)
        except LLMError as error:
            failure = error.as_dict()
            self._record(task.action_type, task.before, attempt, error=failure, model_output={"error": failure})
            raise

    def _finished(self, task: _RepairTask, value: JsonObject, attempt: int, reply: LLMResponse) -> JsonObject:
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


@cache
def _plan_form() -> JsonObject:
    """The form of a plan that a model makes; made when the first is read, since it takes 15 ms."""
    return {**Plan.model_json_schema(), "required": ["steps"]}


@cache
def _call_form() -> CompiledSchema:
    return CompiledSchema(
        {
            "type": "object",
            "properties": {"tool": {"type": "string"}, "arguments": {"type": "object"}},
            "required": ["tool", "arguments"],
        }
    )


def _plan_task(
    before: JsonObject | None,
    shown: str,
    problems: Sequence[ValidationProblem],
    tools: Sequence[JsonObject] | None,
    request: str,
) -> _RepairTask:
    schema = plan_schema(tools) if tools else _plan_form()
    names = _tool_names(before, tools)

    def faults(value: JsonObject) -> list[ValidationProblem]:
        whole = _with_goal(value, request) or value
        return _made_plan_problems(whole) or plan_violations(before, whole, names)

    return _RepairTask(
        "plan_repair",
        {"text": shown} if before is None else before,
        problems,
        lambda found: repair_prompt(shown, found, schema, f"Request: {request}" if request else ""),
        schema,
        faults,
        lambda value: _with_goal(value, request) or value,
    )


def _tool_names(plan: JsonObject | None, tools: Sequence[JsonObject] | None) -> list[str]:
    """The names that a repaired plan may use: those of `tools`, or, where they are not said, those in the plan."""
    return _tools_named(plan) if tools is None else [str(tool["name"]) for tool in tools]


def _tools_named(plan: JsonObject | None) -> list[str]:
    listed = (plan or {}).get("steps")
    steps = cast(list[Json], listed) if isinstance(listed, list) else []
    named = (cast(JsonObject, step).get("tool") for step in steps if isinstance(step, dict))
    return [tool for tool in named if isinstance(tool, str)]


def _with_goal(plan: JsonObject | None, request: str) -> JsonObject | None:
    """The plan with its goal: the request, where the planner did not say another."""
    return plan if plan is None or not request else {"goal": request, **plan}


def _call_task(
    before: JsonObject, shown: str, problems: Sequence[ValidationProblem], tool_schema: JsonObject, given: RepairContext
) -> _RepairTask:
    check = compile_schema(tool_schema)
    wrong = _wrong_arguments(before, check)

    def faults(value: JsonObject) -> list[ValidationProblem]:
        return call_problems(value, check) or call_violations(before, value, wrong, given.values())

    schema = call_schema({"name": "", "input_schema": tool_schema})
    schema["properties"]["tool"] = _named(before)
    return _RepairTask(
        "tool_call_repair",
        before,
        problems,
        lambda found: repair_prompt(shown, found, schema, given.as_prompt()),
        schema,
        faults,
    )


def _is_object(value: Json) -> bool:
    return isinstance(value, dict)


def _object_schema(expected: JsonObject) -> JsonObject:
    """`expected`, for an object. Raises SupervisorError where it says that no object fits, or is no schema."""
    schema: JsonObject = {"type": "object", **expected}
    wrong = next(iter(json_problems(schema)), None) or schema_problem(schema)
    if wrong:
        raise SupervisorError(f"The expected schema is no valid JSON Schema: {wrong}.")
    kinds = cast("list[Json]", schema["type"] if isinstance(schema["type"], list) else [schema["type"]])
    if "object" not in kinds:
        raise SupervisorError(
            f"repair_json gives an object, and the expected schema asks for {canonical_json(schema['type'])}.",
            next_step='Ask for an object that holds it: {"properties": {"items": ...}, "required": ["items"]}.',
        )
    return schema


def _call_faults(call: Json, name: str, check: CompiledSchema) -> list[ValidationProblem]:
    """What keeps `call` from being a call of the tool `name`."""
    problems = call_problems(call, check)
    return problems if problems or call["tool"] == name else [ValidationProblem("$.tool", f"this step calls {name!r}")]


def _require_object(value: Json) -> None:
    wrong = json_problems(value) if isinstance(value, dict) else [f"this is {type(value).__name__}"]
    if wrong:
        raise SupervisorError(
            f"Only a JSON object can be repaired here: {'; '.join(wrong[:5])}.",
            next_step="Give text to repair_json() first.",
        )


def _named(before: JsonObject) -> JsonObject:
    return {"const": before["tool"]} if isinstance(before.get("tool"), str) else {"type": "string"}


def _wrong_arguments(call: JsonObject, check: CompiledSchema) -> set[str]:
    """The arguments of a call that are not valid by themselves: a wrong value, or no argument of the tool at all."""
    arguments = call.get("arguments")
    if not isinstance(arguments, dict):
        return set()
    named = cast(JsonObject, arguments)
    found = argument_problems(named, check)
    return {name for name in named for problem in found if _is_about(problem, name)}


def _is_about(problem: ValidationProblem, name: str) -> bool:
    path = f"$.arguments.{name}"
    if problem.path == path or problem.path.startswith((f"{path}.", f"{path}[")):
        return True
    return problem.path == "$.arguments" and f"'{name}'" in problem.message and "unexpected" in problem.message


def _read(reply: LLMResponse, check: CompiledSchema) -> RecoveredValue | RecoveryFailure:
    """The deterministic ladder on a reply (core 9). Only a model that says it stopped may have forgotten a bracket."""
    return recover(reply.text, check, is_truncated=reply.is_truncated, has_stopped=reply.finish_reason == "stop")


def _is_json(text: str) -> bool:
    try:
        parse_strict(text)
    except (ValueError, RecursionError):
        return False
    return True


def _proposal(reply: LLMResponse, task: _RepairTask) -> tuple[JsonObject | None, list[ValidationProblem]]:
    read = _read(reply, compile_schema({"type": "object"}))
    if isinstance(read, RecoveryFailure):
        return None, list(read.problems)
    value = cast(JsonObject, read.value)
    faults = task.faults(value)
    return (None, faults) if faults else (value, [])


def _made_plan_problems(value: Json) -> list[ValidationProblem]:
    """What is wrong with a plan that a model made: as any plan, and not of absurd length."""
    problems = plan_problems(value)
    steps = cast(JsonObject, value).get("steps") if isinstance(value, dict) else None
    if isinstance(steps, list) and len(cast(list[Json], steps)) > MAX_PLAN_STEPS:
        problems.append(ValidationProblem("$.steps", f"has more than {MAX_PLAN_STEPS} steps"))
    return problems


def _choice_problems(step: JsonObject, choice: JsonObject, names: Sequence[str]) -> list[ValidationProblem]:
    if "tool" not in choice or choice["tool"] not in (*names, None):
        return [
            ValidationProblem("$.tool", f"{choice.get('tool')!r} is not registered; registered are: {', '.join(names)}")
        ]
    return step_violations(step, choice)


def _chosen(choice: JsonObject) -> str:
    if choice["tool"] is None:
        raise SupervisorError("The model finds that no registered tool carries out the step.")
    return choice["tool"]


def _with_tool(step: JsonObject, tool: str) -> JsonObject:
    return {**step, "tool": tool, "errors": []}


def _same_name(name: Json, names: Sequence[str]) -> str | None:
    """The one registered name that `name` is, but for case and punctuation."""
    if not isinstance(name, str):
        return None
    meant = [known for known in names if _letters(known) == _letters(name)]
    return meant[0] if len(meant) == 1 else None


def _letters(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())


def _readable(read: RecoveredValue | RecoveryFailure) -> JsonObject | None:
    return _object(read.value if isinstance(read, RecoveredValue) else read.parsed_value)


def _object(value: Json) -> JsonObject | None:
    return cast(JsonObject, value) if isinstance(value, dict) else None


def _shown(reply: LLMResponse) -> str:
    """The faulty output as a repair may see it: of a text that was cut off nothing, so that nothing is completed."""
    return "(cut off by the token limit; write it again, shorter)" if reply.is_truncated else reply.text
