"""Files of Processes are checked with line and column, with a record and without one."""

import re

import pytest
from tests.application.conftest import STORED

from aeon.application.process_files import DocumentFile, check_without_record
from aeon.application.process_template import new_process_text
from aeon.base.errors import InputError

FILE = """\
# two documents
kind: Service
name: shop
type: rest_api
protocol: http
connectionSchema: {type: object, required: [endpoint]}
---
kind: Tool
name: item
service: shop
connectionParams: {endpoint: "http://127.0.0.1:1"}
operation: {type: rest_request, path: "/{id}"}
inputSchema: {type: object, required: [id], properties: {id: {type: string}}}
---
kind: Process
name: order
initialContext: [who]
steps:
  - {id: a, tool: item, inputs: {id: "{who}"}, output: a}
  - {id: b, process: later, inputs: {x: "{step.a}"}, dependsOn: [a], output: b}
---
kind: Process
name: later
initialContext: [x]
steps:
  - {id: a, tool: item, inputs: {id: "{= x}"}, output: a}
"""


def shown(report):
    return [(each.fault.line, each.fault.column, each.fault.path) for each in report.faults]


def check(text, *, is_offline=False):
    return check_without_record([DocumentFile(text)], {}, is_offline=is_offline)


def test_what_is_called_may_be_in_the_same_file_also_below():
    report = check(FILE)
    assert (report.faults, report.is_valid) == ([], True)
    assert report.things == [("Service", "shop"), ("Tool", "item"), ("Process", "order"), ("Process", "later")]


def test_what_aeon_ships_may_be_called():
    text = "kind: Process\nname: asks\nsteps:\n  - {id: a, tool: my_tools, output: a}\n"
    assert check(text).faults == []


def test_every_fault_of_every_document_has_its_line_and_column():
    text = FILE.replace('tool: item, inputs: {id: "{who}"}', 'tool: nothing, inputs: {id: "{who}"}')
    text = (
        text.replace("{= x}", "{= nobody}")
        + "---\nkind: Process\nname: [1\n---\nkind: Proces\n---\nkind: Tool\nname: t\n"
    )
    assert shown(check(text)) == [
        (19, 13, "$.steps[0].tool"),
        (26, 34, "$.steps[0].inputs.id"),
        (30, 1, ""),
        (31, 1, "$.kind"),
        (33, 1, "$.inputSchema"),
        (33, 1, "$.operation"),
        (33, 1, "$.serviceId"),
    ]


def test_without_a_record_an_unknown_target_is_a_warning():
    text = FILE.replace("tool: item", "tool: elsewhere").replace("service: shop", "service: other")
    report = check(text, is_offline=True)
    assert [each.fault.line for each in report.faults] == [9, 19, 26]
    assert report.is_valid
    assert not check(text).is_valid
    wrong = check(text.replace("{who}", "{step.none}"), is_offline=True)
    assert [each.fault.line for each in wrong.faults if not each.is_warning] == [19]


def test_a_fault_hides_what_only_follows_from_it():
    report = check(FILE.replace("required: [endpoint]", "required: []"))
    assert shown(report) == [(6, 34, "$.connectionSchema.required")]


DECLARED = (
    "outputSchema: {type: object, properties: {body: {type: object, properties: {team: {}}}}}\n---\nkind: Process"
)


def test_a_field_that_is_probably_misspelt_is_a_warning():
    """The schema allows other fields, so the file can be applied; the run would find the mistake."""
    text = FILE.replace("---\nkind: Process", DECLARED, 1).replace("{step.a}", "{step.a.body.taem}")
    report = check(text)
    (found,) = report.faults
    assert (report.is_valid, found.is_warning, found.fault.line) == (True, True, 21)
    assert "the outputSchema of 'item' does not declare 'taem'; did you mean 'team'?" in found.fault.message
    assert check(text.replace("taem", "team")).faults == []


def test_a_timeout_of_a_step_that_its_tool_never_reaches_is_a_warning():
    """A REST call gave up after 30 seconds, in a step with 300, and nothing named the limit."""
    text = FILE.replace("tool: item,", "tool: item, execution: {timeout: 300},", 1)
    (found,) = check(text).faults
    assert (found.is_warning, found.fault.path) == (True, "$.steps[0].execution.timeout")
    assert "the tool 'item' gives up after 30 s" in found.fault.message
    assert "give its operation a timeout" in found.fault.message
    assert check(text.replace("type: rest_request", "type: rest_request, timeout: 300")).faults == []
    assert check(text.replace("timeout: 300", "timeout: 20")).faults == []


TAB = "there is a tab, and YAML does not indent by tabs; use spaces"


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("", 1, "it contains no document"),
        ("kind: Process\nname: a\nname: b\n", 3, "the key 'name' appears twice in one object"),
        ("- 1\n", 1, "it is not a mapping of JSON values"),
        ("kind: Process\n", 1, "it has no name"),
        ("kind: Process\nname: 2026\n", 2, "YAML reads the name as the number 2026: put it in quotes"),
        ("kind: Process\nname: false\n", 2, "YAML reads the name as the truth value false: put it in quotes"),
        ("kind: Process\nname: ''\n", 2, "it has no name"),
        (
            "kind: Process\nname: a\ninputs:\n  day: {type: string,\n    default: 2026-12-24}\n",
            5,
            "YAML reads this as a date: put it in quotes",
        ),
        (
            "kind: Process\nname: a\nsteps:\n- id: w\n  wait: 2026-12-24T18:00:00Z\n",
            5,
            "YAML reads this as a date: put it in quotes",
        ),
        ("kind: Process\nname: a\nsteps:\n\t- id: w\n", 4, TAB),
        ("kind: Process\nname: a\n\tsteps: []\n", 3, TAB),
        (FILE + "---\nkind: Service\nname: shop\n", 29, "document 1 (line 2) already defines the Service 'shop'"),
    ],
)
def test_what_is_no_document_is_said_where_it_is(text, line, said):
    assert (line, said) in [(each.fault.line, each.fault.message) for each in check(text).faults]


@pytest.mark.parametrize("name", ["mine", "yes", "a: b", "\u00e4 # b", '"', "1"])
def test_a_new_process_has_no_fault_as_it_is_and_with_every_part(name):
    text = new_process_text(name)
    for each in (text, re.sub("^# ", "", text, flags=re.MULTILINE)):
        report = check(each)
        assert (report.things, report.faults) == ([("Process", name)], [])


def test_a_name_that_is_none_is_refused():
    with pytest.raises(InputError, match="cannot name a Process"):
        new_process_text(" x")


def test_no_secret_is_needed_for_a_check():
    text = "kind: Secret\nname: key\ntype: api_key\nvalue: {key: '${NOBODY_SETS_THIS}'}\n"
    assert check(text).faults == []


def test_a_record_is_asked_for_what_the_file_does_not_say(project):
    text = "kind: Process\nname: asks\nsteps:\n  - {id: a, tool: mine, output: a}\n"
    assert "name: mine" in STORED
    assert project.processes.files.check(text).faults == []
    assert shown(check(text)) == [(4, 13, "$.steps[0].tool")]
