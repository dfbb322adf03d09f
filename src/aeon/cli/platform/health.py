"""`aeon health`: what the tools reach, and whether it answers."""

import time
from collections.abc import Callable

from aeon.cli.codes import Code
from aeon.cli.platform.opening import opened
from aeon.cli.say import put
from aeon.cli.text import COLUMNS, clean, one_line, pretty
from aeon.platform.catalog.health import Checked

_LOOK_SECONDS = 5.0
"""Between two looks at what is due."""

_ADVICE = {
    "healthy": "",
    "degraded": "; it is checked again soon",
    "down": "; start the service or correct the tool's connectionParams",
}


def show_health(user: str, *, is_watching: bool, as_json: bool, sleep: Callable[[float], None] = time.sleep) -> int:
    """Check everything and show it, then, watching, what is due until interrupted. Exit code 1 where one is down."""
    with opened(user) as platform:
        found = list(platform.health.run(user, only_due=False))
        _show(found, as_json=as_json)
        before = {each.tool.id: each.tool.status for each in found}
        while is_watching:
            sleep(_LOOK_SECONDS)
            now = list(platform.health.run(user, only_due=True))
            _show([each for each in now if before.get(each.tool.id) != each.tool.status], as_json=as_json)
            before = {each.tool.id: each.tool.status for each in now}
    return Code.FAILED if any(each.tool.status == "down" for each in found) else Code.DONE


def _show(found: list[Checked], *, as_json: bool) -> None:
    if as_json:
        put(pretty([_as_data(each) for each in found]))
        return
    for each in found:
        put(one_line(clean(_as_line(each)), COLUMNS * 3))


def _as_line(each: Checked) -> str:
    tool, service = each.tool, each.service
    where = f"on {service.name}" if service else "on a service that is not shared any more"
    since = f" since {each.since[:19]}" if each.since else ""
    reason = f": {tool.error_message}{_ADVICE[tool.status]}" if tool.error_message else ""
    return f"{tool.name} ({where}) {tool.status}{since}{reason}"


def _as_data(each: Checked) -> dict[str, object]:
    return {
        "tool": each.tool.name,
        "service": each.service.name if each.service else None,
        "status": each.tool.status,
        "since": each.since,
        "reason": each.tool.error_message,
        "nextStep": _ADVICE[each.tool.status].removeprefix("; ") or None,
    }
