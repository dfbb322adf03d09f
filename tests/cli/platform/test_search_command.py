"""`aeon store search`, and names that errors suggest."""

from pathlib import Path

import pytest

pytestmark = pytest.mark.server

FILE = """
kind: Service
name: shop
type: rest_api
protocol: https
connectionSchema: {type: object, required: [endpoint]}
---
kind: Secret
name: shop key
type: api_key
value: {key: canary-81c4}
---
kind: Tool
name: item
description: Reads one thing of the shop by its number.
service: shop
connectionParams: {endpoint: "https://shop.invalid"}
operation: {type: rest_request, path: "/items/{id}"}
inputSchema: {type: object, properties: {id: {type: string}}}
"""


@pytest.fixture
def shop(aeon):
    aeon("init")
    Path("shop.yaml").write_text(FILE)
    said = aeon("apply", "-f", "shop.yaml")
    assert said.code == 0, said.err


def test_things_are_found_by_words_the_best_first(aeon, shop):
    assert aeon("store", "search", "shop").cells("KIND", "NAME", "OWNER", "WHAT") == [
        ("service", "shop", "you", ""),
        ("tool", "item", "you", "Reads one thing of the shop by its number."),
    ]
    assert aeon("store", "search", "one", "NUMB").cells("KIND", "NAME")[0] == ("tool", "item")
    assert aeon("store", "search", "shop", "--kind", "tool").cells("NAME") == [("item",)]
    assert aeon("store", "search", "shpo", "-o", "name").out == "shop\n"


def test_as_json_a_thing_has_its_id_and_its_score(aeon, shop):
    found = aeon("store", "search", "shop", "--json").json
    assert [(each["kind"], each["name"], each["ownerId"]) for each in found] == [
        ("service", "shop", "me"),
        ("tool", "item", "me"),
    ]
    assert found[0]["score"] > found[1]["score"] > 0
    assert found[1]["id"] == aeon("tool", "show", "item").json["id"]
    assert aeon("store", "search", "qqqq", "--json").json == []


def test_of_other_users_only_shared_things_are_found(aeon, shop):
    shared = aeon("store", "search", "summarize")
    assert shared.cells("KIND", "NAME", "OWNER")[0] == ("tool", "summarize", "aeon")
    asked = aeon("store", "search", "shop", "item", "--user", "anna")
    assert (asked.code, asked.out, "nothing found" in asked.err) == (0, "", True)


@pytest.mark.parametrize("text", ['"', "* OR *", "NEAR(", "-", "'; DROP TABLE users; --", "👩‍👩‍👧", "\udcff"])
def test_any_words_are_a_query(aeon, shop, text):
    assert aeon("store", "search", "--", text).code == 0


def test_secrets_and_unknown_kinds_are_refused(aeon, shop):
    asked = aeon("store", "search", "shop", "--kind", "secret")
    assert (asked.code, "Items of the kind 'secret' cannot be searched." in asked.err) == (2, True)
    assert "Name one of service, tool, process, serviceTemplate, toolTemplate." in asked.err
    assert "canary" not in aeon("store", "search", "canary", "--json").out


def test_an_error_suggests_names_that_are_spelled_alike(aeon, shop):
    asked = aeon("tool", "show", "itme")
    assert (asked.code, "There is no tool 'itme'" in asked.err) == (2, True)
    assert "Did you mean 'item'?" in asked.err
    assert "Did you mean" not in aeon("tool", "show", "itme", "--user", "anna").err
