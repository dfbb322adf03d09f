"""Checks the fields of alerts. Pure."""

from collections.abc import Iterator

from aeon.base.json import Json
from aeon.platform.alerts.model import Alert
from aeon.platform.errors import RuleError
from aeon.platform.processes.checks.problems import DefinitionProblem
from aeon.platform.processes.model import ProcessDefinition
from aeon.platform.processes.typed_inputs import complete_inputs, input_problems, inputs_step


def check_alert(alert: Alert, process: ProcessDefinition) -> None:
    """Raise RuleError with every problem of an alert that starts this Process, by their published names."""
    problems = [*_problems(alert, process)]
    if problems:
        is_about_inputs = all(each.path == "$.inputs" for each in problems)
        raise RuleError(
            f"The alert is not valid: {'; '.join(map(str, problems))}.",
            rule=problems[0].rule,
            field=problems[0].path,
            next_step=inputs_step(process) if is_about_inputs else "Correct it and save it again.",
            problems=list[Json](problem._asdict() for problem in problems),
        )


def _problems(alert: Alert, process: ProcessDefinition) -> Iterator[DefinitionProblem]:
    inputs = complete_inputs(process, alert.run_inputs(list(process.input_names)))
    for problem in input_problems(process, inputs):
        yield DefinitionProblem("$.inputs", "inputs_match", problem)
