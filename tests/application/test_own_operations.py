"""Steps that run a skill's script or ask the kernel, in this process, as `aeon skill run` and `aeon run` would."""

import json
import os
import select
from pathlib import Path

import pytest

from aeon.base.errors import AeonError, LLMError
from aeon.platform.catalog.documents import ApplyError
from aeon.platform.catalog.tool_calls import OperationError
from aeon.skills.launch.grants import Grants
from aeon.testing.llm import ScriptedAdapter

SERVICE = """
kind: Service
name: aeon
type: mcp_server
protocol: stdio
shared: true
connectionSchema: {type: object, required: [command], properties: {command: {const: "aeon:self"}}}
"""

SCRIPT_TOOL = (
    SERVICE
    + """---
kind: Tool
name: greet
service: aeon
connectionParams: {command: "aeon:self"}
operation: {type: skill_script, skill: greeter, script: greet, timeout: 60}
inputSchema: {type: object, required: [name], properties: {name: {type: string}}}
outputSchema: {type: object, required: [text], properties: {text: {type: string}}}
---
kind: Process
name: welcome
initialContext: [who]
steps:
  - {id: greet, tool: greet, inputs: {name: "{who}"}, output: greeting, execution: {timeout: 60}}
outputTemplate: "{{step.greeting.text}}"
"""
)

AGENT_TOOL = (
    SERVICE
    + """---
kind: Tool
name: agent
service: aeon
connectionParams: {command: "aeon:self"}
operation: {type: agent_request}
inputSchema: {type: object, required: [request], properties: {request: {type: string}}}
---
kind: Process
name: asks
initialContext: [request]
steps:
  - {id: ask, tool: agent, inputs: {request: "{request}"}, output: reply, execution: {timeout: 60}}
  - id: use
    dependsOn: [ask]
    tool: agent
    inputs: {request: "Publish {step.reply.answer}"}
    output: {variable: used, required: false}
    execution: {condition: "step.reply.trusted"}
outputTemplate: "{{json step.reply}}"
"""
)

GREETS = """import json, sys
asked = json.load(sys.stdin)["input"]
print(json.dumps({{"version": "0", "type": "state_patch", "patch": {body}}}))
print(json.dumps({{"version": "0", "type": "done", "ok": True}}))
"""
PLAN = {
    "goal": "sum",
    "steps": [{"step_id": "s1", "description": "add", "tool": "calculator", "arguments": {"expression": "2+3"}}],
}


def put_skill(project, body='{"text": f"Hello {asked[\'name\']}"}', before="", **manifest):
    """Write the skill `greeter` into the project's folder."""
    folder = project.folder / "skills" / "greeter"
    (folder / "scripts").mkdir(parents=True, exist_ok=True)
    (folder / "scripts" / "greet.py").write_text(before + GREETS.format(body=body))
    script = {
        "name": "greet",
        "path": "scripts/greet.py",
        "description": "Greets.",
        "inputSchema": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}},
        "outputSchema": {"type": "object"},
    }
    declared = {"name": "greeter", "version": "1.0.0", "description": "Greets people.", "scripts": [script]}
    (folder / "skill.json").write_text(json.dumps(declared | manifest))
    return folder


def output_of(project, process, **inputs):
    return project.runs.settle(project.runs.start(process, inputs).id, 60).output


def call(project, tool, **inputs):
    return project.tools.call(tool, inputs).output


def trust(project, **granted):
    project.skills.trusted.trust(project.skills.catalog.by_name["greeter"], Grants(**granted))


@pytest.mark.slow
def test_a_step_runs_a_script_of_a_trusted_skill(opened):
    project = opened()
    put_skill(project)
    trust(project)
    project.apply(SCRIPT_TOOL)
    assert output_of(project, "welcome", who="Ida") == "Hello Ida"


