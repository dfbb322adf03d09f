"""The pages of Processes, tools, services and secrets, and erasing, as forms and links without a browser."""

import html
import re

import pytest
from tests.application.conftest import STORED

from aeon.plan.yaml import dump_yaml
from aeon.platform.catalog.model import ToolChange
from aeon.server.web.navigation import PERMISSIONS, places_at

pytestmark = pytest.mark.server

CANARY = "zeppelin-7f3a"
HOSTILE = "<img src=x onerror=alert(1)>\u202e"


def said(answer):
    """The words of a page, without its markup."""
    body = answer.text.partition("<main")[2].partition("</main>")[0]
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", body)).split())


def header(answer):
    """The markup of a page above its main part."""
    return answer.text.partition("<main")[0]


def hidden(answer, name):
    """The value of a hidden field."""
    return html.unescape(re.search(rf'type="hidden" name="{name}" value="([^"]*)"', answer.text)[1])


def written(answer):
    """The text in the editor."""
    return html.unescape(re.search(r"<textarea id=.text.[^>]*>\n(.*?)</textarea>", answer.text, re.DOTALL)[1])


def post(client, path, **fields):
    return client.post(path, data={"key": "k", **fields})


def test_the_list_says_whose_a_process_is_and_finds_by_the_beginning_of_a_name(me):
    shown = said(me.get("/processes"))
    assert re.search(r"ask .*asks_below .*greet .*answer_and_keep Aeon", shown)
    assert "Aeon" not in said(me.get("/processes?owner=own"))
    assert "greet" not in said(me.get("/processes?q=ask"))
    assert me.get("/processes?after=nonsense").status_code == 422


def test_a_process_is_shown_with_its_steps_its_drawing_and_its_text(me, own):
    process = own.processes.get("ask")
    answer = me.get(f"/processes/{process.id}")
    shown = said(answer)
    assert "approve mine asks a person after look" in shown
    assert "tool: mine" in shown
    picture = re.search(r'<img src="([^"]+)"', answer.text)[1]
    assert me.get(picture).headers["content-type"].startswith("image/svg+xml")
    assert me.get("/processes/ask").status_code == 200, "a name is an address, too"


def test_the_page_of_a_large_process_stays_small(me, own):
    steps = [{"id": f"s{place}", "tool": "mine", "output": f"o{place}"} for place in range(3_000)]
    own.documents.apply(dump_yaml({"kind": "Process", "name": "large", "steps": steps}))
    answer = me.get("/processes/large")
    assert "and 2800 more steps" in said(answer)
    assert len(answer.content) < 150_000
    assert written(me.get("/processes/large/edit")).count("tool: mine") == 3_000


def test_a_run_is_started_once_by_a_form_of_typed_inputs_platform_20(me, own):
    process = own.processes.get("ask")
    begun = post(me, f"/processes/{process.id}/runs", **{"in.what": "[1, 2]"})
    assert begun.status_code == 303
    run = own.runs.view(begun.headers["location"].removeprefix("/runs/"))
    assert run.run.inputs == {"what": [1, 2]}
    again = post(me, f"/processes/{process.id}/runs", **{"in.what": "[1, 2]"})
    assert again.headers["location"] == begun.headers["location"]
    assert (
        post(me, f"/processes/{process.id}/runs", **{"in.what": "tea"}).headers["location"] != begun.headers["location"]
    )


def test_a_process_is_paused_and_goes_on_by_buttons_platform_41(me, own):
    process = own.processes.get("ask")
    assert "Pause it with its runs" in said(me.get(f"/processes/{process.id}"))
    shown = said(me.get(post(me, f"/processes/{process.id}/pause").headers["location"]))
    assert "A run that you start now waits until it goes on." in shown
    assert own.processes.get("ask").paused
    shown = said(me.get(post(me, f"/processes/{process.id}/resume").headers["location"]))
    assert "waits until" not in shown
    assert not own.processes.get("ask").paused


