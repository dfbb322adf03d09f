"""`aeon log list|show|events`: shows runs without opening an engine."""

from dataclasses import asdict

from aeon.base.json import Json, JsonObject
from aeon.cli.console import print_data
from aeon.cli.exit_codes import ExitCode
from aeon.cli.output import OutputFormat, print_as
from aeon.cli.platform.session import workspace_session
from aeon.cli.text import COLUMNS, indented_json, one_line, printable


def show_run(run: str, user: str, *, output: OutputFormat) -> int:
    """Print a run: its inputs, every attempt of its steps, and its output or failure."""
    with workspace_session(user) as workspace:
        runs = workspace.past_runs
        view = runs.view(runs.find_id(run))
        attempts = runs.trace(view)
        counts = {count.run: count for count in runs.count_items(view).values()}
    shown: JsonObject = {
        **view.run.as_dict(),
        "steps": [asdict(attempt) for attempt in attempts],
        "output": view.state.output,
    }
    if print_as(output, shown, key="id"):
        return ExitCode.DONE
    print_data(f"{view.run.phase}: {printable(view.run.process_name)}, started {view.run.accepted_at[:19]}")
    print_data(f"inputs {one_line(indented_json(view.run.inputs), COLUMNS)}")
    for attempt in attempts:
        details = ", from the cache" if attempt.about.get("cached") else ""
        details += f", {attempt.tokens} tokens" if attempt.tokens else ""
        count = counts.get(attempt.job)
        result = f"{count}, run {count.run}" if count else _result_text(attempt.output, attempt.error)
        print_data(one_line(printable(f"  {attempt.step} {attempt.outcome}{details}: {result}"), 160))
    if view.run.failure:
        print_data(f"failed: {printable(str(view.run.failure['message']))}")
    elif view.state.phase == "completed":
        print_data(f"output {indented_json(view.state.output)}")
    return ExitCode.DONE


def show_events(run: str, after: int, user: str, *, follows: bool) -> int:
    """Print a run's entries after number `after` as JSON lines; with `follows`, to the run's end."""
    with workspace_session(user) as workspace:
        runs = workspace.past_runs
        for entry in runs.entries(runs.find_id(run), after, follows=follows):
            print_data(_line(entry.as_dict()))
    return ExitCode.DONE


def _result_text(output: Json, error: JsonObject | None) -> str:
    return str(error["message"]) if error else indented_json(output)


def _line(value: JsonObject) -> str:
    import json

    return json.dumps(value, ensure_ascii=False)
