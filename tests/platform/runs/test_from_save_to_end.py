"""One definition through all of it: checked when it is saved, planned, and run to its rendered end."""

import pytest
from tests.platform.driven_runs import Run

from aeon.platform.processes.checks.definition import check_definition
from aeon.platform.processes.checks.targets import ToolTarget
from aeon.platform.processes.model import ProcessDefinition
from aeon.platform.runs.machine.plan import StepCall, plan_run
from aeon.platform.runs.semantics import SEMANTICS

TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}
FOUND = {
    "type": "object",
    "required": ["rows", "count"],
    "properties": {"rows": {"type": "array", "items": {"type": "string"}}, "count": {"type": "integer"}},
}
RESEARCH = {
    "name": "research",
    "initialContext": ["topic"],
    "steps": [
        {
            "id": "papers",
            "tool": "search",
            "inputs": {"text": "{topic}"},
            "output": {"variable": "papers"},
            "execution": {"mode": "parallel"},
        },
        {
            "id": "news",
            "tool": "search",
            "inputs": {"text": "news of {topic}"},
            "output": {"variable": "news", "required": False},
            "execution": {"mode": "parallel"},
        },
        {
            "id": "sum",
            "tool": "summarize",
            "inputs": {"text": "{step.papers.rows.0}"},
            "dependsOn": ["papers"],
            "output": {"variable": "summary", "required": False},
            "execution": {"condition": "step.papers.count > 1"},
        },
    ],
    "outputTemplate": "{{topic}}: {{#if step.summary}}{{step.summary.said}}{{else}}nothing{{/if}}",
}


class Tools:
    def tool(self, identity):
        known = {"search": FOUND, "summarize": {"type": "object"}}
        return ToolTarget(identity, "rest_api", TEXT, known[identity]) if identity in known else None

    def process(self, identity):
        return None


@pytest.mark.parametrize(("count", "ended"), [(2, "bees: busy"), (1, "bees: nothing")])
def test_a_process_is_checked_planned_and_run(count, ended):
    """Platform 6, 7, 8: types kept, the condition asked, an optional output null."""
    definition = ProcessDefinition.parsed(RESEARCH)
    assert check_definition(definition, Tools()) == []
    calls = {
        each.id: StepCall(kind="tool", id=each.tool, name=each.tool, worker="rest_api", effect="read")
        for each in definition.steps
    }
    run = Run(plan_run("r", definition, calls), {"topic": "bees"}, SEMANTICS)
    started = {command.step: command.inputs for command in run.advance()}
    assert started == {"papers": {"text": "bees"}, "news": {"text": "news of bees"}}
    run.completes("papers", {"rows": ["a bee"], "count": count})
    run.fails("news", transient=False)
    if count > 1:
        assert run.started()[-1].inputs == {"text": "a bee"}
        run.completes("sum", {"said": "busy"})
    assert run.events[-1].output == ended


def test_what_cannot_work_is_not_saved():
    wrong = {**RESEARCH, "outputTemplate": "{{step.nothing}}"}
    assert [problem.path for problem in check_definition(ProcessDefinition.parsed(wrong), Tools())] == [
        "$.outputTemplate"
    ]