def test_what_is_wrong_with_inputs_is_told_beside_them_and_what_was_typed_stays(me, own):
    own.documents.apply(TYPED)
    process = own.processes.get("typed")
    answer = post(me, f"/processes/{process.id}/runs", **{"in.size": "many"})
    assert (answer.status_code, "It is not a whole number." in said(answer)) == (422, True)
    assert 'value="many"' in answer.text
    assert own.runs.list(process="typed").items == []


def test_two_versions_of_a_process_are_compared_field_by_field(me, own):
    own.documents.apply(STORED.replace("Hello {{who}}", "Good day {{who}}"))
    process = own.processes.get("greet")
    shown = said(me.get(f"/processes/{process.id}/compare"))
    assert "Process changed outputTemplate Hello {{who}} Good day {{who}}" in shown
    old, new = own.processes.list_versions("greet")
    assert "They do not differ." in said(me.get(f"/processes/{process.id}/compare?old={new.digest}&new={new.digest}"))
    assert "Good day {{who}} Hello {{who}}" in said(
        me.get(f"/processes/{process.id}/compare?old={new.digest}&new={old.digest}")
    )


def test_a_shipped_process_is_copied_changed_and_saved_platform_4(me, own):
    shipped = own.processes.get("chat")
    assert me.get(f"/processes/{shipped.id}/edit").headers["location"] == f"/processes/new?copy_of={shipped.id}"
    editor = me.get(f"/processes/new?copy_of={shipped.id}")
    text = written(editor)
    assert "name: chat copy" in text
    saved = post(me, "/processes/new", content=text, then="save")
    assert saved.status_code == 303
    made = own.processes.get("chat copy")
    assert (saved.headers["location"], made.digest) == (f"/processes/{made.id}?sent=k", shipped.digest)
    assert "name: chat copy 2" in written(me.get(f"/processes/new?copy_of={shipped.id}"))
    refused = post(me, f"/processes/{shipped.id}/edit", content=text, version="1")
    assert refused.status_code == 403


def test_the_sample_of_a_new_process_is_valid(me):
    checked = post(me, "/processes/new", content=written(me.get("/processes/new")), then="check")
    assert "No fault was found." in said(checked)


def test_all_faults_of_a_text_are_told_by_line_and_nothing_is_saved(me, own):
    process = own.processes.get("greet")
    editor = me.get(f"/processes/{process.id}/edit")
    bad = written(editor).replace("tool: mine", "tool: nothing").replace("{{who}}", "{{nobody}}")
    for then in ("check", "save"):
        answer = post(me, f"/processes/{process.id}/edit", content=bad, version=hidden(editor, "version"), then=then)
        assert [int(each) for each in re.findall(r'data-line="(\d+)"', answer.text)] == [7, 9]
        assert written(answer).splitlines() == bad.splitlines(), "the text stays as it was typed"
    fragment = me.post("/processes/check", data={"content": bad, "process": process.id})
    assert fragment.text.count("<li") == 2
    assert "<main" not in fragment.text
    assert own.processes.get("greet").version == process.version


def test_a_field_that_is_probably_misspelt_is_named_and_the_text_can_be_saved(me, own):
    inputs = "inputs: {order: {type: object, properties: {customer: {}}}}"
    steps = "steps:\n  - {id: look, tool: mine, inputs: {of: '{order.custmer}'}, output: found}"
    text = f"kind: Process\nname: odd\n{inputs}\n{steps}\n"
    checked = me.post("/processes/check", data={"content": text})
    assert "No fault was found." in checked.text
    assert checked.text.count("data-line") == 1
    assert "did you mean" in checked.text
    applied = post(me, "/apply", content=text, then="check")
    warning = "Warning: $.steps[0].inputs.of: order.custmer"
    assert warning in said(applied)
    own.documents.apply(text)
    assert warning in said(me.get(f"/processes/{own.processes.get('odd').id}"))
    own.tools.change("mine", {"enabled": False})
    assert own.processes.find_faults(own.processes.get("odd")) != []


