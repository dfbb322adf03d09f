"""What a query costs does not grow with what others have: every one starts from an index (decision 19)."""

import re

import pytest

from aeon.platform import queries as common
from aeon.platform.catalog import queries as catalog

GIVEN = {
    "after": "a",
    "archived": False,
    "before": "2026-01-01",
    "end": "b",
    "entries": [{"userId": "u", "seq": 1, "hash": "h", "id": "e"}],
    "events": [{"id": "e", "at": "a", "kind": "k", "subject": "s"}],
    "health": {"status": "healthy"},
    "limit": 10,
    "properties": {"id": "x"},
    "requests": [{"id": "r", "at": "a", "body": "b", "answer": "c"}],
    "secret": "",
    "serviceVersion": 1,
    "use": {"id": "x"},
    "users": ["u"],
    "version": 1,
}
"""What parameters stand for in a plan; those that are not here are texts. A tool without a secret gives ''."""


def whole(text):
    """A query as it is asked: what returns nothing is a mutation, which the ledger ends."""
    return text if "RETURN" in text or "DELETE r\n" in text else text + common.RECORDED


QUERIES = {
    f"{module.__name__.split('.')[-2]}.{name}": whole(text)
    for module in (common, catalog)
    for name, text in vars(module).items()
    if name.isupper() and isinstance(text, str) and name != "RECORDED"
}


@pytest.mark.parametrize("name", QUERIES)
def test_no_query_looks_through_all_things_of_a_kind(world, name):
    text = QUERIES[name]
    params = {used: GIVEN.get(used, "text") for used in re.findall(r"\$(\w+)", text)}
    plan = world.store.explain(text, params)
    assert "Scan" not in re.sub("(Node|Edge) By Index Scan", "", plan), plan
