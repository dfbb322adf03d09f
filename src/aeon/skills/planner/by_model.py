"""Planning by a language model: names and descriptions first, then prompts and scripts of the chosen (skills 9)."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import cast

from aeon.base.errors import SupervisorError
from aeon.base.json import JsonObject
from aeon.base.json_schema import compile_schema
from aeon.llm.interface import LLMAdapter, LLMRequest, LLMResponse, call_model
from aeon.observability.events import Observer, SkillsChosen, TextGenerated
from aeon.skills.models import Skill, SkillCatalog
from aeon.skills.plan_json import PlanJson, ToolInvocation
from aeon.skills.planner.prompts import (
    ANSWER_SYSTEM,
    CHOICE_SYSTEM,
    NO_SKILL,
    choice_prompt,
    nodes_prompt,
    nodes_system,
    request_with_lessons,
)
from aeon.skills.planner.retrieval import SkillIndex, select_candidates
from aeon.skills.planner.schema import choice_schema, nodes_schema
from aeon.skills.planner.task import PlanningError, PlanningTask
from aeon.supervisor.repair import Supervisor
from aeon.validation.recovery import RecoveredValue, recover

MAX_CANDIDATES = 12
"""Skills whose names and descriptions a model is shown at once."""

PROMPT_BUDGET = 12_000
SMALL_PROMPT_BUDGET = 500
"""For models that run here: longer prompts make them leave half of a request out, and take them a minute to read."""

_CHOICE_TOKENS = 128
_PLAN_TOKENS = 1500
_ANSWER_TOKENS = 512
_TEMPERATURE_STEP = 0.3
"""How much the temperature rises with each attempt: a model asked the same way again would answer the same."""

PromptReader = Callable[[Skill], str]
"""The behavioural prompt of a skill, empty for none."""


class ModelPlanner:
    """Plans by a language model whose decoding is constrained to what exists; its output is read and checked again."""

    def __init__(
        self,
        model: LLMAdapter,
        read_prompt: PromptReader,
        observer: Observer | None = None,
        prompt_budget: int = PROMPT_BUDGET,
    ) -> None:
        """`prompt_budget`: characters of the chosen skills' prompts that the model is shown, all together."""
        self._model = model
        self._read_prompt = read_prompt
        self._budget = prompt_budget
        self._observe = observer

    def plan(self, task: PlanningTask) -> PlanJson:
        """Choose skills, then write nodes: two calls, and at most two repairs of each (core 10).

        Raises PlanningError when nothing usable came, LLMError when the model does not answer.
        """
        usable = task.catalog.plannable()
        if not usable:
            raise PlanningError(
                "There is no skill to plan with.", next_step="See `aeon skills list` for the reasons, and add one."
            )
        shown = select_candidates(_index(task.catalog), usable, task.request, MAX_CANDIDATES)
        chosen = self._choose(task, shown) if shown else []
        if self._observe is not None:
            self._observe(SkillsChosen([skill.name for skill in chosen], len(usable)))
        if not chosen and not task.reusable_nodes:
            return task.plan([], self._answer(task))
        if not chosen:
            raise PlanningError("No skill that is left fits what remains to be done.")
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
        """What needs no skill is answered by the model itself."""
        request = LLMRequest(
            request_with_lessons(task), ANSWER_SYSTEM, max_tokens=_ANSWER_TOKENS, temperature=_temperature(task)
        )
        text = self._ask(request, "answer").text.strip()
        if not text:
            raise PlanningError("The model chose no skill and gave no answer of its own.")
        return text

    def _ask(self, request: LLMRequest, purpose: str) -> LLMResponse:
        observe = self._observe
        return call_model(
            self._model, request, None if observe is None else lambda text: observe(TextGenerated(purpose, text))
        )

    def _object(self, request: LLMRequest, purpose: str) -> JsonObject:
        """The model's answer as an object that fits the request's schema."""
        reply = self._ask(request, purpose)
        schema = cast(JsonObject, request.schema)
        stopped = reply.finish_reason == "stop"
        read = recover(reply.text, compile_schema(schema), is_truncated=reply.is_truncated, has_stopped=stopped)
        if isinstance(read, RecoveredValue):
            return cast(JsonObject, read.value)
        if reply.is_truncated:
            raise PlanningError("The model's plan was cut off by the token limit; it is not completed by guessing.")
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
