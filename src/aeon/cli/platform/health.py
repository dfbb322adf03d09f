"""`aeon tool health`: checks whether the services of the user's tools answer."""

import time
from collections.abc import Callable

from aeon.application.health import HealthCheckResult
from aeon.base.json import JsonObject
from aeon.cli.exit_codes import ExitCode
from aeon.cli.output import OutputFormat, print_as, print_table
from aeon.cli.platform.session import workspace_session

_POLL_INTERVAL = 5.0
"""Seconds between two checks of what is due."""

_ADVICE = {
    "healthy": "",
    "degraded": "; it is checked again soon",
    "down": "; start the service or correct the tool's connectionParams",
}


def show_health(
    user: str, *, is_watching: bool, output: OutputFormat, sleep: Callable[[float], None] = time.sleep
) -> int:
    """Check all tools and print the results; `is_watching` repeats the due ones. Exit code 1 if a tool is down."""
    with workspace_session(user) as workspace:
        results = workspace.health.check()
        _show(results, output=output)
        before = {each.tool.id: each.tool.status for each in results}
        while is_watching:
            sleep(_POLL_INTERVAL)
            now = workspace.health.check(only_due=True)
            _show([each for each in now if before.get(each.tool.id) != each.tool.status], output=output)
            before = {each.tool.id: each.tool.status for each in now}
    return ExitCode.FAILED if any(each.tool.status == "down" for each in results) else ExitCode.DONE


def _show(results: list[HealthCheckResult], *, output: OutputFormat) -> None:
    if print_as(output, [_as_data(each) for each in results], key="tool"):
        return
    rows = [
        (each.tool.name, _service(each), each.tool.status, (each.since or "")[:19], _reason(each)) for each in results
    ]
    print_table(("TOOL", "SERVICE", "STATE", "SINCE", "WHY"), rows, "no tool of yours can be checked")


def _service(each: HealthCheckResult) -> str:
    return each.service.name if each.service else "(not shared any more)"


def _reason(each: HealthCheckResult) -> str:
    return f"{each.tool.error_message}{_ADVICE[each.tool.status]}" if each.tool.error_message else ""


def _as_data(each: HealthCheckResult) -> JsonObject:
    return {
        "tool": each.tool.name,
        "service": each.service.name if each.service else None,
        "status": each.tool.status,
        "since": each.since,
        "reason": each.tool.error_message,
        "nextStep": _ADVICE[each.tool.status].removeprefix("; ") or None,
    }
