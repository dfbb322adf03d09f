"""Checks what reminds people of questions (platform 41)."""

from collections.abc import Iterator

from aeon.platform.processes.checks.problems import DefinitionProblem
from aeon.platform.processes.checks.targets import TargetLookup
from aeon.platform.processes.model import ProcessDefinition
from aeon.platform.processes.sections import paths_of
from aeon.platform.processes.step_control import REMINDER_INPUTS, QuestionRules
from aeon.platform.processes.text import join_names


def check_reminders(definition: ProcessDefinition, targets: TargetLookup) -> Iterator[DefinitionProblem]:
    """Yield every problem of the Processes that remind people of the steps' questions."""
    for path, step in zip(paths_of(definition), definition.all_steps, strict=True):
        if step.question is not None:
            yield from _problems(f"{path}.question.remind", step.question, targets)


def _problems(path: str, rules: QuestionRules, targets: TargetLookup) -> Iterator[DefinitionProblem]:
    if rules.remind is None:
        return
    if rules.assignee is None:
        yield DefinitionProblem(path, "reminds_somebody", "name an assignee: nobody else is reminded")
    target = targets.process(rules.remind.process)
    if target is None:
        message = f"there is no Process {rules.remind.process!r}, or you cannot see it"
        yield DefinitionProblem(f"{path}.process", "target_exists", message)
        return
    if not target.enabled:
        yield DefinitionProblem(f"{path}.process", "target_enabled", f"the Process {target.name!r} is disabled")
    needed = target.inputs if target.required is None else target.required
    if missing := [name for name in needed if name not in REMINDER_INPUTS]:
        message = f"{target.name!r} needs {join_names(missing)}, and a reminder gives {join_names(REMINDER_INPUTS)}"
        yield DefinitionProblem(f"{path}.process", "inputs_known", message)
