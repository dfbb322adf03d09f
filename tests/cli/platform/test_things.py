"""`aeon tool`, the master key's change, and which store the settings name."""

import os
from pathlib import Path

import pytest

from aeon.bootstrap.vaults import project_key_file

pytestmark = pytest.mark.server

FILE = """
kind: Service
name: shop
template: REST API with a key
---
kind: Secret
name: shop key
type: api_key
value: {key: canary-5d0c}
---
kind: ToolTemplate
name: look-up
description: One thing by its number.
operation: {type: rest_request, path: "/items/{id}"}
inputSchema: {type: object, properties: {id: {type: string}}}
---
kind: Tool
name: item
service: shop
secret: shop key
template: look-up
connectionParams: {endpoint: "https://shop.invalid"}
"""


def test_a_user_who_is_new_beside_others_may_be_a_mistyped_name(aeon):
    assert "is new here" not in aeon("init").err
    mistyped = aeon("tool", "list", "--source", "stored", "--user", "ame")
    assert mistyped.code == 0
    assert "The user 'ame' is new here; there were already: me." in " ".join(mistyped.err.split())
    assert "is new here" not in aeon("tool", "list", "--source", "stored", "--user", "ame").err


@pytest.fixture
def shop(aeon):
    aeon("init")
    Path("shop.yaml").write_text(FILE)
    said = aeon("apply", "-f", "shop.yaml")
    assert said.code == 0, said.err


def test_things_of_every_kind_are_listed_and_shown(aeon, shop):
    assert aeon("tool", "service", "list").cells("NAME", "TYPE", "STATE")[:2] == [
        ("shop", "rest_api", "unchecked"),
        ("aeon graph", "neo4j_graph", "healthy"),
    ]
    assert aeon("secret", "list").cells("NAME", "TYPE") == [("shop key", "api_key")]
    assert ("look-up", "rest_request", "One thing by its number.") in aeon("tool", "template", "list").cells(
        "NAME", "TYPE", "WHAT"
    )
    assert ("REST API with a key", "aeon", "rest_api", "https") in aeon("tool", "service", "template", "list").cells(
        "NAME", "OWNER", "TYPE", "PROTOCOL"
    )
    assert aeon("tool", "list", "--source", "stored", "--json").json[0]["name"] == "item"
    assert aeon("tool", "service", "show", "shop").json["requiresSecret"] is True
    assert aeon("tool", "show", "item").json["operation"]["path"] == "/items/{id}"
    assert aeon("tool", "show", "summarize").json["tokensOfYours"] == {
        "calls": 0,
        "promptTokens": 0,
        "completionTokens": 0,
    }
    shown = aeon("secret", "show", "shop key")
    assert (shown.json["type"], "vaultVersion" in shown.json, "canary" in shown.out) == ("api_key", False, False)


def test_a_thing_is_renamed_and_what_refers_to_it_goes_on(aeon, shop):
    assert aeon("tool", "service", "rename", "shop", "store").out == "renamed shop to store\n"
    assert aeon("tool", "service", "uses", "store").cells("KIND", "NAME", "OWNER") == [("tool", "item", "me")]
    taken = aeon("tool", "rename", "summarize", "mine")
    assert (taken.code, "belongs to another user" in taken.err) == (1, True)


def test_a_template_is_put_away_and_taken_back(aeon, shop):
    """Templates are provenance only: what was made from one needs it no more."""
    assert aeon("tool", "template", "archive", "look-up").out == "archived look-up\n"
    assert "look-up" not in aeon("tool", "template", "list").out
    assert "look-up" in aeon("tool", "template", "list", "--archived").out
    assert aeon("tool", "template", "restore", "look-up").out == "restored look-up\n"
    assert aeon("tool", "template", "delete", "--yes", "look-up").code == 0
    assert aeon("tool", "show", "item").code == 0
    assert "No such command 'archive'" in aeon("tool", "archive", "item").err