def test_an_update_that_would_be_lost_is_refused_with_words_and_saving_again_replaces_it_platform_29(me, own):
    process = own.processes.get("greet")
    editor = me.get(f"/processes/{process.id}/edit")
    mine = written(editor).replace("Hello", "Welcome")
    own.processes.change("greet", {"outputTemplate": "Good day {{who}}"})
    refused = post(me, f"/processes/{process.id}/edit", content=mine, version=hidden(editor, "version"))
    assert refused.status_code == 412
    assert "Saving it again replaces" in said(refused)
    assert "changed outputTemplate" in said(refused)
    assert "Welcome" in written(refused)
    assert own.processes.get("greet").output_template == "Good day {{who}}"
    saved = post(
        me,
        f"/processes/{process.id}/edit",
        content=written(refused),
        version=hidden(refused, "version"),
        key="another",
    )
    assert saved.status_code == 303
    assert own.processes.get("greet").output_template == "Welcome {{who}}"


@pytest.mark.parametrize("path", ["processes", "tools", "services", "secrets"])
def test_a_thing_is_renamed_shared_and_deleted_in_the_version_that_was_shown_platform_29(path, me, own):
    own.secrets.put("key", "api_key", {"key": CANARY})
    service = {"processes": own.processes, "tools": own.tools, "services": own.services, "secrets": own.secrets}[path]
    name = {"processes": "asks_below", "tools": "mine", "services": "graph", "secrets": "key"}[path]
    thing = service.get(name)
    at = f"/{path}/{thing.id}"
    version = hidden(me.get(at), "version")
    assert post(me, f"{at}/change", version=version, name="renamed").headers["location"] == at
    late = post(me, f"{at}/change", version=version, shared="true")
    assert (late.status_code, "now has version 2" in said(late)) == (412, True)
    assert post(me, f"{at}/change", version="2", shared="true", key="b").status_code == 303
    assert (service.get("renamed").shared, service.get("renamed").version) == (True, 3)
    if path != "secrets":
        assert post(me, f"{at}/change", version="3", enabled="false", key="c").status_code == 303
    asked = me.get(f"{at}/delete")
    assert "Delete renamed?" in said(asked)
    late = post(me, f"{at}/delete", version="1", key="d")
    assert late.status_code == 412
    deleted = post(me, f"{at}/delete", version=hidden(asked, "version"), key="e")
    if path in ("tools", "services"):
        assert (deleted.status_code, "still" in said(deleted) or "use" in said(deleted)) == (409, True)
        assert "It is used by" in said(asked)
    else:
        assert (deleted.status_code, me.get(at).status_code) == (303, 404)


def test_a_tool_is_called_by_a_form_and_its_health_is_checked(me, own):
    own.documents.apply(TYPED)
    tool = own.tools.get("sized")
    answer = me.get(f"/tools/{tool.id}")
    assert "unchecked" in said(answer)
    assert "It was not checked yet." in said(answer)
    wrong = post(me, f"/tools/{tool.id}/call", **{"in.size": "many", "in.label": "x"})
    assert (wrong.status_code, "It is not a whole number." in said(wrong)) == (422, True)
    called = post(me, f"/tools/{tool.id}/call", **{"in.size": "3"})
    assert (called.status_code, " ms" in said(called)) == (200, True)
    assert me.post("/tools/health").headers["location"] == "/tools"
    assert own.tools.get("sized").last_health_check is not None


def test_a_call_that_fails_says_why_and_keeps_what_was_typed(me, own):
    own.documents.apply(REMOTE)
    tool = own.tools.get("stock")
    answer = post(me, f"/tools/{tool.id}/call", **{"in.item": "tea"})
    assert answer.status_code >= 400
    assert 'role="alert"' in answer.text
    assert "tea</textarea>" in answer.text


