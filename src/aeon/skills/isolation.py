"""What a run's isolation left open, said in its result (skills 11, 15). Pure."""

from typing import get_args

from aeon.skills.invocation import SandboxLevel
from aeon.skills.plan_json import ExecutionResult

_ISOLATION_GAPS: dict[SandboxLevel, str] = {
    "plain": (
        "The scripts ran without isolation: they could read, change and send whatever you can. "
        "Install bubblewrap, or use a kernel with landlock; `--sandbox require` then refuses to run so."
    ),
    "landlock": (
        "The scripts ran behind landlock, which leaves open that they change the modes and times of your files. "
        "Install bubblewrap, which does not."
    ),
}


def with_isolation_warnings(result: ExecutionResult) -> ExecutionResult:
    """The result, with a warning for each level that its scripts ran at and that leaves something open."""
    used = {node.sandbox for node in result.execution_trace}
    said = [_ISOLATION_GAPS[level] for level in get_args(SandboxLevel) if level in used and level in _ISOLATION_GAPS]
    new = [warning for warning in said if warning not in result.warnings]
    return result.model_copy(update={"warnings": [*result.warnings, *new]}) if new else result
