"""Documents of schedules, webhooks and alerts: what one file says starts its Processes (platform 41, 43)."""

import base64
import json

import pytest

from aeon.platform.catalog.documents import ApplyError
from aeon.platform.errors import NotFoundError

KEY = "whsec_" + base64.b64encode(b"k" * 32).decode()

FILE = """
kind: Webhook
name: orders
process: report
secret: signing
input: topic
priority: high
---
kind: Alert
name: fails
process: report
metric: process.failures
entity: report
comparison: ">="
threshold: 3
---
kind: Schedule
name: every morning
process: report
cron: "0 8 * * mon-fri"
timeZone: Europe/Berlin
inputs: {topic: sales}
---
kind: Secret
name: signing
type: api_key
value: {key: "${SIGNING}"}
---
kind: Process
name: report
inputs: {topic: {type: string, default: all}}
steps:
  - {id: say, agent: request, inputs: {request: "{topic}"}, output: said}
"""
WITHOUT_SECRET = FILE.replace("secret: signing\n", "")
ONCE = """
kind: Schedule
name: once
process: report
at: "{at}"
"""


@pytest.fixture
def project(opened):
    return opened(environ={"SIGNING": KEY})


def applied(project, text):
    return {f"{each.document.kind} {each.document.name}": each for each in project.apply(text)}


def actions(steps):
    return {name: each.action for name, each in steps.items() if name.split()[0] in ("Schedule", "Webhook", "Alert")}


def problems(project, text):
    with pytest.raises(ApplyError) as refused:
        project.apply(text)
    return refused.value.details["problems"]


def test_one_file_makes_a_process_and_all_that_starts_it_in_any_order(project):
    names = {"Schedule every morning", "Webhook orders", "Alert fails"}
    assert actions(applied(project, FILE)) == dict.fromkeys(names, "create")
    assert actions(applied(project, FILE)) == dict.fromkeys(names, "keep")
    process = project.processes.get("report").id
    alert, webhook = project.alerts.get("fails"), project.webhooks.get("orders")
    schedule = project.schedules.get("every morning")
    assert {schedule.process, webhook.process, alert.process, alert.entity} == {process}
    assert (webhook.secret_generated, alert.scope, webhook.priority) == (False, "process", "high")
    assert KEY not in json.dumps([webhook.as_dict(), schedule.as_dict(), alert.as_dict()])


def test_what_differs_is_changed_and_nothing_else(project):
    applied(project, FILE)
    text = FILE.replace("threshold: 3", "threshold: 5").replace("0 8 *", "0 9 *").replace("priority: high\n", "")
    steps = applied(project, text)
    changed = {name: each.fields for name, each in steps.items() if each.action == "change"}
    assert changed == {
        "Schedule every morning": ("cron",),
        "Webhook orders": ("priority",),
        "Alert fails": ("threshold",),
    }
    assert (project.alerts.get("fails").threshold, project.webhooks.get("orders").priority) == (5, "normal")
    assert set(actions(applied(project, text)).values()) == {"keep"}


def test_inputs_are_checked_against_the_process_as_the_file_makes_it(project):
    applied(project, FILE)
    renamed = FILE.replace("inputs: {topic: {type", "inputs: {subject: {type")
    renamed = renamed.replace('request: "{topic}"', 'request: "{subject}"')
    said = problems(project, renamed)
    assert len(said) == 2
    assert any("Schedule 'every morning'" in each and "topic" in each for each in said)
    assert any("Webhook 'orders'" in each and "no input 'topic'" in each for each in said)
    mended = renamed.replace("input: topic", "input: subject").replace("{topic: sales}", "{subject: sales}")
    assert actions(applied(project, mended))["Schedule every morning"] == "change"


def test_every_fault_is_said_at_once_and_nothing_is_made(project):
    wrong = (
        FILE.replace("0 8 *", "0 88 *")
        .replace("process.failures", "process.nothing")
        .replace("input: topic", "input: x")
    )
    said = problems(project, wrong)
    assert [each.partition(":")[0].partition(", ")[2] for each in said] == [
        "Schedule 'every morning'",
        "Webhook 'orders'",
        "Alert 'fails'",
    ]
    with pytest.raises(NotFoundError):
        project.processes.get("report")


