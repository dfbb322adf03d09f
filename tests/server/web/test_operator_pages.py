"""The pages of users, and of jobs and workers, for operators and for others (platform 10, 11, 31)."""

import re

import pytest
from tests.application.conftest import STORED
from tests.application.test_services import FAILS
from tests.server.web.test_things import hidden, said

pytestmark = pytest.mark.server


@pytest.fixture
def me(site):
    """A signed-in browser of the owner of the folder, who is an operator."""
    return site.browser("me")


def test_a_user_is_added_disabled_and_enabled(me, site):
    users = site.workspaces.of("me").users
    assert "me owner of the folder, operator" in said(me.get("/users"))
    answer = me.post("/users", data={"key": "k", "name": "a/nn & co", "role": "user"})
    assert answer.headers["location"] == "/users"
    page = me.get("/users")
    assert "a/nn & co user" in said(page)
    sent = {"key": "l", "user": "a/nn & co", "version": hidden(page, "version"), "enabled": "false"}
    me.post("/users/change", data=sent)
    assert not users.get("a/nn & co").enabled
    page = me.get("/users")
    assert "a/nn & co user disabled" in said(page)
    me.post("/users/change", data={**sent, "key": "m", "version": hidden(page, "version"), "enabled": "true"})
    assert users.get("a/nn & co").enabled
    assert "Benutzer hinzufügen" in said(me.get("/users", headers={"accept-language": "de"}))


def test_what_is_refused_is_said_above_the_list(me):
    me.post("/users", data={"key": "k", "name": "ann"})
    twice = me.post("/users", data={"key": "l", "name": "ann"})
    assert twice.status_code == 409
    assert re.search("ann .*Add a user", said(twice))
    own = me.post("/users/change", data={"key": "m", "user": "me", "version": "1", "enabled": "false"})
    assert own.status_code == 422
    assert "You cannot disable yourself" in said(own)


def test_an_operator_sees_the_workers_and_everybody_their_own_jobs(me, site):
    own = site.workspaces.of("me")
    own.documents.apply(STORED)
    run = own.runs.start("ask", {"what": "tea"})
    own.runs.settle(run.id, 20.0)
    shown = said(me.get("/jobs"))
    assert re.search(rf"{run.id[:8]} human waits me \S+ \S+ ask approve mine", shown)
    assert "Workers Worker Type" in shown
    theirs = said(site.browser("eve").get("/jobs"))
    assert "Workers" not in theirs
    assert "No job is queued or running." in theirs
    assert run.id not in theirs
    assert 'href="/jobs"' in site.browser("eve").get("/runs").text


def test_a_dead_job_leads_to_its_run(me, site):
    own = site.workspaces.of("me")
    own.documents.apply(f"{STORED}---{FAILS}")
    run = own.runs.start("fails", {})
    own.runs.settle(run.id, 20.0)
    answer = me.get("/jobs")
    assert answer.text.count(f'href="/runs/{run.id}"') == 1
    assert "No job failed for good." not in said(answer)
