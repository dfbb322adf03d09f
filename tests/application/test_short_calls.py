"""Steps of files that name a skill's script or a request instead of a tool (platform 41)."""

import pytest

from aeon.platform.catalog.documents import CatalogDocument, read_documents
from aeon.platform.catalog.short_calls import with_short_calls

FILE = """
kind: Process
name: sends
initialContext: [to]
steps:
  - {id: a, skill: mailer/send, inputs: {to: "{to}"}, output: a, compensate: {skill: mailer/recall, inputs: {}}}
  - {id: b, agent: request, inputs: {request: "{to}"}, output: b}
  - {id: c, skill: mailer/send, inputs: {to: me}, output: c}
finally:
  - {id: d, skill: notes/sub/write.py, inputs: {}, output: d}
"""


def expanded(text):
    return with_short_calls(read_documents(text, {}))


def test_each_call_gets_one_tool_that_the_step_names():
    *tools, process = expanded(FILE)
    assert [each.name for each in tools] == ["mailer/recall", "mailer/send", "agent request", "notes/sub/write.py"]
    operations = {each.name: each.fields["operation"] for each in tools}
    assert operations["mailer/send"] == {"type": "skill_script", "skill": "mailer", "script": "send"}
    assert operations["notes/sub/write.py"]["script"] == "sub/write.py"
    assert operations["agent request"] == {"type": "agent_request"}
    steps = process.fields["steps"]
    assert [each["tool"] for each in steps] == ["mailer/send", "agent request", "mailer/send"]
    assert steps[0]["compensate"]["tool"] == "mailer/recall"
    assert not any("skill" in each or "agent" in each for each in steps)


def test_a_tool_of_that_name_in_the_file_is_the_one_that_is_called():
    own = 'kind: Tool\nname: mailer/send\nservice: aeon itself\nconnectionParams: {command: "aeon:self"}\n---\n'
    tools = [each for each in expanded(own + FILE) if each.kind == "Tool" and each.name == "mailer/send"]
    assert [each.location for each in tools] == ["document 1 (line 1)"]


@pytest.mark.parametrize(
    "call",
    [{"skill": "mailer"}, {"skill": "/send"}, {"skill": 5}, {"agent": "reply"}, {"skill": "a/b", "tool": "c"}],
)
def test_a_call_of_another_form_stays_and_is_a_fault_of_its_step(call):
    document = CatalogDocument("Process", "p", {"name": "p", "steps": [{"id": "a", **call}]}, "document 1 (line 1)")
    assert with_short_calls([document]) == [document]


def test_they_are_applied_in_a_record_that_was_never_set_up(opened):
    project = opened()
    steps = project.apply(FILE)
    assert [(each.action, each.document.name) for each in steps][:2] == [
        ("create", "mailer/recall"),
        ("create", "mailer/send"),
    ]
    assert {each.action for each in project.apply(FILE)} == {"keep"}
    assert project.processes.files.check(FILE).is_valid
    wrong = FILE.replace("agent: request", "agent: reply")
    (fault,) = (each for each in project.processes.files.check(wrong).faults if not each.is_warning)
    assert fault.fault.line == 7
