"""Projects in folders of their own, with tools that need no network."""

from contextlib import ExitStack

import pytest

from aeon.application.project import Project

STORED = """
kind: Service
name: graph
type: neo4j_graph
protocol: bolt
connectionSchema: {type: object, required: [endpoint]}
---
kind: Tool
name: mine
service: graph
connectionParams: {endpoint: "aeon:graph"}
operation: {type: graph_query, query: "@users_of_mine"}
inputSchema: {type: object}
---
kind: Process
name: greet
initialContext: [who]
steps:
  - {id: look, tool: mine, output: found}
outputTemplate: "Hello {{who}}"
---
kind: Process
name: ask
initialContext: [what]
steps:
  - {id: look, tool: mine, output: found}
  - id: approve
    tool: mine
    dependsOn: [look]
    output: said
    execution: {interactionMode: manual, timeout: 300}
outputTemplate: "{{what}}: {{step.said}}"
---
kind: Process
name: asks_below
steps:
  - {id: below, process: ask, inputs: {what: tea}, output: said}
outputTemplate: "{{step.said}}"
"""


@pytest.fixture
def opened(tmp_path):
    """`opened(name="project", **options)`: a project in a folder below the test's own, closed in the end."""
    with ExitStack() as closing:

        def opening(name="project", environ=None, settings=None, **options):
            variables = {"HOME": str(tmp_path / "home"), "XDG_STATE_HOME": str(tmp_path / "state"), **(environ or {})}
            more = {"engine.address": "memory", **(settings or {})}
            project = Project.open(tmp_path / name, environ=variables, settings=more, **options)
            return closing.enter_context(project)

        yield opening


@pytest.fixture
def project(opened):
    """A project with the Processes of `STORED`."""
    made = opened()
    made.apply(STORED)
    return made
