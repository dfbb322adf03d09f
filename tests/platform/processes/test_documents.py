"""Processes in a file that is applied: references by name, callees first, everything wrong at once, no change twice."""

import pytest
from tests.platform.stored_processes import Storing

from aeon.platform.catalog.apply import Applier
from aeon.platform.catalog.documents import ApplyError, read_documents
from aeon.platform.catalog.model import ToolChange
from aeon.platform.ledger import MutationRequest
from aeon.platform.processes.documents import ProcessDocuments

FILE = """
kind: Process
name: research
initialContext: [topic]
steps:
  - id: look
    process: look up
    inputs: {word: "{topic}"}
    output: found
  - id: more
    process: look up
    inputs: {word: "more {topic}"}
    dependsOn: [look]
    output: {variable: more, required: false}
    execution: {condition: "step.found != null", timeout: 9}
outputTemplate: "{{step.found}}"
tokenBudget: 900
---
kind: Process
name: look up
description: One word.
shared: true
initialContext: [word]
steps:
  - {id: get, tool: item, inputs: {id: "{word}"}, output: item}
---
kind: Service
name: shop
type: rest_api
protocol: http
connectionSchema: {type: object, required: [endpoint]}
---
kind: Tool
name: item
service: shop
connectionParams: {endpoint: "http://127.0.0.1"}
operation: {type: rest_request, path: "/{id}"}
inputSchema: {type: object, required: [id], properties: {id: {type: string}}}
"""

TABLES = ("services", "tools", "processes", "process_steps", "definitions", "audit_entries", "requests", "events")

ALONE = """
kind: Process
name: NAME
steps:
  - {id: call, CALLS, output: said}
"""


@pytest.fixture
def storing(world):
    return Storing(world)


@pytest.fixture
def user(world):
    return world.user("u")


def planned(storing, user, text):
    documents = ProcessDocuments(storing.world.catalog, storing.processes, user)
    applier = Applier(storing.world.catalog, user, {"Process": documents})
    return applier, applier.plan(read_documents(text, {}))


def applied(storing, user, text=FILE):
    applier, steps = planned(storing, user, text)
    applier.apply(steps)
    return [(step.action, step.document.name, *step.fields) for step in steps]


def problems(storing, user, text):
    with pytest.raises(ApplyError) as raised:
        planned(storing, user, text)
    return raised.value.details["problems"]


def alone(name, calls):
    return ALONE.replace("NAME", name).replace("CALLS", calls)


def test_what_is_called_is_made_first_and_applying_again_changes_nothing(storing, user):
    assert applied(storing, user) == [
        ("create", "shop"),
        ("create", "item"),
        ("create", "look up"),
        ("create", "research"),
    ]
    inner, outer = (storing.processes.find_own(user, name) for name in ("look up", "research"))
    assert {each.process for each in outer.steps} == {inner.id}
    assert inner.steps[0].tool == storing.world.catalog.tools.find_own(user, "item").id
    assert (inner.shared, outer.token_budget, outer.steps[1].output.required) == (True, 900, False)
    assert {verb for verb, *_ in applied(storing, user)} == {"keep"}
    assert storing.processes.find_own(user, "research") == outer


def test_planning_alone_changes_nothing(storing, user):
    before = [storing.count(table) for table in TABLES]
    planned(storing, user, FILE)
    assert [storing.count(table) for table in TABLES] == before


def test_only_what_differs_is_changed_and_the_steps_are_told_apart(storing, user):
    applied(storing, user)
    text = (
        FILE.replace("timeout: 9", "timeout: 90").replace("tokenBudget: 900\n", "").replace("more {topic}", "{topic}")
    )
    text = text.replace("id: look\n", "id: first\n").replace("[look]", "[first]")
    _, steps = planned(storing, user, text)
    assert (steps[3].fields, steps[3].differences) == (
        ("steps", "tokenBudget"),
        ("- step look", "+ step first", "~ step more dependsOn, inputs.word, execution.timeout"),
    )
    assert applied(storing, user, text)[3] == ("change", "research", "steps", "tokenBudget")
    assert storing.processes.find_own(user, "research").token_budget is None
    assert {verb for verb, *_ in applied(storing, user, text)} == {"keep"}


