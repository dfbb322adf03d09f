"""Classes of node failures, and their blame (skills 4).

The blame decides retries, health and replanning.
"""

from enum import StrEnum


class FailureClass(StrEnum):
    """The `type` of a ToolError."""

    DUPLICATE_ID = "duplicate_id"
    UNKNOWN_DEPENDENCY = "unknown_dependency"
    UNKNOWN_REFERENCE = "unknown_reference"
    UNKNOWN_SCRIPT = "unknown_script"
    DISABLED_SKILL = "disabled_skill"
    INVALID_INPUT = "invalid_input"
    CIRCULAR_DEPENDENCY = "circular_dependency"

    TIMEOUT = "timeout"
    EXIT_CODE = "exit_code"
    DEFECT = "defect"
    """The script has an error that each attempt repeats: a name or a package that is missing, a fault of syntax."""
    CONTROLLED = "controlled_failure"
    """The script reported `done` with `ok` false."""

    PROTOCOL_VIOLATION = "protocol_violation"
    OUTPUT_LIMIT = "output_limit"
    RESOURCE_LIMIT = "resource_limit"
    """The script exceeded a resource limit (skills 18)."""
    INVALID_OUTPUT = "invalid_output"
    """The output does not fit the schema that the skill declares for it."""
    CANNOT_START = "cannot_start"
    CONFIGURATION = "configuration"
    NOT_GRANTED = "not_granted"
    """The skill requests more than the user granted (skills 15)."""

    PLAN_TIMEOUT = "plan_timeout"
    """The plan's deadline passed before the node ended."""
    DEPENDENCY_FAILED = "dependency_failed"
    CANCELLED = "cancelled"
    PLAN_REJECTED = "plan_rejected"
    """The node is valid, but its plan is not, so nothing ran."""


class Blame(StrEnum):
    """The party that a failure is attributed to."""

    PLANNER = "planner"
    """The plan was wrong: no skill is disabled, and the planner gets the error."""
    TRANSIENT = "transient"
    """A retry may succeed. It counts: three in a row degrade the skill (skills 13)."""
    SKILL = "skill"
    """The skill is broken: further plans exclude it."""
    NOBODY = "nobody"
    """The failure follows from another one."""


_PLANNER_FAULTS = frozenset(
    {
        FailureClass.DUPLICATE_ID,
        FailureClass.UNKNOWN_DEPENDENCY,
        FailureClass.UNKNOWN_REFERENCE,
        FailureClass.UNKNOWN_SCRIPT,
        FailureClass.DISABLED_SKILL,
        FailureClass.INVALID_INPUT,
        FailureClass.CIRCULAR_DEPENDENCY,
    }
)
_TRANSIENT_FAULTS = frozenset({FailureClass.TIMEOUT, FailureClass.EXIT_CODE, FailureClass.CONTROLLED})
_SKILL_FAULTS = frozenset(
    {
        FailureClass.PROTOCOL_VIOLATION,
        FailureClass.OUTPUT_LIMIT,
        FailureClass.RESOURCE_LIMIT,
        FailureClass.INVALID_OUTPUT,
        FailureClass.CANNOT_START,
        FailureClass.CONFIGURATION,
        FailureClass.DEFECT,
        FailureClass.NOT_GRANTED,
    }
)


def blame_for(failure: FailureClass) -> Blame:
    """Returns the blame for a failure (skills 4)."""
    if failure in _PLANNER_FAULTS:
        return Blame.PLANNER
    if failure in _TRANSIENT_FAULTS:
        return Blame.TRANSIENT
    return Blame.SKILL if failure in _SKILL_FAULTS else Blame.NOBODY


RETRYABLE = frozenset(
    {
        FailureClass.TIMEOUT,
        FailureClass.EXIT_CODE,
        FailureClass.CONTROLLED,
        FailureClass.PROTOCOL_VIOLATION,
        FailureClass.INVALID_OUTPUT,
    }
)
"""Failures after which a new attempt may succeed. Too much output is excluded: it would only repeat."""
