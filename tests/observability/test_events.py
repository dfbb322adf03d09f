"""One event vocabulary: each event is JSON with its kind."""

import inspect

from aeon.base.json import json_problems
from aeon.observability import events
from aeon.observability.events import Event, PlanStepEnded

KINDS = [value for value in vars(events).values() if inspect.isclass(value) and issubclass(value, Event)]


def test_every_event_has_a_kind_of_its_own():
    assert len({kind.kind for kind in KINDS}) == len(KINDS)


def test_an_event_is_json_with_its_kind_first():
    event = PlanStepEnded({"step_id": "s1"}, 0, "tool", {"result": 1}, None, ["repaired"])
    data = event.as_dict()
    assert next(iter(data)) == "event"
    assert json_problems(data) == []
    assert data["event"] == "step_ended"
    assert data["marks"] == ["repaired"]