def test_a_tool_is_edited_as_a_text_in_the_version_that_was_shown_platform_29(me, own):
    own.documents.apply(REMOTE)
    tool = own.tools.get("stock")
    editor = me.get(f"/tools/{tool.id}/edit")
    sent = {"content": written(editor), "version": hidden(editor, "version")}
    same = post(me, f"/tools/{tool.id}/edit", **sent)
    assert (same.status_code, own.tools.get("stock").operation) == (303, tool.operation)
    version = own.tools.get("stock").version
    wrong = sent["content"].replace("path: /items/{item}", "path: 7").replace("endpoint: http", "endpoint: ftp")
    refused = post(me, f"/tools/{tool.id}/edit", content=wrong, version=str(version), key="a")
    assert refused.status_code == 422
    assert [
        sent["content"].splitlines()[int(each) - 1].strip() for each in re.findall(r'data-line="(\d+)"', refused.text)
    ] == ["path: /items/{item}"]
    assert written(refused).splitlines() == wrong.splitlines()
    late = post(me, f"/tools/{tool.id}/edit", content="description: Late.", version=str(version + 1), key="b")
    assert (late.status_code, "Saving it again replaces" in said(late)) == (412, True)
    again = post(me, f"/tools/{tool.id}/edit", content=written(late), version=hidden(late, "version"), key="c")
    assert (again.status_code, own.tools.get("stock").description) == (303, "Late.")


def test_a_service_is_edited_and_one_of_another_user_is_not(me, own):
    service = own.services.get("graph")
    saved = post(me, f"/services/{service.id}/edit", content="limits: {concurrency: 2}", version="1")
    assert (saved.status_code, own.services.get("graph").limits.concurrency) == (303, 2)
    shipped = own.services.get("configured model")
    refused = post(me, f"/services/{shipped.id}/edit", content="limits: {concurrency: 2}", version="1")
    assert (refused.status_code, "belongs to another user" in said(refused)) == (403, True)


def test_services_and_tools_are_added_by_a_text_as_a_whole_or_not_at_all(me, own):
    sample = written(me.get("/apply"))
    checked = post(me, "/apply", content=sample, then="check")
    assert "What saving would do new Service my service new Tool my tool" in said(checked)
    assert [each.name for each in own.tools.list(owner="own").items] == ["mine"]
    wrong = post(me, "/apply", content=sample.replace("service: my service", "service: nothing"))
    assert wrong.status_code == 422
    assert "document 2 (line 11), Tool" in said(wrong), said(wrong)
    assert "service: nothing" in written(wrong)
    assert "new Tool my tool" in said(post(me, "/apply", content=sample))
    assert own.tools.get("my tool").operation.type == "rest_request"
    changed = post(me, "/apply", content=sample.replace("What it does.", "Looks up an item."))
    assert "unchanged Service my service changed Tool my tool description" in said(changed)


@pytest.mark.parametrize(
    "head", ["kind: Secret", '"kind": "Secret"', "{kind: Secret, ", "kind:\n  Secret", "? kind\n: Secret"]
)
def test_a_text_with_a_secret_is_not_taken_and_not_shown_again_platform_3(me, own, head):
    answer = post(me, "/apply", content=f"{head}\nname: k\ntype: api_key\nvalue: {{key: {CANARY}}}\n")
    assert (answer.status_code, CANARY in answer.text) == (422, False)
    assert own.secrets.list(owner="own").items == []


def test_a_secret_is_written_rotated_and_never_read_platform_3(me, own):
    form = me.get("/secrets/new?kind=password")
    assert 'type="password"' in form.text
    made = post(me, "/secrets/new", kind="password", name="shop", **{"in.username": "ann", "in.password": CANARY})
    assert made.status_code == 303, said(made)
    at = made.headers["location"]
    secret = own.secrets.get("shop")
    rotated = post(
        me, f"{at}/rotate", version=str(secret.version), key="r", **{"in.username": "ann", "in.password": f"{CANARY}-2"}
    )
    assert rotated.status_code == 303, said(rotated)
    assert own.secrets.get("shop").vault_version != secret.vault_version
    pages = [me.get(each).text for each in (at, "/secrets", "/tools", f"{at}/delete")]
    broken = post(me, "/secrets/new", kind="password", name="shop", key="b", **{"in.password": CANARY})
    stale = post(me, f"{at}/rotate", version="1", key="s", **{"in.username": "ann", "in.password": f"{CANARY}-3"})
    assert (broken.status_code, stale.status_code) == (422, 412)
    assert not [each for each in [*pages, broken.text, stale.text] if CANARY in each]
    assert CANARY not in at


