"""What is allowed in a definition and probably not meant."""

import re
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Final

from aeon.base.binding import STEP_PREFIX
from aeon.platform.processes.checks.fields import FIELD_DECLARED, find_misspelt_fields
from aeon.platform.processes.checks.problems import DefinitionProblem
from aeon.platform.processes.checks.targets import TargetLookup
from aeon.platform.processes.model import Compensation, ProcessDefinition, ProcessStep, StepExecution

_REFERENCE_IN_TEMPLATE: Final = "reference_in_template"
_FAILURE_CODE: Final = "failure_code"
_TIMEOUT_OF_OPERATION: Final = "timeout_of_operation"

WARNINGS: Final = frozenset({FIELD_DECLARED, _REFERENCE_IN_TEMPLATE, _FAILURE_CODE, _TIMEOUT_OF_OPERATION})
"""The rules of all warnings."""

_MUCH_OF_IT: Final = 0.9
"""The part of a step's timeout from which on that of its tool may be meant to give up a little earlier."""

_IN_BRACES = re.compile(r"(?<![\\{])\{(=?)\s*([A-Za-z_]\w*)([^{}]*)\}(?!\})")

_CODES: Final = (
    "cancelled",
    "defect",
    "depth",
    "empty",
    "inputs",
    "interrupted",
    "items",
    "labels",
    "not_recorded",
    "output",
    "stopped",
    "timed_out",
    "tokens",
    "worker",
)
"""The codes of failed attempts that are not names of errors."""

_ERRORS: Final = ("OperationError", "RuleError", "NotFoundError", "ConflictError", "StoreUnavailableError")
"""The errors with which most attempts fail; others have names of the same form."""


def find_warnings(
    definition: ProcessDefinition, targets: TargetLookup, *, process_id: str | None = None
) -> list[DefinitionProblem]:
    """Return the warnings for a definition that can be saved."""
    return [
        *find_misspelt_fields(definition, targets, process_id=process_id),
        *_references_in_template(definition),
        *_unknown_codes(definition),
        *_longer_timeouts(definition, targets),
    ]


def _references_in_template(definition: ProcessDefinition) -> Iterator[DefinitionProblem]:
    """References in the form of a step's inputs: a template prints them as they are."""
    names = {STEP_PREFIX, *definition.inputs, *definition.initial_context}
    for sign, root, rest in dict.fromkeys(_IN_BRACES.findall(definition.output_template)):
        if sign:
            advice = "compute it in a step's inputs"
        elif root in names:
            meant = f"{{{{{root}{rest}}}}}"
            advice = f"write {meant} for the value"
        else:
            continue
        written = f"{{{sign}{' ' * bool(sign)}{root}{rest}}}"
        message = f"{written} is printed as it is in a template; {advice}"
        yield DefinitionProblem("$.outputTemplate", _REFERENCE_IN_TEMPLATE, message)


def _unknown_codes(definition: ProcessDefinition) -> Iterator[DefinitionProblem]:
    for path, step in _steps(definition):
        for code in (step.retry and step.retry.on) or ():
            if problem := _code_problem(code):
                yield DefinitionProblem(f"{path}.retry.on", _FAILURE_CODE, problem)


def _steps(definition: ProcessDefinition) -> Iterator[tuple[str, ProcessStep]]:
    """Yield the steps of all sections, each with its path."""
    sections = (("steps", definition.steps), ("onFailure", definition.on_failure), ("finally", definition.finally_))
    for section, steps in sections:
        for place, step in enumerate(steps):
            yield f"$.{section}[{place}]", step


def _longer_timeouts(definition: ProcessDefinition, targets: TargetLookup) -> Iterator[DefinitionProblem]:
    """Timeouts of steps that never pass, because the operation of the tool gives up earlier."""
    for path, step in _steps(definition):
        is_manual = step.execution.interaction_mode == "manual"
        calls: list[tuple[str, str | None, StepExecution | Compensation]] = [
            (f"{path}.execution.timeout", None if is_manual else step.tool, step.execution)
        ]
        calls += [(f"{path}.compensate.timeout", each.tool, each) for each in (step.compensate,) if each is not None]
        for place, tool, given in calls:
            is_default = given.timeout == type(given).model_fields["timeout"].default
            target = None if tool is None or is_default else targets.tool(tool)
            if target is not None and target.timeout is not None and target.timeout < _MUCH_OF_IT * given.timeout:
                message = (
                    f"the tool {target.name!r} gives up after {target.timeout:g} s, which its operation says, and not "
                    f"after {given.timeout} s; give its operation a timeout, too"
                )
                yield DefinitionProblem(place, _TIMEOUT_OF_OPERATION, message)


def _code_problem(code: str) -> str | None:
    """Say that no failure has a code; names of errors that are nearly those of another one count, too."""
    if code in _CODES or code in _ERRORS:
        return None
    near = get_close_matches(code, (*_CODES, *_ERRORS), n=1, cutoff=0.6 if code.islower() else 0.85)
    if not near and not code.islower():
        return None
    meant = f"did you mean {near[0]!r}?" if near else f"such codes are {', '.join(_CODES)}"
    return f"no failure has the code {code!r}, so it is never tried again; {meant}"
