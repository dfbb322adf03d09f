"""Plans with a language model, in two steps (skills 9).

It chooses skills by their descriptions, then plans with the chosen skills' prompts.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import cast

from aeon.base.errors import SupervisorError
from aeon.base.json import JsonObject, canonical_json
from aeon.base.json_schema import compile_schema
from aeon.base.next_steps import NextStep
from aeon.llm.interface import LLMAdapter, LLMRequest, LLMResponse, call_model
from aeon.observability.events import Observer, text_sink
from aeon.observability.skill_events import SkillsChosen
from aeon.skills.models import Skill, SkillCatalog, SkillScript
from aeon.skills.plan_json import PlanJson, ToolInvocation
from aeon.skills.planner.answer_schemas import choice_schema, nodes_schema
from aeon.skills.planner.interface import PlanningError, PlanningTask
from aeon.skills.planner.skill_index import SkillIndex, select_candidates
from aeon.supervisor.repair import Supervisor
from aeon.validation.output_schemas import describe_shape
from aeon.validation.recovery import RecoveredValue, recover

_MAX_RESULT_CHARS = 600
"""Maximum characters of a finished node's output in the planner's prompt."""

NO_SKILL = "none"
"""The model's choice if no skill is needed: small models never leave the list empty."""

CHOICE_SYSTEM = (
    "You choose the skills that a request needs: only those whose work it asks for, in the order of use, mostly one.\n"
    "Example. Skills: prices (looks up prices), mail (sends mail), maps (finds ways), none.\n"
    'Request: Look up the price of tin. Answer: {"skills": ["prices"]}\n'
    'Request: Look up the price of tin and mail it to Ann. Answer: {"skills": ["prices", "mail"]}\n'
    'Request: Draw a map of the way to the mill with a title. Answer: {"skills": ["maps"]}\n'
    'Request: Who wrote Hamlet? Answer: {"skills": ["none"]}\n'
    'Request: Good morning! Answer: {"skills": ["none"]}\n'
    "The skills:\n"
    "- none: for greetings, small talk and questions of general knowledge"
)

ANSWER_SYSTEM = "Answer the request briefly. When you cannot know or do something, say so. Invent nothing."

_NODES_SYSTEM = (
    'You turn a request into a plan: JSON with "scripts", which scripts to run, in order; "count", how many these are; '
    'and "tools", each of them with its input. '
    "A simple request is exactly ONE script; never use more than the request asks for.\n"
    "Each tool has a toolId, a toolPath, its input, and dependencies: the toolIds that must be over before it.\n"
    "A result of an earlier tool is never made up: write {tool.<toolId>.<path>} in its place.\n"
    "Example. Request: Look up the price of tin.\n"
    'Plan: {"scripts": ["prices/scripts/get.py"], "count": 1, "tools": '
    '[{"toolId": "t1", "toolPath": "prices/scripts/get.py", "input": {"metal": "tin"}}]}\n'
    "Example. Request: Look up the price of tin and mail it to Ann.\n"
    'Plan: {"scripts": ["prices/scripts/get.py", "mail/scripts/send.py"], "count": 2, "tools": '
    '[{"toolId": "t1", "toolPath": "prices/scripts/get.py", "input": {"metal": "tin"}}, '
    '{"toolId": "t2", "toolPath": "mail/scripts/send.py", "input": {"to": "Ann", "text": "Tin: {tool.t1.price.usd}"}, '
    '"dependencies": ["t1"]}]}\n'
    "Use only these scripts:"
)


def choice_prompt(task: PlanningTask) -> str:
    """Returns the prompt for the choice: the request, finished nodes and failures."""
    return f"{request_with_lessons(task)}\nAnswer:"