def test_a_tool_uses_the_secret_that_its_user_chooses_platform_3(site, me, own):
    own.secrets.put("mine", "api_key", {"key": CANARY})
    own.tools.change("mine", {"shared": True})
    tool = own.tools.get("mine")
    for each in ("a", "b"):
        site.workspaces.of("eve").secrets.put(each, "api_key", {"key": CANARY})
    eve = site.browser("eve")
    assert "Your plans do not use it." in said(eve.get(f"/tools/{tool.id}"))
    trusted = post(eve, f"/tools/{tool.id}/trust", version=str(tool.version))
    assert trusted.headers["location"] == f"/tools/{tool.id}"
    post(eve, f"/tools/{tool.id}/secret", version=str(tool.version), secret="b", key="x")  # noqa: S106  # its name
    theirs = site.workspaces.of("eve").tools.consent(tool)
    assert (theirs.secret.name, theirs.is_trusted) == ("b", True)
    assert '<option value="b" selected>' in eve.get(f"/tools/{tool.id}").text
    own.tools.change("mine", ToolChange(description="Other words."))
    assert "until you trust it again" in said(eve.get(f"/tools/{tool.id}"))
    post(eve, f"/tools/{tool.id}/secret", version="1", secret="", key="y")
    post(eve, f"/tools/{tool.id}/distrust", key="z")
    assert site.workspaces.of("eve").tools.consent(tool) == (None, False, False)
    assert post(eve, f"/tools/{tool.id}/change", version="3", name="theirs").status_code == 403


def test_two_runs_are_compared_from_the_page_of_one(me, own):
    first, second = (own.runs.start("ask", {"what": each}) for each in ("tea", "milk"))
    for each in (first, second):
        own.runs.settle(each.id, 20)
    assert f'<option value="{first.id}">' in me.get(f"/runs/{second.id}").text
    shown = said(me.get(f"/runs/{second.id}/compare?with={first.id}"))
    assert "what tea milk" in shown
    assert "look the same" in shown
    other = own.runs.start("greet", {"who": "Ann"})
    assert me.get(f"/runs/{other.id}/compare?with={first.id}").status_code == 422
    assert me.get(f"/runs/{other.id}/compare?with=nothing").status_code == 404


def test_a_message_and_then_a_conversation_are_forgotten_after_a_question_platform_28(me, own):
    service = own.conversations
    message = service.say(service.create().id, f"My word is {CANARY}.")
    place = message.conversation_id
    asked = me.get(f"/messages/{message.id}/forget")
    assert "Messages that are erased: 1" in said(asked)
    assert service.alternative(message.id).content == f"My word is {CANARY}.", "a question erases nothing"
    done = post(me, f"/messages/{message.id}/forget")
    assert (done.status_code, "Nothing of it is left." in said(done)) == (200, True)
    assert service.alternative(message.id).content is None
    assert CANARY not in me.get(f"/conversations/{place}").text
    service.change(place, {"title": CANARY})
    assert f"Forget {CANARY}?" in said(me.get(f"/conversations/{place}/forget"))
    assert "Forgotten" in said(post(me, f"/conversations/{place}/forget", key="b"))
    assert service.get(place).title is None


def test_hostile_names_and_descriptions_are_text(me, own):
    process = own.processes.change("greet", {"name": HOSTILE, "description": HOSTILE})
    tool = own.tools.change("mine", {"name": HOSTILE, "description": HOSTILE})
    for path in (
        "/processes",
        f"/processes/{process.id}",
        f"/processes/{process.id}/edit",
        "/tools",
        f"/tools/{tool.id}",
    ):
        shown = me.get(path).text
        assert "<img src=x" not in shown, path
        assert "[U+202E]" in shown or "&lt;img" in shown, path
        assert "\u202e" not in re.sub(r"(?s)<textarea.*?</textarea>|value=\"[^\"]*\"", "", shown), path