def test_what_is_used_is_not_deleted(aeon, shop):
    refused = aeon("tool", "service", "delete", "--yes", "shop")
    assert (refused.code, "is still used by item" in refused.err) == (1, True)
    assert aeon("tool", "delete", "--yes", "item").out == "deleted item\n"
    assert aeon("tool", "service", "delete", "--yes", "shop").code == 0
    unknown = aeon("tool", "show", "robot")
    assert (unknown.code, "There is no tool 'robot'" in unknown.err) == (2, True)


def test_every_secret_is_put_under_a_new_master_key(aeon, shop, monkeypatch):
    """Platform 3: the values stay; the old key opens copies and backups, and the vault no more."""
    key_file = project_key_file(Path.cwd(), os.environ)
    old = key_file.read_text()
    assert aeon("secret", "rekey", "--json").json == {"secrets": 1}
    assert key_file.read_text().splitlines()[:-1] == [old.strip()]
    assert not Path(".aeon/master.key").exists()
    assert aeon("apply", "-f", "shop.yaml").err == "0 of 4 changed\n"
    monkeypatch.setenv("AEON_MASTER_KEY", old.strip())
    refused = aeon("secret", "rekey")
    assert (refused.code, "is set in AEON_MASTER_KEY" in " ".join(refused.err.split())) == (1, True)
    monkeypatch.setenv("AEON_MASTER_KEY", old.strip())
    wrong = aeon("apply", "-f", "shop.yaml")
    assert (wrong.code, "does not open the vault" in " ".join(wrong.err.split())) == (1, True)


def test_a_store_server_is_named_by_the_settings(aeon, monkeypatch):
    """Decision 12: whose password goes where is not a project file's to say."""
    address = "postgresql://me@store.invalid:1/aeon"
    Path("aeon.toml").write_text(f'[store]\naddress = "{address}"\npassword_env = "STORE_WORD"\n')
    stranger = aeon("init")
    assert (stranger.code, "does not decide who gets your password" in " ".join(stranger.err.split())) == (2, True)
    monkeypatch.setenv("AEON_STORE_ADDRESS", "postgresql://me@127.0.0.1:1/aeon")
    unset = aeon("init")
    assert (
        unset.code,
        "STORE_WORD, which must hold the store's password, is not set" in " ".join(unset.err.split()),
    ) == (2, True)
    monkeypatch.setenv("STORE_WORD", "canary-77aa")
    down = aeon("store", "export", "-")
    assert (down.code, "127.0.0.1:1" in down.err, "canary" in down.err) == (1, True, False)
    Path("aeon.toml").write_text('[store]\naddress = "postgresql://me:word@host/aeon"\n')
    monkeypatch.delenv("AEON_STORE_ADDRESS")
    held = aeon("config", "list")
    assert (held.code, "must not hold a password" in " ".join(held.err.split()), "word@" in held.err) == (
        2,
        True,
        False,
    )


def test_a_list_says_how_to_go_on(aeon, shop):
    first = aeon("tool", "list", "--source", "stored", "--owner", "own", "--limit", "1")
    assert (first.cells("NAME") == [("item",)], "--after" in first.err) == (True, False)
    page = aeon("tool", "list", "--source", "stored", "--limit", "2")
    cursor = page.err.split("--after")[1].split()[0]
    more = aeon("tool", "list", "--after", cursor)
    everything = aeon("tool", "list", "--source", "stored")
    assert page.cells("NAME", "ID") + more.cells("NAME", "ID") == everything.cells("NAME", "ID")
    assert "--after" not in more.err
    assert aeon("tool", "list", "--prefix", "it", "--json").json[0]["name"] == "item"
    assert aeon("tool", "service", "list", "--owner", "shared", "--prefix", "shop").out == ""
    assert aeon("tool", "list", "--after", "no").code == 2
    assert aeon("secret", "list", "--prefix", "x").out == ""


def test_a_change_is_refused_for_another_version_than_the_expected_one(aeon, shop):
    version = aeon("tool", "show", "item").json["version"]
    assert aeon("tool", "rename", "item", "thing", "--expect", version).code == 0
    refused = aeon("tool", "delete", "--yes", "thing", "--expect", version)
    assert (refused.code, f"it now has version {version + 1}" in refused.err) == (1, True)
    assert aeon("tool", "delete", "--yes", "thing", "--expect", version + 1).code == 0