def nodes_system(chosen: Sequence[Skill], read_prompt: Callable[[Skill], str], budget: int) -> str:
    """Returns the chosen skills' prompts, then the instructions and scripts.

    `budget` is the maximum length of all prompts together, in characters. The most important part comes last: a small
    model forgets the format if a long prompt follows it.
    """
    scripts = "\n".join(script_line(script) for skill in chosen for script in skill.scripts)
    share = budget // max(1, len(chosen))
    prompts = [f"About {skill.name}:\n{_truncate(text, share)}" for skill in chosen if (text := read_prompt(skill))]
    return "\n\n".join([*prompts, f"{_NODES_SYSTEM}\n{scripts}"])


def nodes_prompt(task: PlanningTask) -> str:
    """Returns the prompt for the plan: the request, finished nodes and failures."""
    return f"{request_with_lessons(task)}\nPlan:"


def script_line(script: SkillScript) -> str:
    """Returns a script's description for the planner: its path, its input and its output."""
    gives = f", gives {describe_shape(script.output_schema)}" if script.output_schema else ""
    return f"- {script.tool_path}: {script.description} Takes {describe_shape(script.input_schema or {})}{gives}"


def request_with_lessons(task: PlanningTask) -> str:
    """Returns the request, the finished results, and the failures of earlier attempts."""
    lines = [f"Request: {task.request}"]
    if task.reusable_nodes:
        lines.append("Done already, do not repeat; its results can be used:")
        lines += [_finished_line(task, node.tool_id, node.tool_path) for node in task.reusable_nodes]
    if task.lessons:
        lines.append("What was tried and failed:")
        lines += [f"- {lesson}" for lesson in task.lessons]
    return "\n".join(lines)


def _finished_line(task: PlanningTask, tool_id: str, tool_path: str) -> str:
    result = task.finished.get(tool_id)
    gave = (
        canonical_json(result.output)[:_MAX_RESULT_CHARS] if result is not None and result.ok else "nothing, it failed"
    )
    return f"- {tool_id} {tool_path} gave {gave}"


def _truncate(text: str, most: int) -> str:
    """Returns the beginning of a prompt, up to the end of a line, with a remark if it was cut."""
    if len(text) <= most:
        return text
    return f"{text[:most].rpartition(chr(10))[0] or text[:most]}\n(the rest of it is left out)"


MAX_CANDIDATES = 12
"""Maximum number of skills in the prompt for the choice."""

PROMPT_BUDGET = 12_000
SMALL_PROMPT_BUDGET = 500
"""For local models: with longer prompts they omit half of the request, and need a minute to read them."""

_CHOICE_TOKENS = 128
_PLAN_TOKENS = 1500
_ANSWER_TOKENS = 512
_TEMPERATURE_STEP = 0.3
"""Increase of the temperature per attempt: with the same temperature a model repeats its answer."""

PromptReader = Callable[[Skill], str]
"""Returns the behavioural prompt of a skill, empty if it has none."""

InstructionAnswer = Callable[[Sequence[Skill], str], str]
"""Answers a request under the instructions of these skills (`InstructionFollower.follow`)."""