@pytest.mark.parametrize(
    ("address", "word"),
    [
        ("/", "conversations"),
        ("/messages/x/why", "conversations"),
        ("/runs/x", "runs"),
        ("/processes/new", "processes"),
        ("/secrets", "tools"),
        ("/model", "settings"),
        ("/skills/x/file", "skills"),
        ("/charts", "metrics"),
        ("/audit", "audit"),
        ("/nothing", None),
    ],
)
def test_the_links_of_every_page_say_where_its_reader_is(address, word):
    places = places_at(address, PERMISSIONS)
    assert [each.word for each in places if each.is_current] == ([word] if word else [])


def test_who_does_not_own_the_folder_gets_no_links_to_what_belongs_to_it(site, own):
    def links(user):
        return re.findall(r'href="(/(?:skills|settings|users|jobs))" ?', header(site.browser(user).get("/runs")))

    assert (links("me"), links("eve")) == (["/skills", "/jobs", "/users", "/settings"], [])


TYPED = """
kind: Tool
name: sized
service: graph
connectionParams: {endpoint: "aeon:graph"}
operation: {type: graph_query, query: "@users_of_mine"}
inputSchema:
  type: object
  required: [size]
  properties: {size: {type: integer}, label: {type: string}}
---
kind: Process
name: typed
initialContext: [size]
steps:
  - {id: one, tool: sized, inputs: {size: "{size}"}, output: first}
"""

REMOTE = """
kind: Service
name: shop
type: rest_api
protocol: http
connectionSchema: {type: object, required: [endpoint], properties: {endpoint: {type: string}}}
---
kind: Tool
name: stock
service: shop
connectionParams: {endpoint: "http://127.0.0.1:9"}
operation: {type: rest_request, path: "/items/{item}"}
inputSchema: {type: object, required: [item], properties: {item: {type: string}}}
"""


UNDONE = """
kind: Process
name: undone
inputs: {time: {type: string}}
steps:
  - {id: book, tool: mine, output: booked, COMPENSATE}
  - {id: rest, wait: "{time}", dependsOn: [book], output: rested}
"""


@pytest.mark.parametrize(
    ("compensate", "shown"),
    [("compensate: {tool: mine}", "which begins anew"), ("retry: {attempts: 1}", "which keeps the steps")],
)
def test_the_page_of_a_failed_run_says_what_another_try_does(me, own, compensate, shown):
    own.documents.apply(UNDONE.replace("COMPENSATE", compensate))
    run = own.runs.start("undone", {"time": "no time"})
    own.runs.settle(run.id)
    answer = me.get(f"/runs/{run.id}")
    assert "failed" in said(answer)
    assert f"as a new run, {shown}" in said(answer)


FORM = """
kind: Process
name: form
inputs:
  num: {type: integer, title: How many, default: 3, minimum: 1, maximum: 9}
  day: {type: string, format: date}
  mail: {type: string, format: email, default: a@example.org}
steps: [{id: look, tool: mine, output: found}]
outputTemplate: "{{day}}"
"""


def test_the_form_that_starts_a_process_shows_what_its_inputs_say(me, own):
    own.documents.apply(FORM)
    answer = me.get("/processes/form")
    assert "How many at least 1, at most 9 · default: 3" in said(answer)
    assert "default: a@example.org" in said(answer)
    assert re.search(r'name="in.day" type="date"', answer.text)
    assert re.search(r'name="in.mail" type="email"', answer.text)
    german = me.get("/processes/form", headers={"accept-language": "de"})
    assert "mindestens 1, höchstens 9 · Standard: 3" in said(german)
    started = post(me, "/processes/form/runs", **{"in.day": "2026-01-02"})
    run = own.runs.view(started.headers["location"].rpartition("/")[2])
    assert run.run.inputs == {"num": 3, "day": "2026-01-02", "mail": "a@example.org"}


def test_the_page_that_adds_what_starts_a_process_is_named_after_that(me, own):
    process = own.processes.get("greet")
    page = me.get(f"/apply?starts={process.id}")
    assert "<title>Add a schedule, a webhook or an alert" in page.text
    assert f'action="/apply?starts={process.id}"' in page.text
    checked = me.post(f"/apply?starts={process.id}", data={"content": "kind: x", "then": "check"})
    assert "<title>Add a schedule, a webhook or an alert" in checked.text
    assert "<title>Add services and tools by a text" in me.get("/apply").text