def test_everything_wrong_is_said_at_once_with_its_document_and_path(storing, user):
    """Platform 6, 7: over several Processes, and with what is wrong with other kinds."""
    text = FILE.replace("protocol: http", "protocol: bolt").replace("step.found != null", "nothing == 1")
    text = text.replace('"{{step.found}}"', '"{{step.zzz}}"').replace("tool: item", "tool: itm")
    found = problems(storing, user, text)
    assert [each.split(": ")[0] for each in found] == [
        "document 3 (line 27), Service 'shop'",
        "document 4 (line 33), Tool 'item'",
        "document 2 (line 19), Process 'look up'",
        "document 1 (line 2), Process 'research'",
        "document 1 (line 2), Process 'research'",
    ]
    assert "$.steps[0].tool: there is no tool 'itm', or you cannot see it" in found[2]
    assert ": $.steps[1].execution.condition: " in found[3]
    assert ": $.outputTemplate: " in found[4]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("steps:", "stepz:", "$.steps: field required"),
        ("output: found", "", "$.steps[0].output: field required"),
        (
            '    process: look up\n    inputs: {word: "{topic}"}\n',
            "    process: 3\n",
            "$.steps[0].process: input should",
        ),
        (
            "initialContext: [topic]",
            "template: x",
            "$.template: there is no field 'template' here; did you mean 'outputTemplate'?",
        ),
        ("timeout: 9", "timeout: 0", "$.steps[1].execution.timeout: input should be greater than or equal to 1"),
    ],
)
def test_a_form_that_is_wrong_is_said(storing, user, old, new, said):
    assert said in problems(storing, user, FILE.replace(old, new, 1))[0]


def test_steps_that_are_no_list_of_steps_are_said(storing, user):
    for steps in ("3", "{a: b}", "[1, [2]]"):
        assert "$.steps" in problems(storing, user, f"kind: Process\nname: x\nsteps: {steps}")[0]


def test_a_process_that_calls_itself_is_made_at_once(storing, user):
    """Platform 7: with a condition that can end it."""
    text = (
        FILE
        + """
---
kind: Process
name: loop
initialContext: [n]
steps:
  - {id: get, tool: item, inputs: {id: x}, output: got}
  - {id: again, process: loop, inputs: {n: "{n}"}, dependsOn: [get], output: rest, execution: {condition: "n != 'x'"}}
"""
    )
    assert ("create", "loop") in applied(storing, user, text)
    loop = storing.processes.find_own(user, "loop")
    assert loop.steps[1].process == loop.id
    assert {verb for verb, *_ in applied(storing, user, text)} == {"keep"}
    always = text.replace(", execution: {condition: \"n != 'x'\"}", "")
    assert "always calls itself again: loop -> loop" in problems(storing, user, always)[0]


def test_processes_that_call_each_other_are_changed_so_but_not_made_so(storing, user):
    """One of them must be there to be called; a circle without a condition is found whoever closes it (platform 7)."""
    applied(storing, user)
    conditional = "execution: {condition: 'true'}"
    both = alone("one", f"process: two, {conditional}") + "---" + alone("two", f"process: one, {conditional}")
    assert "it and 'two' call each other in a circle and neither exists yet" in problems(storing, user, both)[0]
    applied(storing, user, alone("two", "tool: item, inputs: {id: x}"))
    assert applied(storing, user, both) == [("create", "one"), ("change", "two", "steps")]
    assert {verb for verb, *_ in applied(storing, user, both)} == {"keep"}
    without = both.replace(f", {conditional}", "")
    assert "always calls itself again" in "".join(problems(storing, user, without))


