"""Things whose names have a slash, such as the tools that applying a skill makes, are reached by their names."""

import pytest
from tests.server.web.test_things import post, said

pytestmark = pytest.mark.server

NAMED = """
kind: Tool
name: dice/roll
service: graph
connectionParams: {endpoint: "aeon:graph"}
operation: {type: graph_query, query: "@users_of_mine"}
inputSchema: {type: object, properties: {sides: {type: integer}}}
---
kind: Process
name: a/b
steps: [{id: roll, tool: dice/roll, output: rolled}]
"""


@pytest.fixture
def things(own):
    own.documents.apply(NAMED)
    return own


@pytest.mark.parametrize("slash", ["%2F", "%2f"])
def test_a_name_with_an_encoded_slash_is_found_on_the_page_and_over_rest(site, me, things, slash):
    for address in (f"tools/dice{slash}roll", f"processes/a{slash}b"):
        assert me.get(f"/{address}").status_code == 200, address
        assert me.get(f"/api/v1/{address}").json()["name"] in ("dice/roll", "a/b"), address
    started = me.post(f"/api/v1/processes/a{slash}b/runs", json={"inputs": {}})
    assert started.status_code == 202
    assert me.get(f"/processes/a{slash}b/edit").status_code == 200


def test_forms_at_such_a_name_lead_back_to_it(me, things):
    paused = post(me, "/processes/a%2Fb/pause")
    assert paused.status_code == 303
    assert "paused" in said(me.get(paused.headers["location"]))


def test_a_slash_that_is_not_encoded_divides_the_path_and_one_that_is_does_not(me, things):
    assert me.get("/tools/dice/roll").status_code == 404
    assert me.get("/api/v1%2Ftools").status_code == 404
    assert me.get("/processes/a%2Fb%2Fedit").status_code == 404
    assert me.get("/tools/dice%252Froll").status_code == 404
