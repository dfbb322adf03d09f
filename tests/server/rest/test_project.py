"""Skills, models and settings over REST: for the owner of the project's folder alone."""

import threading
from contextlib import suppress
from pathlib import Path

import pytest
from tests.server.conftest import events_of
from tests.server.rest.test_permissions import make_skill

from aeon.adapters.weights import CATALOG
from aeon.testing.weights import ScriptedSource, make_weights


@pytest.fixture
def client(site):
    make_skill(site.folder / "skills" / "greeter")
    return site.client("me")


def test_a_script_runs_once_its_skill_is_trusted_and_not_before_skills_15(client):
    (before,) = [each for each in client.get("/api/v1/skills").json()["data"] if each["name"] == "greeter"]
    assert (before["isTrusted"], before["unusable"]) == (False, "it is not trusted")
    run = "/api/v1/skills/greeter/scripts/speaks/run"
    assert client.post(run, json={}).status_code == 409
    trusted = client.put("/api/v1/skills/greeter/trust").json()
    assert (trusted["isTrusted"], trusted["unusable"], trusted["grants"]["network"]) == (True, None, False)
    trace = client.post(run, json={}).json()
    assert (trace["success"], trace["finalState"]["said"]["text"]) == (True, "hello"), trace
    assert client.post(run, json={"args": ["x"]}).status_code == 422
    assert client.delete("/api/v1/skills/greeter/trust").status_code == 204
    assert client.post(run, json={}).status_code == 409
    for path in ("nothing", "..%2fgreeter"):
        assert client.get(f"/api/v1/skills/{path}").status_code == 404, path
    for script in ("nothing", "..%2f..%2fetc", "%2e%2e"):
        assert client.post(f"/api/v1/skills/greeter/scripts/{script}/run", json={}).status_code == 404, script


def test_the_configured_model_is_shown_and_weights_are_fetched_with_their_progress(client, monkeypatch, fetch_from):
    content = bytes(1000)
    monkeypatch.setitem(CATALOG, "small", make_weights(content, "small"))
    fetch_from(ScriptedSource([content], "hub"))
    models = client.get("/api/v1/models").json()
    assert {each["name"] for each in models["stored"]} >= {"small"}
    assert models["chosen"]["isThere"] is False
    *_, (_, name, data) = events_of(client.post("/api/v1/models/small/fetch"))
    assert name == "end", data
    assert client.post("/api/v1/models/unheard-of/fetch").status_code == 404


def test_a_fetch_that_fails_ends_its_stream_with_the_problem(client, fetch_from):
    fetch_from()
    *_, (_, name, problem) = events_of(client.post("/api/v1/models/small/fetch"))
    assert (name, problem["code"] != "", problem["nextStep"] != "") == ("failed", True, True)


def test_settings_are_shown_with_their_origin_and_changed_all_or_none(site, client):
    before = client.get("/api/v1/settings").json()["values"]["run.ttl"]
    assert before["origin"] == "default"
    changed = client.patch("/api/v1/settings", json={"values": {"run.ttl": 41}})
    assert changed.status_code == 200, changed.text
    now = changed.json()["values"]["run.ttl"]
    assert (now["value"], now["origin"]) == (41, str(site.folder / "aeon.toml"))
    text = (site.folder / "aeon.toml").read_text()
    for wrong in (
        {"run.ttl": "many"},
        {"run.ttl": 42, "nothing.here": 1},
        {"skills.trust_project": True},
        {"skills.sandbox": "plain"},
        {"run.log_dir": "/somewhere"},
        {"run.ttl": {"a": 1}},
    ):
        refused = client.patch("/api/v1/settings", json={"values": wrong})
        assert refused.status_code == 422, (wrong, refused.text)
        assert (site.folder / "aeon.toml").read_text() == text, wrong


@pytest.mark.parametrize("path", ["skills", "models", "settings", "skills/greeter"])
def test_other_users_see_nothing_of_the_folder(site, client, path):
    assert client.get(f"/api/v1/{path}").status_code == 200
    refused = site.client("eve").get(f"/api/v1/{path}")
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert site.client().get(f"/api/v1/{path}").status_code == 401


def runs(seconds):
    """Whether a process sleeps for so many seconds."""
    lines = (each.joinpath("cmdline") for each in Path("/proc").iterdir() if each.name.isdigit())
    for line in lines:
        with suppress(OSError):
            if line.read_bytes() == f"sleep\0{seconds}\0".encode():
                return True
    return False


def test_half_a_surrogate_pair_in_a_scripts_result_is_sent(site):
    scripts = site.folder / "skills" / "halves" / "scripts"
    scripts.mkdir(parents=True)
    (scripts.parent / "SKILL.md").write_text("---\nname: halves\ndescription: Cuts.\n---\nRun scripts/cut.sh.\n")
    (scripts / "cut.sh").write_text(r"""echo '{"u": "cut \ud83d"}'""")
    client = site.client("me")
    assert client.put("/api/v1/skills/halves/trust").status_code == 200
    answer = client.post("/api/v1/skills/halves/scripts/cut/run", json={})
    assert answer.status_code == 200
    assert "cut \\ud83d" in answer.text
    assert answer.json()["success"] is True


def test_a_script_that_runs_ends_when_the_server_stops(site):
    make_skill(site.folder / "skills" / "greeter", "#!/bin/sh\nsleep 42421\n")
    client = site.client("me")
    assert client.put("/api/v1/skills/greeter/trust").status_code == 200
    answers = []
    run = "/api/v1/skills/greeter/scripts/speaks/run"
    asking = threading.Thread(target=lambda: answers.append(client.post(run, json={})))
    asking.start()
    while not runs(42421):
        assert asking.is_alive()
    site.state.stopping.set()
    asking.join(20)
    assert [each.json()["success"] for each in answers] == [False]
    assert not runs(42421)