def test_a_tool_that_the_file_changes_is_checked_as_it_will_be(storing, user):
    """Platform 6: a Process that the file breaks is told before anything is done."""
    applied(storing, user)
    broken = FILE.replace("{id: {type: string}}", "{id: {type: string}, n: {}}").replace("[id]", "[id, n]")
    broken = broken.replace('path: "/{id}"', 'path: "/{id}/{n}"')
    assert "does not accept this" in problems(storing, user, broken)[0]
    renewed = broken.replace('{id: "{word}"}', '{id: "{word}", n: 1}')
    assert applied(storing, user, renewed)[1:3] == [
        ("change", "item", "operation", "inputSchema"),
        ("change", "look up", "steps"),
    ]


def test_a_callee_that_the_file_changes_is_checked_as_it_will_be(storing, user):
    applied(storing, user)
    off = FILE.replace("shared: true", "enabled: false")
    assert ": $.steps[0].process: the process 'look up' is disabled" in problems(storing, user, off)[0]
    text = FILE.replace("[word]", "[name]").replace('id: "{word}"', 'id: "{name}"')
    assert "has no input 'word'; it has name" in problems(storing, user, text)[1]
    assert ("change", "look up", "initialContext", "steps") in applied(storing, user, text.replace("{word:", "{name:"))


def test_another_s_shared_things_are_called_by_id_and_his_own_names_mean_nothing(storing, user, world):
    """Platform 2."""
    owner = world.user("owner")
    applied(storing, owner)
    inner = storing.processes.find_own(owner, "look up")
    assert "there is no process 'look up'" in problems(storing, user, alone("mine", "process: look up"))[0]
    text = alone("mine", f"process: {inner.id}, inputs: {{word: x}}")
    assert applied(storing, user, text) == [("create", "mine")]
    tool = world.catalog.tools.find_own(owner, "item")
    assert "there is no tool" in problems(storing, user, alone("mine", f"tool: {tool.id}, inputs: {{id: x}}"))[0]


def test_what_is_disabled_and_broken_is_applied_again(storing, user, world):
    """Platform 4: a file that puts a Process away keeps working when what it calls is gone."""
    owner = world.user("owner")
    tool = storing.tool(owner, shared=True)
    text = alone("mine", f"tool: {tool.id}")
    applied(storing, user, text)
    world.catalog.tools.change(tool.id, ToolChange(shared=False), MutationRequest(owner))
    assert "or you cannot see it" in problems(storing, user, text)[0]
    assert applied(storing, user, text + "enabled: false") == [("change", "mine", "enabled")]
    assert applied(storing, user, text + "enabled: false") == [("keep", "mine")]


def test_unsharing_warns_of_whose_processes_call_it(storing, user, world):
    """Platform 4."""
    applied(storing, user)
    other = world.user("other")
    inner = storing.processes.find_own(user, "look up")
    applied(storing, other, alone("theirs", f"process: {inner.id}, inputs: {{word: x}}"))
    _, steps = planned(storing, user, FILE.replace("shared: true\n", ""))
    assert {step.document.name: step.affects for step in steps if step.affects} == {
        "look up": (f"a process of {other}",)
    }


def test_without_the_kind_a_process_is_not_applied(storing, user):
    with pytest.raises(ApplyError, match="a Process cannot be created here"):
        Applier(storing.world.catalog, user).plan(read_documents(alone("x", "tool: t"), {}))


def test_a_long_chain_of_callees_is_put_in_order(storing, user):
    applied(storing, user)
    count = 8
    chain = [
        alone(f"p{n}", f"process: p{n + 1}" if n < count else "tool: item, inputs: {id: x}") + "maxRecursionDepth: 10\n"
        for n in range(count + 1)
    ]
    names = [name for _, name in applied(storing, user, "---".join(chain))]
    assert names == [f"p{n}" for n in range(count, -1, -1)]
