"""The page of settings: each value with its origin, a form that changes it, what cannot be changed there."""

import html
import re
from contextlib import ExitStack

import pytest
from tests.server.conftest import Site
from tests.server.web.test_things import post, said

from aeon.testing.llm import ScriptedAdapter

pytestmark = pytest.mark.server


@pytest.fixture
def me(site):
    """A signed-in browser of the folder's owner."""
    return site.browser("me")


def setting(answer, key):
    """The words of one setting on the page."""
    part = re.search(rf'(?s)<section class="setting" id="{re.escape(key)}".*?</section>', answer.text)[0]
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", part)).split())


def change(me, key, typed):
    return post(me, "/settings", setting=key, **{f"in.{key}": typed})


def test_each_setting_is_shown_with_its_value_and_its_origin(me, site):
    (site.folder / "aeon.toml").write_text("[run]\nttl = 41\n")
    shown = me.get("/settings")
    assert setting(shown, "run.ttl").startswith(f"run.ttl 41 {site.folder / 'aeon.toml'}")
    assert setting(shown, "run.on_missing_tool").startswith("run.on_missing_tool fallback default")
    assert setting(shown, "model.base_url").startswith("model.base_url not set default")


def test_a_setting_is_changed_by_its_form_and_counts_after_the_next_start(me, site):
    assert change(me, "run.ttl", "42").headers["location"] == "/settings#run.ttl"
    assert (site.folder / "aeon.toml").read_text() == "[run]\nttl = 42\n"
    assert "the server still uses another value" in setting(me.get("/settings"), "run.ttl")
    for key, typed in (
        ("run.on_missing_tool", "fail"),
        ("conversations.titles", "false"),
        ("model.name", "3"),
        ("model.sources", '["index"]'),
        ("model.prices", '{"m": {"prompt": 1, "completion": 2.5, "currency": "EUR"}}'),
    ):
        assert change(me, key, typed).status_code == 303, key
    values = site.client("me").get("/api/v1/settings").json()["values"]
    assert values["model.name"]["value"] == "3"
    assert values["model.sources"]["value"] == ["index"]
    assert values["conversations.titles"]["value"] is False
    assert change(me, "run.ttl", "").status_code == 303
    assert setting(me.get("/settings"), "run.ttl").startswith("run.ttl 50 default")
    assert change(me, "run.ttl", "").status_code == 303, "taking it out again changes nothing"


@pytest.mark.parametrize(
    ("key", "typed", "fault"),
    [
        ("run.ttl", "many", "It is not a whole number."),
        ("run.ttl", "0", "run.ttl"),
        ("run.log_dir", "/somewhere", "leads out of the project's folder"),
        ("model.sources", "hub", "It is not JSON"),
        ("model.api_key_env", "sk-123", "must be the NAME of an environment variable"),
        ("skills.sandbox", "plain", "removes the isolation of scripts"),
        ("skills.allow_network", "true", "a project's file may not make one"),
    ],
)
def test_what_is_wrong_is_told_at_its_field_and_the_file_stays(me, site, key, typed, fault):
    (site.folder / "aeon.toml").write_text("[run]\nttl = 41\n")
    refused = change(me, key, typed)
    assert refused.status_code == 422
    assert fault in setting(refused, key)
    assert (site.folder / "aeon.toml").read_text() == "[run]\nttl = 41\n"


def test_what_a_file_cannot_decide_is_said_instead_of_a_form(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with ExitStack() as closing:
        me = Site(tmp_path, ScriptedAdapter(()), closing, {"AEON_RUN_TTL": "60"}).browser("me")
        shown = me.get("/settings")
        assert "AEON_RUN_TTL sets it, and wins over every file" in setting(shown, "run.ttl")
        assert "set AEON_TOOLS_ALLOW_READ yourself" in setting(shown, "tools.allow_read")
        for key in ("run.ttl", "tools.allow_read"):
            assert f'name="in.{key}"' not in shown.text


def test_a_file_that_cannot_be_read_is_said_with_its_problem(me, site):
    (site.folder / "aeon.toml").write_text("[run\n")
    shown = me.get("/settings")
    assert (shown.status_code, "is not TOML" in said(shown)) == (200, True)
    assert post(me, "/settings", setting="nothing.here").status_code == 422


def test_only_the_folders_owner_sees_and_changes_settings_platform_31(site):
    eve = site.browser("eve")
    assert eve.get("/settings").status_code == 403
    assert change(eve, "run.ttl", "42").status_code == 403
    assert not (site.folder / "aeon.toml").exists()
