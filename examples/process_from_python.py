"""A durable Process, described, started, followed and answered from Python.

Run it: python examples/process_from_python.py [FOLDER]
"""

import sys

from aeon import Project
from aeon.application.run_follower import EntryUpdate, RunFollower

PROCESS = """
kind: Service
name: record
type: neo4j_graph
protocol: bolt
connectionSchema: {type: object, required: [endpoint]}
---
kind: Tool
name: users
service: record
connectionParams: {endpoint: "aeon:graph"}
operation: {type: graph_query, query: "@users_of_mine"}
inputSchema: {type: object}
---
kind: Process
name: release
description: Looks who uses the project, and asks a person before it goes on.
initialContext: [version]
steps:
  - {id: look, tool: users, output: found}
  - id: approve
    tool: users
    dependsOn: [look]
    output: said
    execution: {interactionMode: manual, timeout: 300}
outputTemplate: "{{version}}: {{step.said}}"
"""


def main(folder: str) -> None:
    """Apply the Process, start a run of it, answer its question, and show what happens until its end."""
    with Project.open(folder) as project:
        for step in project.apply(PROCESS):
            print(step.action, step.document.kind, step.document.name)
        run = project.runs.start("release", {"version": "1.2"}, key="release-1.2")
        follower = shown(project.runs.follow(run.id, seconds=60))
        for question in follower.result.questions:
            print("asked:", question.step)
            project.runs.answer(run.id, question.step, "approved")
        follower = shown(project.runs.follow(run.id, after=follower.cursor, seconds=60))
        settled = follower.result
        print(settled.phase, settled.output)
        print("used:", settled.usage)


def shown(follower: RunFollower) -> RunFollower:
    """Print the events of a run until it has ended, or waits for a person."""
    for update in follower:
        if isinstance(update, EntryUpdate):
            print(" ", update.entry.event.event)
    return follower


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else ".")
