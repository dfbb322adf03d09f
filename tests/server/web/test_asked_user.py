"""A question that names who answers it: that user sees what is asked and answers it; its owner sees who is asked."""

import pytest
from tests.server.web.test_things import post, said

pytestmark = pytest.mark.server

ASKS = """
kind: Process
name: asks bob
inputs: {amount: {type: integer}}
steps:
  - {id: look, tool: mine, output: found}
  - id: approve
    tool: mine
    dependsOn: [look]
    inputs: {amount: "{amount}"}
    question: {assignee: bob}
    execution: {interactionMode: manual, timeout: 300}
    output: said
outputTemplate: "{{step.said}}"
"""


@pytest.fixture
def run(me, own):
    own.users.create("bob")
    own.users.create("eve")
    own.documents.apply(ASKS)
    made = own.runs.start("asks bob", {"amount": 12})
    own.runs.settle(made.id)
    return made.id


def test_who_is_asked_sees_the_question_alone_and_answers_it(site, me, own, run):
    bob = site.browser("bob")
    assert f"/runs/{run}" in bob.get("/jobs").text
    page = bob.get(f"/runs/{run}")
    assert page.status_code == 200
    assert '"amount": 12' in said(page).replace("&quot;", '"')
    assert "asks bob" in said(page)
    assert "look" not in said(page), "what the run has done is its owner's"
    assert [each["step"] for each in bob.get(f"/api/v1/runs/{run}/questions").json()["data"]] == ["approve"]
    answered = post(bob, f"/runs/{run}/answer", step="approve", value="yes")
    assert (answered.status_code, answered.headers["location"]) == (303, "/jobs")
    own.runs.settle(run)
    assert own.runs.view(run).state.output == "yes"
    assert bob.get(f"/runs/{run}").status_code == 404


def test_nobody_else_sees_the_question(site, run):
    eve = site.browser("eve")
    assert eve.get(f"/runs/{run}").status_code == 404
    assert eve.get(f"/api/v1/runs/{run}/questions").status_code == 404


def test_what_else_there_is_of_the_run_stays_its_owners(site, run):
    bob = site.browser("bob")
    for path in ("", "/why", "/usage", "/trace", "/picture"):
        assert bob.get(f"/api/v1/runs/{run}{path}").status_code == 404, path


def test_the_owner_is_shown_who_is_asked_and_no_form(me, run):
    page = me.get(f"/runs/{run}")
    assert "Waits for the answer of bob" in said(page)
    assert f'action="/runs/{run}/answer"' not in page.text
    german = me.get(f"/runs/{run}", headers={"accept-language": "de"})
    assert "Wartet auf die Antwort von bob" in said(german)
