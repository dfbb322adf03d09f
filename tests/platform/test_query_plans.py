"""What a query costs does not grow with what others have: every one starts from an index (decision 19)."""

import re

import pytest

from aeon.platform import queries as common
from aeon.platform.catalog import queries as catalog
from aeon.platform.metrics import queries as metrics
from aeon.platform.processes import queries as processes
from aeon.platform.processes.runs import queries as runs
from aeon.platform.processes.schedules import queries as schedules
from aeon.platform.workers.cache import queries as cache
from aeon.platform.workers.limits import queries as limits

GIVEN = {
    "after": "a",
    "archived": False,
    "before": "2026-01-01",
    "cached": {"toolId": "x"},
    "called": True,
    "dead": [
        {"id": "j", "runId": "r", "step": "s", "tool": "t", "at": "a", "code": "c", "message": "m", "attempts": 1}
    ],
    "dependencies": [{"step": 1, "needs": 0, "order": 0}],
    "digests": ["d"],
    "end": "b",
    "entries": [{"userId": "u", "seq": 1, "hash": "h", "id": "e"}],
    "events": [{"id": "e", "at": "a", "kind": "k", "subject": "s"}],
    "health": {"status": "healthy"},
    "ids": ["x"],
    "limit": 10,
    "most": 10,
    "now": {"phase": "running"},
    "processes": [{"id": "x", "version": 1}],
    "properties": {"id": "x"},
    "requests": [{"id": "r", "at": "a", "body": "b", "answer": "c"}],
    "secret": "",
    "seeds": [{"key": "k", "runId": "r", "n": 1, "text": "t", "reference": ""}],
    "serviceVersion": 1,
    "services": ["x"],
    "signal": {"id": "s"},
    "steps": [
        {"order": 0, "tool": "", "process": "p", "timeout": 1, "interactionMode": "auto", "properties": {"id": "s"}}
    ],
    "subjects": [{"metric": "m", "entity": "e", "values": [{"id": "v"}]}],
    "tools": [{"id": "x", "version": 1}],
    "turn": 1,
    "use": {"id": "x"},
    "users": ["u"],
    "version": 1,
}
"""What parameters stand for in a plan; those that are not here are texts. A tool without a secret gives ''."""


OF_ONE = {
    **{name: {"run": {"id": "r"}} for name in ("runs.ACCEPT", "runs.ACCEPT_CALLED")},
    "cache.NOTE_USE": {"now": 1},
    "limits.OF_TOOLS": {"tools": ["x"]},
}
"""What one query means otherwise than the others."""


def whole(text):
    """A query as it is asked: what returns nothing is a mutation, which the ledger ends."""
    return text if "RETURN" in text or "DELETE r\n" in text else text + common.RECORDED


ROOMS = (common, catalog, processes, runs, cache, limits)
NAMED = (metrics, schedules)
"""Rooms whose own tests look at their queries; those of others name what is in them."""

QUERIES = {
    f"{module.__name__.split('.')[-2]}.{name}": whole(text)
    for module in ROOMS
    for name, text in vars(module).items()
    if name.isupper() and isinstance(text, str) and name != "RECORDED" and name[0] != "_"
}


@pytest.mark.parametrize("name", QUERIES)
def test_no_query_looks_through_all_things_of_a_kind(plans, name):
    text = QUERIES[name]
    params = {used: GIVEN.get(used, "text") for used in re.findall(r"\$(\w+)", text)}
    params |= OF_ONE.get(name, {})
    is_by_index, plan = plans.is_by_index(text, params)
    assert is_by_index, plan
