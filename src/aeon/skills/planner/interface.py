"""What a planner is asked and what it may answer: the port between replanning and whoever makes plans."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from aeon.base.errors import AeonError
from aeon.skills.models import SkillCatalog
from aeon.skills.plan_json import PlanJson, PlanMetadata, ToolInvocation, ToolResult


class PlanningError(AeonError):
    """No plan could be made for the request."""

    next_step = "Say it in other words, or see `aeon skills list` for what there is."


@dataclass(frozen=True, slots=True)
class PlanningTask:
    """A request to plan. `catalog` holds what may be used, disabled skills marked; `lessons` say what failed before."""

    request: str
    catalog: SkillCatalog
    attempt: int = 1
    parent_plan_id: str | None = None
    reusable_nodes: Sequence[ToolInvocation] = ()
    """Nodes that are over: they stand first in the new plan and are not run again (skills 4)."""
    finished: Mapping[str, ToolResult] = field(default_factory=dict[str, ToolResult])
    """Their results, by toolId."""
    lessons: Sequence[str] = ()

    def plan(self, nodes: Sequence[ToolInvocation], narrative: str | None = None) -> PlanJson:
        """The plan of the kept nodes and these, with its place in the series of attempts."""
        return PlanJson(
            narrative=narrative,
            tools=[*self.reusable_nodes, *nodes],
            disabled_skills=sorted(skill.name for skill in self.catalog.skills if not skill.enabled),
            metadata=PlanMetadata(generation_attempt=self.attempt, parent_plan_id=self.parent_plan_id),
        )


class Planner(Protocol):
    """Makes plans. What it returns is checked before anything runs."""

    def plan(self, task: PlanningTask) -> PlanJson:
        """A plan for the task. Raises PlanningError when it finds none, LLMError when its model does not answer."""
        ...
