"""`aeon process graph`: a Process, and where a run of it stands, as a picture."""

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
    """Write the picture. With a run it is of what that run follows. Raises NotFoundError, InputError."""
    with runtime_session(user) as runner:
        definition, states = _of_run(runner, user, run) if run else (_of_process(runner, user, name), None)
        picture = render_svg(definition, states, _names(runner, user, definition))
    if file is None:
        print_data(picture)
        return ExitCode.DONE
    try:
        file.write_text(picture, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror}.", next_step="Name another file.") from None
    print_message(f"wrote {file}")
    return ExitCode.DONE


def _of_process(runner: ProcessRuntime, user: str, name: str) -> ProcessDefinition:
    return runner.platform.processes.find(user, name).definition


def _of_run(runner: ProcessRuntime, user: str, run: str) -> tuple[ProcessDefinition, Mapping[str, StepState]]:
    seen = runner.runs.view(user, resolve_run_id(runner.runs, user, run))
    steps = zip(seen.plan.steps, seen.state.steps, strict=True)
    return seen.plan.definition, {step.id: state for step, state in steps}


def _names(runner: ProcessRuntime, user: str, definition: ProcessDefinition) -> dict[str, str]:
    """What the user may see is named; all else keeps its id."""
    found: dict[str, str] = {}
    for step in definition.steps:
        shelf = runner.platform.catalog.tools if step.tool else runner.platform.processes
        id_ = step.tool or step.process or ""
        try:
            found[id_] = shelf.get(user, id_).name
        except NotFoundError:
            continue
    return found