@pytest.mark.slow
def test_an_untrusted_skill_and_a_changed_one_fail_with_what_to_do(opened):
    project = opened()
    folder = put_skill(project)
    project.apply(SCRIPT_TOOL)
    with pytest.raises(OperationError, match="you have not trusted its current files") as refused:
        call(project, "greet", name="Ida")
    assert "trust the skill greeter" in project.advice(refused.value)
    trust(project)
    assert call(project, "greet", name="Ida")["text"] == "Hello Ida"
    (folder / "scripts" / "greet.py").write_text(GREETS.format(body='{"text": "changed"}'))
    with pytest.raises(OperationError, match="you have not trusted its current files"):
        call(project, "greet", name="Ida")


@pytest.mark.slow
def test_a_step_grants_a_script_nothing(opened):
    """Network, model and writable folders are the user's to grant, to the skill and not to the tool."""
    project = opened()
    put_skill(project, capabilities=["network"])
    trust(project)
    project.apply(SCRIPT_TOOL)
    with pytest.raises(OperationError, match="network"):
        call(project, "greet", name="Ida")
    trust(project, network=True)
    assert call(project, "greet", name="Ida")["text"] == "Hello Ida"


@pytest.mark.slow
def test_a_script_that_is_too_slow_is_ended(opened):
    project = opened()
    put_skill(project, before="import time\ntime.sleep(60)\n")
    trust(project)
    project.apply(SCRIPT_TOOL.replace("timeout: 60}\ninputSchema", "timeout: 1}\ninputSchema"))
    with pytest.raises(OperationError, match="not done within 1 s"):
        call(project, "greet", name="Ida")


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["cancelled", "not in time"])
def test_a_script_ends_with_the_step_that_nobody_waits_for_platform_10(opened, ending):
    """It went on until its own timeout of 30 s, with its effects."""
    project = opened()
    before = (
        'import time\npipe = open("'
        + str(project.folder)
        + '/alive", "w")\npipe.write("begun")\npipe.flush()\ntime.sleep(60)\n'
    )
    put_skill(project, before=before)
    trust(project, write=(project.folder,))
    os.mkfifo(project.folder / "alive")
    limit = 60 if ending == "cancelled" else 2
    project.apply(SCRIPT_TOOL.replace("execution: {timeout: 60}", f"execution: {{timeout: {limit}}}"))
    run = project.runs.start("welcome", {"who": "Ida"}).id
    with Path(project.folder, "alive").open("rb", buffering=0) as pipe:  # waits until the script has opened it
        assert pipe.read(5) == b"begun"
        if ending == "cancelled":
            project.runs.cancel(run)
        assert select.select([pipe], [], [], 15)[0]
        assert pipe.read() == b"", "the pipe is closed: the script has ended"
    assert project.runs.settle(run, 30).phase == ("cancelled" if ending == "cancelled" else "failed")


@pytest.mark.parametrize("removed", ["skill.json", "scripts"], ids=["the skill is gone", "the script is gone"])
@pytest.mark.slow
def test_a_script_that_is_gone_by_the_call_is_named(opened, removed):
    project = opened()
    folder = put_skill(project)
    project.apply(SCRIPT_TOOL)
    (folder / removed).rename(folder.parent.parent / "moved")
    with pytest.raises(OperationError, match="greeter"):
        call(project, "greet", name="Ida")


SHORT = """
kind: Process
name: welcome
initialContext: [who]
steps:
  - {id: a, skill: greeter/greets, inputs: {name: "{who}"}, output: a}
finally:
  - {id: b, skill: nobody/greet, inputs: {name: "{who}"}, output: b}
"""
NO_SCRIPT = "The skill 'greeter' has no script 'greets'. Did you mean 'greeter/scripts/greet.py'? It has "


