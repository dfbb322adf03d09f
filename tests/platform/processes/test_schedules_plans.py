"""What a query of schedules costs does not grow with others' schedules: every one starts from an index."""

import re

import pytest

from aeon.platform import queries as common
from aeon.platform.processes.schedules import queries

GIVEN = {
    "due": 1,
    "entries": [{"userId": "u", "seq": 1, "hash": "h", "id": "e"}],
    "events": [{"id": "e", "at": "a", "kind": "k", "subject": "s"}],
    "limit": 10,
    "now": 1,
    "processVersion": 1,
    "properties": {"id": "x"},
    "requests": [{"id": "r", "at": "a", "body": "b", "answer": "c"}],
    "version": 1,
}
TEXTS = {
    name: text if "RETURN" in text else text + common.RECORDED
    for name, text in vars(queries).items()
    if name.isupper() and isinstance(text, str)
}


@pytest.mark.parametrize("name", TEXTS)
def test_no_query_of_schedules_looks_through_all_of_them(plans, name):
    params = {used: GIVEN.get(used, "text") for used in re.findall(r"\$(\w+)", TEXTS[name])}
    is_by_index, plan = plans.is_by_index(TEXTS[name], params)
    assert is_by_index, plan
