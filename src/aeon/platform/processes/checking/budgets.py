"""Token budgets: those of the steps fit into the Process's, and leave something to share (platform 7)."""

from collections.abc import Iterator, Sequence

from aeon.platform.processes.checking.problems import DefinitionProblem
from aeon.platform.processes.checking.targets import ProcessTarget, ToolTarget
from aeon.platform.processes.definition import ProcessDefinition, ProcessStep


def check_budgets(
    definition: ProcessDefinition, called: Sequence[ToolTarget | ProcessTarget | None]
) -> Iterator[DefinitionProblem]:
    """Whether the budgets can be kept. `called` is what each step calls, None where that is not known (platform 7)."""
    whole = definition.token_budget
    if whole is None:
        return
    given = sum(step.output.token_budget or 0 for step in definition.steps)
    if given > whole:
        yield DefinitionProblem(
            "$.tokenBudget",
            "token_budgets_fit",
            f"the steps' token budgets add up to {given}, which is more than the Process's {whole}",
        )
        return
    sharing = [step.id for step, target in zip(definition.steps, called, strict=True) if _shares(step, target)]
    if whole - given < len(sharing):
        yield DefinitionProblem(
            "$.tokenBudget",
            "token_budget_to_share",
            f"the steps' token budgets leave {whole - given} of {whole} tokens to {len(sharing)} steps that have none "
            f"of their own and need tokens, {sharing[0]!r} the first of them",
        )


def _shares(step: ProcessStep, target: ToolTarget | ProcessTarget | None) -> bool:
    """Whether the step lives on what the others leave, and surely needs some of it."""
    return step.output.token_budget is None and isinstance(target, ToolTarget) and target.service_type == "llm_provider"
