"""`aeon tool health`: checks whether the services of the user's tools answer."""

import time
from collections.abc import Callable

from aeon.application.health import HealthCheckResult
from aeon.cli.console import print_data
from aeon.cli.exit_codes import ExitCode
from aeon.cli.platform.session import workspace_session
from aeon.cli.text import COLUMNS, indented_json, one_line, printable

_POLL_INTERVAL = 5.0
"""Seconds between two checks of what is due."""

_ADVICE = {
    "healthy": "",
    "degraded": "; it is checked again soon",
    "down": "; start the service or correct the tool's connectionParams",
}


def show_health(user: str, *, is_watching: bool, as_json: bool, sleep: Callable[[float], None] = time.sleep) -> int:
    """Check all tools and print the results; `is_watching` repeats the due ones. Exit code 1 if a tool is down."""
    with workspace_session(user) as workspace:
        results = workspace.health.check()
        _show(results, as_json=as_json)
        before = {each.tool.id: each.tool.status for each in results}
        while is_watching:
            sleep(_POLL_INTERVAL)
            now = workspace.health.check(only_due=True)
            _show([each for each in now if before.get(each.tool.id) != each.tool.status], as_json=as_json)
            before = {each.tool.id: each.tool.status for each in now}
    return ExitCode.FAILED if any(each.tool.status == "down" for each in results) else ExitCode.DONE


def _show(results: list[HealthCheckResult], *, as_json: bool) -> None:
    if as_json:
        print_data(indented_json([_as_data(each) for each in results]))
        return
    for each in results:
        print_data(one_line(printable(_as_line(each)), COLUMNS * 3))


def _as_line(each: HealthCheckResult) -> str:
    tool, service = each.tool, each.service
    where = f"on {service.name}" if service else "on a service that is not shared any more"
    since = f" since {each.since[:19]}" if each.since else ""
    reason = f": {tool.error_message}{_ADVICE[tool.status]}" if tool.error_message else ""
    return f"{tool.name} ({where}) {tool.status}{since}{reason}"


def _as_data(each: HealthCheckResult) -> dict[str, object]:
    return {
        "tool": each.tool.name,
        "service": each.service.name if each.service else None,
        "status": each.tool.status,
        "since": each.since,
        "reason": each.tool.error_message,
        "nextStep": _ADVICE[each.tool.status].removeprefix("; ") or None,
    }
