"""Results say what their model calls used, and what that cost at the user's prices."""

import json
from decimal import Decimal

import pytest

from aeon.base.errors import ConfigError
from aeon.llm.interface import LLMResponse
from aeon.llm.usage import Cost
from aeon.testing.llm import ScriptedAdapter

SAY = {"goal": "say", "steps": [{"step_id": "s", "description": "say", "tool": "echo", "arguments": {"text": "hello"}}]}
PRICES = {"m-1": {"prompt": 0.5, "completion": 4, "currency": "USD"}}
MODEL = """
kind: Service
name: model
type: llm_provider
protocol: http
connectionSchema: {type: object, required: [endpoint]}
---
kind: Tool
name: tell
service: model
connectionParams: {endpoint: "aeon:model"}
operation: {type: llm_call, promptTemplate: "Tell of {{what}}"}
inputSchema: {type: object, required: [what], properties: {what: {type: string}}}
---
kind: Process
name: told
initialContext: [what]
steps:
  - {id: first, tool: tell, inputs: {what: "{what}"}, output: said}
outputTemplate: "{{step.said.text}}"
---
kind: Process
name: outer
steps:
  - {id: a, process: told, inputs: {what: tea}, output: a}
  - {id: b, process: told, inputs: {what: milk}, output: b}
outputTemplate: "{{step.a}} {{step.b}}"
"""


def reply(text, prompt=1000, completion=10, model="m-1"):
    counts = {"input_tokens": prompt, "output_tokens": completion}
    return LLMResponse(text if isinstance(text, str) else json.dumps(text), "stop", counts, model)


def test_a_request_sums_its_calls_repairs_included(opened):
    broken = {"goal": "say", "steps": [{"step_id": "s", "description": "say", "tool": "echo", "arguments": {}}]}
    call = {"tool": "echo", "arguments": {"text": "hello"}}
    model = ScriptedAdapter([reply(broken), reply(call, 200, 20)])
    usage = opened(model=model, settings={"model.prices": PRICES}).ask("say hello").usage
    assert (usage.calls, usage.prompt_tokens, usage.completion_tokens) == (2, 1200, 30)
    assert usage.cost == Cost(Decimal("0.00072"), "USD")


def test_a_plan_without_a_model_used_none(opened):
    usage = opened().run_plan(SAY).usage
    assert (usage.calls, usage.cost) == (0, None)


def test_without_a_price_there_is_no_cost(opened):
    result = opened(model=ScriptedAdapter([reply(SAY)])).ask("say hello")
    assert (result.usage.calls, result.usage.cost) == (1, None)


def test_a_resumed_request_counts_what_was_done_before(opened):
    steps = [{"step_id": i, "description": "say", "tool": "echo", "arguments": {"text": i}} for i in "ab"]
    project = opened(model=ScriptedAdapter([reply({"goal": "g", "steps": steps})]), settings={"run.ttl": 1})
    first = project.ask("say both")
    assert first.status == "ttl_expired"
    assert project.resume(first.log).usage == first.usage


def test_prices_are_read_from_the_file_of_the_project(opened, tmp_path):
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "aeon.toml").write_text(
        '[model.prices."m-1"]\nprompt = 0.5\ncompletion = 4\ncurrency = "USD"\n'
    )
    assert opened(model=ScriptedAdapter([reply(SAY)])).ask("say hello").usage.cost == Cost(Decimal("0.00054"), "USD")


def test_prices_are_read_from_the_environment(opened):
    project = opened(model=ScriptedAdapter([reply(SAY)]), environ={"AEON_MODEL_PRICES": json.dumps(PRICES)})
    assert project.ask("say hello").usage.cost == Cost(Decimal("0.00054"), "USD")


@pytest.mark.parametrize(
    ("prices", "problem"),
    [
        ({"m": {"prompt": -1, "completion": 1, "currency": "USD"}}, "model.prices is wrong: m.prompt: "),
        ({"m": {"prompt": 1, "completion": 1}}, "model.prices is wrong: m.currency: "),
        ({"m": {"prompt": 1, "completion": 1, "currency": "USD", "unit": 1}}, "model.prices is wrong: m.unit: "),
        ([], "model.prices is wrong: "),
    ],
)
def test_a_price_that_is_wrong_is_refused_with_its_place(opened, prices, problem):
    with pytest.raises(ConfigError) as raised:
        opened(settings={"model.prices": prices})
    assert problem.removeprefix("model.prices ") in raised.value.message


def test_a_variable_with_prices_that_are_no_json_is_refused(opened):
    with pytest.raises(ConfigError, match="must be JSON"):
        opened(environ={"AEON_MODEL_PRICES": "cheap"})


def test_a_run_counts_the_calls_of_all_that_it_called(opened):
    model = ScriptedAdapter([reply("leaf"), reply("white", 500, 5)])
    project = opened(model=model, settings={"model.prices": PRICES})
    project.apply(MODEL)
    run = project.runs.start("outer", {})
    settled = project.runs.settle(run.id, 20)
    assert settled.phase == "completed"
    assert (settled.usage.calls, settled.usage.prompt_tokens, settled.usage.completion_tokens) == (2, 1500, 15)
    assert settled.usage.cost == Cost(Decimal("0.00081"), "USD")
    assert project.runs.usage(run.id) == settled.usage
    assert settled.view.run.tokens == 1515


def test_skills_count_the_calls_that_planned_and_answered(opened):
    pytest.importorskip("msgspec")
    project = opened(model=ScriptedAdapter([reply({"skills": []}), reply("No skill is needed.")]))
    result = project.skills.run("say hello")
    assert result.usage.calls >= 1
    assert result.usage.prompt_tokens == 1000 * result.usage.calls
    assert "usage" not in result.as_dict()