class ModelPlanner:
    """Plans with a language model, constrained by a schema.

    Its output is parsed and checked again.
    """

    def __init__(
        self,
        model: LLMAdapter,
        read_prompt: PromptReader,
        follow: InstructionAnswer,
        observer: Observer | None = None,
        prompt_budget: int = PROMPT_BUDGET,
    ) -> None:
        """`prompt_budget`: maximum characters of all chosen skills' prompts together."""
        self._model = model
        self._read_prompt = read_prompt
        self._follow = follow
        self._budget = prompt_budget
        self._observe = observer

    def plan(self, task: PlanningTask) -> PlanJson:
        """Chooses skills, then writes nodes: two calls, and at most two repairs of each (core 10).

        Raises PlanningError if no usable plan results, LLMError if the model does not answer.
        """
        usable = task.catalog.plannable()
        if not usable:
            raise PlanningError("No skill is available for planning.", next_step=NextStep("skills.list"))
        shown = select_candidates(_index(task.catalog), usable, task.request, MAX_CANDIDATES)
        chosen = self._choose(task, shown) if shown else []
        if self._observe is not None:
            self._observe(SkillsChosen([skill.name for skill in chosen], len(usable)))
        if not chosen and not task.reusable_nodes:
            return task.plan([], self._answer(task))
        if not chosen:
            raise PlanningError("None of the remaining skills fits the rest of the request.")
        if not any(skill.scripts for skill in chosen):
            return task.plan([], self._follow_instructions(task, chosen))
        return task.plan(self._nodes(task, chosen))

    def _choose(self, task: PlanningTask, shown: Sequence[Skill]) -> list[Skill]:
        by_name = {skill.name: skill for skill in shown}
        request = LLMRequest(
            choice_prompt(task),
            CHOICE_SYSTEM + "\n".join(_line(skill) for skill in shown),
            max_tokens=_CHOICE_TOKENS,
            temperature=_temperature(task),
            schema=choice_schema([*by_name, NO_SKILL]),
        )
        names = cast(list[str], self._object(request, "choice")["skills"])
        return [by_name[name] for name in dict.fromkeys(names) if name in by_name]

    def _nodes(self, task: PlanningTask, chosen: Sequence[Skill]) -> list[ToolInvocation]:
        scripts = [script for skill in chosen for script in skill.scripts]
        request = LLMRequest(
            nodes_prompt(task),
            nodes_system(chosen, self._read_prompt, self._budget),
            max_tokens=_PLAN_TOKENS,
            temperature=_temperature(task),
            schema=nodes_schema(scripts, [node.tool_id for node in task.reusable_nodes]),
        )
        nodes = cast(list[JsonObject], self._object(request, "plan")["tools"])
        return [ToolInvocation.model_validate(node) for node in nodes]

    def _answer(self, task: PlanningTask) -> str:
        """Returns the model's own answer to a request that needs no skill."""
        request = LLMRequest(
            request_with_lessons(task), ANSWER_SYSTEM, max_tokens=_ANSWER_TOKENS, temperature=_temperature(task)
        )
        text = self._ask(request, "answer").text.strip()
        if not text:
            raise PlanningError("The model neither chose a skill nor answered itself.")
        return text

    def _follow_instructions(self, task: PlanningTask, chosen: Sequence[Skill]) -> str:
        """Returns the answer under the instructions of skills without scripts (skills 14)."""
        text = self._follow(chosen, request_with_lessons(task).removeprefix("Request: "))
        if not text:
            raise PlanningError(f"The model gave no answer under the skill {chosen[0].name!r}.")
        return text

    def _ask(self, request: LLMRequest, purpose: str) -> LLMResponse:
        return call_model(self._model, request, text_sink(self._observe, purpose))

    def _object(self, request: LLMRequest, purpose: str) -> JsonObject:
        """The model's answer as an object that fits the request's schema."""
        reply = self._ask(request, purpose)
        schema = cast(JsonObject, request.schema)
        stopped = reply.finish_reason == "stop"
        read = recover(reply.text, compile_schema(schema), is_truncated=reply.is_truncated, has_stopped=stopped)
        if isinstance(read, RecoveredValue):
            return cast(JsonObject, read.value)
        if reply.is_truncated:
            raise PlanningError("The model's plan was cut off by the token limit; Aeon does not guess the rest.")
        try:
            return Supervisor(self._model).repair_json(reply.text, schema)
        except SupervisorError as error:
            raise PlanningError(f"The model's plan cannot be used: {error.message}") from error


@lru_cache(maxsize=4)
def _index(catalog: SkillCatalog) -> SkillIndex:
    return SkillIndex(catalog.plannable())


def _temperature(task: PlanningTask) -> float:
    return _TEMPERATURE_STEP * (task.attempt - 1)


def _line(skill: Skill) -> str:
    description = " ".join(skill.description.split())
    return f"\n- {skill.name}: {description}"