def test_a_new_webhook_names_its_secret_and_one_with_a_generated_secret_keeps_it(project):
    (said,) = problems(project, WITHOUT_SECRET)
    assert "a new webhook in a file names its secret" in said
    applied(project, FILE[FILE.index("kind: Process") :])
    made = project.webhooks.create({"name": "orders", "process": "report", "input": "topic"})
    assert made.secret
    assert actions(applied(project, WITHOUT_SECRET))["Webhook orders"] == "change"
    assert project.webhooks.get("orders").secret_generated
    (said,) = problems(project, FILE)
    assert "its secret can never change" in said


@pytest.mark.parametrize("value", ["short", "with a blank " + "x" * 40])
def test_a_secret_of_the_file_that_cannot_sign_is_a_fault_and_is_not_repeated(opened, value):
    (said,) = problems(opened(environ={"SIGNING": value}), FILE)
    assert "'signing' cannot sign events" in said
    assert value not in said


def test_a_start_that_has_passed_is_a_fault_only_of_a_new_schedule(project):
    applied(project, FILE)
    (said,) = problems(project, ONCE.replace("{at}", "2020-01-01T00:00:00Z"))
    assert "$.at" in said
    at = "2999-01-01T00:00:00+00:00"
    project.apply(ONCE.replace("{at}", at))
    assert actions(applied(project, ONCE.replace("{at}", at))) == {"Schedule once": "keep"}


def test_another_users_process_is_named_by_its_id_and_trusted_as_it_is(opened):
    project = opened(environ={"SIGNING": KEY})
    applied(project, FILE.replace("name: report", "name: report\nshared: true"))
    shared = project.processes.get("report")
    other = opened(environ={"SIGNING": KEY}, user="bob")
    text = FILE[: FILE.index("---\nkind: Process")].replace("process: report", f"process: {shared.id}")
    text = text.replace("entity: report", f"entity: {shared.id}")
    assert set(actions(applied(other, text)).values()) == {"create"}
    assert {other.webhooks.get("orders").trusted_digest, other.alerts.get("fails").trusted_digest} == {shared.digest}
    assert set(actions(applied(other, text)).values()) == {"keep"}
    (said, *_) = problems(other, FILE[: FILE.index("---\nkind: Process")])
    assert "There is nothing named 'report'" in said


def test_a_check_without_a_record_finds_the_same_faults_by_line(project):
    files = project.processes.files
    assert files.check(FILE).is_valid
    lines = [each.fault.line for each in files.check(FILE.replace("input: topic", "input: x")).faults]
    assert lines == [6]
    unknown = files.check(
        FILE.replace("process: report", "process: raport").replace("entity: report", "entity: raport")
    )
    assert [each.fault.line for each in unknown.faults] == [4, 11, 19], "at the fields that name it"
    broken = FILE.replace("agent: request", "tool: nothing")
    assert [each.fault.line for each in files.check(broken).faults] == [33], "what follows from it is not said again"


def test_what_follows_from_a_fault_of_the_file_is_not_said_when_it_is_applied(project):
    (said,) = problems(project, FILE.replace("agent: request", "tool: nothing"))
    assert "there is no tool 'nothing'" in said


SAME_NAMES = """
kind: Service
name: shop
type: rest_api
protocol: https
connectionSchema: {type: object, required: [endpoint], properties: {endpoint: {type: string}}}
---
kind: Tool
name: get
service: shop
secret: shop
connectionParams: {endpoint: https://shop.example}
operation: {type: rest_request, path: /}
inputSchema: {type: object}
"""


def test_what_is_missing_is_said_also_if_the_file_has_something_else_of_that_name(project):
    """Else the tool would be left out, and the rest applied as if nothing were wrong."""
    (said,) = problems(project, SAME_NAMES)
    assert "no secret named 'shop'" in said
    (fault,) = project.processes.files.check(SAME_NAMES).faults
    assert "no secret named 'shop'" in fault.fault.message
    with pytest.raises(NotFoundError):
        project.services.get("shop")


def test_a_file_with_one_alert_too_many_is_refused_before_anything_is_made(project):
    """Applying it would end in the middle else."""
    document = FILE[FILE.index("kind: Alert") : FILE.index("---\nkind: Schedule")]
    alerts = [document.replace("name: fails", f"name: fails {number}") for number in range(101)]
    text = "---\n".join([*alerts, FILE[FILE.index("kind: Process") :]])
    (said,) = problems(project, text)
    assert "Alert 'fails 100'" in said
    assert "A user has at most 100 alerts" in said
    with pytest.raises(NotFoundError):
        project.processes.get("report")
