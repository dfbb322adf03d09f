"""A skill that Aeon ships, run from Python in its sandbox, without a model.

Run it: python examples/skill_from_python.py [FOLDER]
`project.skills.run("a request")` plans with a model instead, and its `usage` says what that took.
"""

import sys
from pathlib import Path

from aeon import Project
from aeon.observability.events import Event
from aeon.observability.skill_events import NodeEnded
from aeon.skills.plan_json import PlanJson, ToolInvocation

SALES = "city,sold\nLisbon,12\nPorto,30\nLisbon,8\n"

PLAN = PlanJson(
    narrative="{tool.sales.report.text}",
    tools=[
        ToolInvocation(
            tool_id="sales",
            tool_path="csv-report/scripts/report.py",
            input={"path": "sales.csv", "column": "sold", "groupBy": "city"},
        )
    ],
)


def show(event: Event) -> None:
    """Print how each script ended."""
    if isinstance(event, NodeEnded):
        print(event.tool_id, event.state)


def main(folder: str) -> None:
    """Write a table, let the skill sum it up, and print what it found."""
    with Project.open(folder) as project:
        Path(project.folder, "sales.csv").write_text(SALES, encoding="utf-8")
        result = project.skills.execute(PLAN, show)
        print("success:", result.success)
        for name, value in (result.execution_trace[0].output or {})["report"].items():
            if name in ("rows", "text"):
                print(f"{name}: {value}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else ".")