def test_an_unknown_script_is_found_before_the_call(opened):
    project = opened()
    put_skill(project)
    faults = project.processes.files.check(SHORT).faults
    assert [(each.fault.line, each.fault.path, each.is_warning) for each in faults] == [
        (6, "$.steps[0].skill", False),
        (8, "$.finally[0].skill", True),
    ]
    assert faults[0].fault.message == f"{NO_SCRIPT}'greeter/scripts/greet.py'"
    assert faults[1].fault.message == "The skill 'nobody' does not exist on this machine"
    with pytest.raises(ApplyError, match="has no script 'greets'"):
        project.apply(SHORT)
    with pytest.raises(ApplyError, match=r"operation\.script: .* has no script 'greets'"):
        project.apply(SCRIPT_TOOL.replace("script: greet,", "script: greets,"))


def test_a_script_that_only_another_machine_may_have_is_a_warning(opened):
    project = opened()
    put_skill(project)
    for changed in ("skill: nobody, script: greet", "skill: greeter, script: greets"):
        text = SCRIPT_TOOL.replace("skill: greeter, script: greet", changed)
        text = text.replace("name: greet\n", "name: greet\nrunsOn: [gpu]\n")
        assert [each.is_warning for each in project.processes.files.check(text).faults] == [True]
        project.apply(text)


def test_a_step_asks_the_kernel_and_its_log_is_beside_the_others(opened):
    project = opened(model=ScriptedAdapter([PLAN, PLAN]))
    project.apply(AGENT_TOOL)
    reply = json.loads(output_of(project, "asks", request="tell me the sum of 2 and 3"))
    assert (reply["answer"], reply["status"], reply["trusted"]) == ("5", "completed", True)
    assert len(list(project.folder.glob(".aeon/logs/*.jsonl"))) == 2


def test_a_doubtful_answer_says_so_and_the_next_step_can_tell(opened):
    model = ScriptedAdapter(["Cannot: no tool reads the mail.", "published"])
    project = opened(model=model)
    project.apply(AGENT_TOOL)
    reply = json.loads(output_of(project, "asks", request="what is in my mail?"))
    assert reply["trusted"] is False
    assert any(mark.startswith("declined") for mark in reply["marks"]["s1"])
    assert model.remaining == 1  # the step that publishes was skipped


def test_a_request_that_cannot_be_planned_fails_the_step(opened):
    project = opened(model=ScriptedAdapter([LLMError("no network")]))
    project.apply(AGENT_TOOL)
    with pytest.raises(OperationError, match="no network"):
        call(project, "agent", request="what is in my mail?")


def test_a_kernel_is_not_offered_a_tool_that_asks_the_kernel(opened):
    project = opened()
    project.apply(AGENT_TOOL)
    assert "agent" not in [tool.name for tool in project.stored_tools()]


def test_only_the_user_to_whom_the_folder_belongs_uses_its_skills_and_kernel(opened):
    """On a server, other users have tools of their own and nothing of the folder."""
    project = opened()
    put_skill(project)
    project.apply(SCRIPT_TOOL)
    platform = project._app.platform()
    platform.catalog.add_user("bob")
    from aeon.platform.catalog.apply import Applier
    from aeon.platform.catalog.documents import read_documents

    applier = Applier(platform.catalog, "bob")
    tools = "\n---".join(part for part in SCRIPT_TOOL.split("---") if "kind: Process" not in part)
    applier.apply(applier.plan(read_documents(tools, {})))
    his = platform.catalog.tools.find_own("bob", "greet")
    with pytest.raises(OperationError, match="belong to me, and bob started this call"):
        platform.tool_caller.call("bob", his.id, {"name": "Ida"})


@pytest.mark.parametrize("secret", [True, False])
def test_a_tool_on_another_service_or_with_a_secret_is_not_saved(opened, secret):
    project = opened()
    if secret:
        project.secrets.add({"name": "key", "type": "api_key", "value": {"key": "k1"}})
        changed = AGENT_TOOL.replace("name: agent\n", "name: agent\nsecret: key\n")
    else:
        changed = AGENT_TOOL.replace(', properties: {command: {const: "aeon:self"}}', "").replace(
            'connectionParams: {command: "aeon:self"}', "connectionParams: {command: prog}"
        )
    with pytest.raises(AeonError, match="cannot use a secret" if secret else "executed by Aeon itself"):
        project.apply(changed)
