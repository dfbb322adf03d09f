"""The port between replanning and planners: the planning task, the planner, its error."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from aeon.base.errors import AeonError
from aeon.base.next_steps import NextStep
from aeon.skills.models import SkillCatalog
from aeon.skills.plan_json import PlanJson, PlanMetadata, ToolInvocation, ToolResult


class PlanningError(AeonError):
    """No plan could be made for the request."""

    next_step = NextStep("skills.reword")


@dataclass(frozen=True, slots=True)
class PlanningTask:
    """A request to plan.

    `catalog` has the skills, disabled ones marked; `lessons` are the earlier failures.
    """

    request: str
    catalog: SkillCatalog
    attempt: int = 1
    parent_plan_id: str | None = None
    reusable_nodes: Sequence[ToolInvocation] = ()
    """Finished nodes: they come first in the new plan and do not run again (skills 4)."""
    finished: Mapping[str, ToolResult] = field(default_factory=dict[str, ToolResult])
    """Their results, by toolId."""
    lessons: Sequence[str] = ()

    def plan(self, nodes: Sequence[ToolInvocation], narrative: str | None = None) -> PlanJson:
        """Returns the plan of the reusable nodes followed by `nodes`, with its attempt number."""
        return PlanJson(
            narrative=narrative,
            tools=[*self.reusable_nodes, *nodes],
            disabled_skills=sorted(skill.name for skill in self.catalog.skills if not skill.enabled),
            metadata=PlanMetadata(generation_attempt=self.attempt, parent_plan_id=self.parent_plan_id),
        )


class Planner(Protocol):
    """Makes plans. Every plan is checked before it runs."""

    def plan(self, task: PlanningTask) -> PlanJson:
        """Returns a plan for the task.

        Raises PlanningError if it finds none, LLMError if its model does not answer.
        """
        ...
