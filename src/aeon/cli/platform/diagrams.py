"""`aeon process draw`: draws a Process, and optionally the state of a run, as SVG or Mermaid."""

from pathlib import Path

from aeon.application.processes import DrawingForm
from aeon.base.errors import InputError
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.platform.session import runtime_session


def draw_process(name: str, run: str | None, file: Path | None, user: str, *, form: DrawingForm) -> int:
    """Write the drawing. With a run, draws the version that the run executes. Raises NotFoundError, InputError."""
    with runtime_session(user) as workspace:
        processes, runs = workspace.processes, workspace.past_runs
        view = runs.view(runs.find_id(run)) if run else None
        drawing = processes.draw(name, form) if view is None else processes.draw_run(view, form)
    return write_drawing(drawing, file)


def write_drawing(drawing: str, file: Path | None) -> int:
    """Write a drawing into a file, or print it without one. Raises InputError."""
    if file is None:
        print_data(drawing)
        return ExitCode.DONE
    try:
        file.write_text(drawing, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror}.", next_step="Choose another file.") from None
    print_message(f"wrote {file}")
    return ExitCode.DONE
