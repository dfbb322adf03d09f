"""What a projector asks does not cost more the more a record holds: each query is answered from an index."""

import re
from contextlib import closing

import pytest
from tests.platform.conftest import Plans

from aeon.platform.projection import queries
from aeon.testing.records import new_record

OTHER_LABELS = {"audit_entries", "run_entries", "attachments"}
"""Tables that a view goes through only for a label that is not projected, which is looked at first."""

TEXTS = {name: query for name, query in vars(queries).items() if name.isupper() and isinstance(query, str)}
ONCE = {"FORGET_EVENTS", "_EDGE", "_IDS"}
QUERIES = {
    **{name: query for name, query in TEXTS.items() if name not in ONCE},
    **{f"ids of {label}": query for label, query in queries.IDS_AFTER.items()},
}
NUMBERS = {"seq": 1, "until": 9, "limit": 5, "micros": 1}


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgresql", marks=[pytest.mark.server])])
def plans(request, tmp_path_factory):
    if request.param == "sqlite":
        store = new_record(tmp_path_factory.mktemp("record"))
    else:
        store = request.getfixturevalue("postgres_record")()
    with closing(store):
        yield Plans(store)


@pytest.mark.parametrize("name", QUERIES)
def test_no_query_goes_through_all_rows_of_a_table(plans, name):
    used = re.findall(r"(?<!:):([a-z]+[0-9]*)", QUERIES[name])
    params = {each: NUMBERS.get(each, "1") for each in used}
    if name in ("EVENTS", "BEHIND"):
        params["after"] = 1
    _, plan = plans.is_by_index(QUERIES[name], params)
    scanned = re.findall(r"^SCAN ([a-z_]+)\b(?! USING)", plan, re.MULTILINE) + re.findall(r"Seq Scan on (\w+)", plan)
    assert set(scanned) <= {*OTHER_LABELS, "consumers", "escaped", "meta"}, plan
