"""What a query of a metric costs does not grow with other metrics' values: every one starts from an index."""

import re

import pytest

from aeon.platform import queries as common
from aeon.platform.metrics import queries

GIVEN = {
    "cascade": True,
    "entries": [{"userId": "u", "seq": 1, "hash": "h", "id": "e"}],
    "events": [{"id": "e", "at": "a", "kind": "k", "subject": "s"}],
    "expected": 1,
    "ids": ["a"],
    "isNumeric": True,
    "limit": 10,
    "properties": {"id": "x"},
    "requests": [{"id": "r", "at": "a", "body": "b", "answer": "c"}],
    "subjects": [{"metric": "m", "entity": "e"}],
    "values": [{"id": "k"}],
    "since": 0,
    "until": 1,
    "version": 1,
}
TEXTS = {
    name: text if "RETURN" in text else text + common.RECORDED
    for name, text in vars(queries).items()
    if name.isupper() and isinstance(text, str)
}


@pytest.mark.parametrize("name", TEXTS)
def test_no_query_of_metrics_looks_through_all_things_of_a_kind(plans, name):
    params = {used: GIVEN.get(used, "text") for used in re.findall(r"\$(\w+)", TEXTS[name])}
    is_by_index, plan = plans.is_by_index(TEXTS[name], params)
    assert is_by_index, plan
