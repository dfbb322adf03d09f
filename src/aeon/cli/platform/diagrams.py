"""`aeon process graph`: draws a Process, and optionally the state of a run, as SVG."""

from collections.abc import Mapping
from pathlib import Path

from aeon.base.errors import InputError
from aeon.bootstrap.process_runtime import ProcessRuntime
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.platform.run_views import resolve_run_id
from aeon.cli.platform.runs import runtime_session
from aeon.platform.diagrams.svg import render_svg
from aeon.platform.errors import NotFoundError
from aeon.platform.processes.model import ProcessDefinition
from aeon.platform.runs.machine.state import StepState


def draw_process(name: str, run: str | None, file: Path | None, user: str) -> int:
    """Write the SVG. With a run, draws the version that the run executes. Raises NotFoundError, InputError."""
    with runtime_session(user) as runner:
        definition, states = _of_run(runner, user, run) if run else (_of_process(runner, user, name), None)
        svg = render_svg(definition, states, _names(runner, user, definition))
    if file is None:
        print_data(svg)
        return ExitCode.DONE
    try:
        file.write_text(svg, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror}.", next_step="Choose another file.") from None
    print_message(f"wrote {file}")
    return ExitCode.DONE


def _of_process(runner: ProcessRuntime, user: str, name: str) -> ProcessDefinition:
    return runner.platform.processes.find(user, name).definition


def _of_run(runner: ProcessRuntime, user: str, run: str) -> tuple[ProcessDefinition, Mapping[str, StepState]]:
    view = runner.runs.view(user, resolve_run_id(runner.runs, user, run))
    steps = zip(view.plan.steps, view.state.steps, strict=True)
    return view.plan.definition, {step.id: state for step, state in steps}


def _names(runner: ProcessRuntime, user: str, definition: ProcessDefinition) -> dict[str, str]:
    """Return the names by id of the tools and Processes that the user may see; the others keep their ids."""
    names: dict[str, str] = {}
    for step in definition.steps:
        repository = runner.platform.catalog.tools if step.tool else runner.platform.processes
        id_ = step.tool or step.process or ""
        try:
            names[id_] = repository.get(user, id_).name
        except NotFoundError:
            continue
    return names
