"""The page of all triggers: what starts a Process by itself, with its Process, enabled, disabled and deleted."""

import re

import pytest
from tests.application.conftest import STORED
from tests.server.web.test_things import hidden, post, said

pytestmark = pytest.mark.server


@pytest.fixture
def own(site):
    """The workspace of the user, in which a Process has a trigger of each kind."""
    made = site.workspaces.of("me")
    made.documents.apply(STORED)
    inputs = {"what": "tea"}
    made.schedules.add({"name": "mornings", "process": "ask", "inputs": inputs, "cron": "0 8 * * *"})
    made.webhooks.create({"name": "orders", "process": "ask"})
    condition = {"metric": "process.failures", "comparison": ">", "threshold": 3}
    made.alerts.add({"name": "fails", "process": "ask", "inputs": inputs, **condition})
    return made


@pytest.fixture
def me(site, own):
    """A signed-in browser of the user."""
    return site.browser("me")


def test_all_triggers_are_listed_with_their_process_and_their_next_start(me, own):
    answer = me.get("/triggers")
    process, hook = own.processes.get("ask"), own.webhooks.get("orders")
    shown = said(answer)
    assert re.search(r"schedule mornings 0 8 \* \* \* UTC → 20\d\d-\S+ Process: ask", shown)
    assert f"webhook orders POST {hook.path}, standard Process: ask" in shown
    assert "alert fails process.failures > 3 quiet Process: ask" in shown
    assert answer.text.count(f'href="/processes/{process.id}"') == 3
    assert 'href="/triggers" aria-current="page"' in answer.text
    assert "Auslöser" in said(me.get("/triggers", headers={"accept-language": "de"}))


def test_the_last_start_of_a_schedule_is_shown_with_its_run_or_why_it_was_refused(me, own):
    columns = {"started_at": "2026-11-27T08:00:00+00:00", "run": "run-1", "problem": None}
    store = own._platform.store

    def note(**changes):
        text = "UPDATE schedules SET started_at = :started_at, run = :run, problem = :problem"
        store.update(lambda unit: unit.write(text, {**columns, **changes}))

    note()
    answer = me.get("/triggers")
    assert 'href="/runs/run-1"' in answer.text
    assert "last started: 2026-11-27 08:00:00" in said(answer)
    note(problem="The Process 'ask' is disabled.")
    assert "The Process 'ask' is disabled." in said(me.get("/triggers"))
    assert own.schedules.get("mornings").run == "run-1"


def test_the_newest_run_that_an_event_of_a_webhook_started_is_shown(me, own):
    hook = own.webhooks.get("orders")
    assert own.webhooks.newest_run(hook) is None
    own.runs.start("ask", {"what": "tea"}, tags={"webhook": "another"})
    own.runs.start("ask", {"what": "milk"}, tags={"webhook": "orders"})
    newest = own.runs.start("ask", {"what": "tea"}, tags={"webhook": "orders", "delivery": "d-1"})
    assert own.webhooks.newest_run(hook).id == newest.id
    answer = me.get("/triggers")
    assert f'href="/runs/{newest.id}"' in answer.text
    assert f"last started: {newest.accepted_at[:19].replace('T', ' ')}" in said(answer)


@pytest.mark.parametrize(("kind", "name"), [("schedule", "mornings"), ("webhook", "orders"), ("alert", "fails")])
def test_each_is_disabled_enabled_and_deleted_from_the_list(me, own, kind, name):
    service = {"schedule": own.schedules, "webhook": own.webhooks, "alert": own.alerts}[kind]
    found = service.get(name)
    address = f"/triggers/{kind}/{found.id}"
    answer = post(me, address, enabled="false")
    assert (answer.status_code, answer.headers["location"]) == (303, "/triggers")
    assert not service.get(name).enabled
    assert "disabled" in said(me.get("/triggers"))
    process = own.processes.get("ask").id
    answer = post(me, address, enabled="true", process=process)
    assert answer.headers["location"] == f"/processes/{process}#triggers"
    asked = me.get(f"{address}/delete")
    assert f"Delete {name}?" in said(asked)
    answer = post(me, f"{address}/delete", version=hidden(asked, "version"))
    assert answer.headers["location"] == "/triggers"
    assert name not in said(me.get("/triggers"))


def test_a_trigger_whose_process_is_not_shared_any_more_says_so(me, own, site):
    hers = site.workspaces.of("ann")
    hers.documents.apply(
        STORED.replace("name: mine", "name: mine\nshared: true").replace("name: graph", "name: graph\nshared: true")
    )
    process = hers.processes.get("ask")
    shared = hers.processes.change(process.id, {"shared": True})
    own.webhooks.create({"name": "hers", "process": shared.id})
    hers.processes.change(process.id, {"shared": False})
    assert re.search(
        r"webhook hers \S+ \S+ standard starts nothing: you do not see its Process any more", said(me.get("/triggers"))
    )


def test_without_any_the_page_says_what_they_are(site):
    assert "Nothing starts by itself." in said(site.browser("eve").get("/triggers"))
