"""The tool for clock times of other places."""

from datetime import datetime, time, tzinfo
from typing import Any, Final

from aeon.base.clock import Clock, SystemClock
from aeon.base.errors import ToolError
from aeon.base.json import JsonObject
from aeon.tools.interface import Example, Tool
from aeon.tools.moments import read_moment
from aeon.tools.places import find_zone
from aeon.tools.time_zone_requests import CONVERT_TIME, TimeElsewhere, read_time_elsewhere

_TEXT: JsonObject = {"type": "string", "minLength": 1, "maxLength": 60}
_HERE: Final = frozenset({"here", "hier", "local", "my"})
_NAMED: Final = {
    **dict.fromkeys(("noon", "midday", "mittag"), time(12)),
    **dict.fromkeys(("midnight", "mitternacht"), time(0)),
}


class ConvertTimeTool(Tool):
    """A tool that says what a clock time of one place is in another one, today, with summer time."""

    name = CONVERT_TIME
    description = "Tell what a clock time of one place is in another place today: cities, countries, or 'here'."
    # The properties are in the order in which prompts show arguments: a constrained model must write them so.
    input_schema: JsonObject = {  # noqa: RUF012  # the published shape of Tool
        "type": "object",
        "properties": {"from": _TEXT, "time": _TEXT, "to": _TEXT},
        "required": ["from", "time", "to"],
        "additionalProperties": False,
    }
    output_schema: JsonObject = {  # noqa: RUF012
        "type": "object",
        "properties": {
            "result": {"type": "string"},
            "zone": {"type": "string"},
            "days_later": {"type": "integer"},
        },
        "required": ["result", "zone"],
    }
    timeout = None  # nothing to wait for
    is_common = False
    is_repeatable = True
    examples = (
        Example(
            "It's 10:30 in Lima. What time is it in Oslo?",
            [
                {
                    "description": "find the time in Oslo",
                    "tool": CONVERT_TIME,
                    "arguments": {"from": "Lima", "time": "10:30", "to": "Oslo"},
                }
            ],
        ),
    )

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()

    def invoke(self, **kwargs: Any) -> dict[str, Any]:
        """Raises ToolError for a place whose time zone is not known, and for a text that is not a clock time."""
        source, target = _zone(kwargs["from"]), _zone(kwargs["to"])
        now = datetime.fromisoformat(self._clock.now()).astimezone(source)
        asked = datetime.combine(now.date(), _clock_time(kwargs["time"], now), source)
        there = asked.astimezone(target)
        days = (there.date() - asked.date()).days
        name = f"{kwargs['to']}, {there.tzname()} (UTC{there.isoformat()[-6:]})"
        return {"result": f"{there:%H:%M}", "zone": name, **({"days_later": days} if days else {})}

    def suits(self, request: str) -> bool:
        """Whether the request asks for a clock time of one known place in another."""
        return self.read_request(request) is not None

    def reads_whole(self, request: str) -> bool:  # noqa: ARG002  # else it reads no arguments
        return True

    def read_request(self, request: str) -> JsonObject | None:
        """The time and both places, if the tool knows them."""
        found = read_time_elsewhere(request)
        return None if found is None else self._if_known(found)

    def _if_known(self, found: TimeElsewhere) -> JsonObject | None:
        arguments: JsonObject = {"from": found.source, "time": found.time, "to": found.target}
        try:
            self.invoke(**arguments)
        except ToolError:
            return None
        return arguments


def _zone(place: str) -> tzinfo | None:
    """The time zone of a place; None for this machine's. Raises ToolError."""
    if place.casefold() in _HERE:
        return None
    zone = find_zone(place)
    if zone is None:
        raise ToolError(f"convert_time knows no time zone of {place!r}; name a large city near it, such as 'Berlin'.")
    return zone


def _clock_time(text: str, now: datetime) -> time:
    """Raises ToolError for a text that is not a clock time."""
    try:
        found = _NAMED.get(text.casefold()) or read_moment(text, now.replace(tzinfo=None))
    except ValueError:
        found = None
    if not isinstance(found, time):
        raise ToolError(f"convert_time cannot read {text!r} as a clock time; write HH:MM or '9 am'.")
    return found
