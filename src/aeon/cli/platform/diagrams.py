"""`aeon process draw`: draws a Process, and optionally the state of a run, as SVG."""

from pathlib import Path

from aeon.base.errors import InputError
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.platform.session import runtime_session


def draw_process(name: str, run: str | None, file: Path | None, user: str) -> int:
    """Write the SVG. With a run, draws the version that the run executes. Raises NotFoundError, InputError."""
    with runtime_session(user) as workspace:
        processes, runs = workspace.processes, workspace.past_runs
        svg = processes.draw_run(runs.view(runs.find_id(run))) if run else processes.draw(name)
    return write_drawing(svg, file)


def write_drawing(svg: str, file: Path | None) -> int:
    """Write an SVG into a file, or print it without one. Raises InputError."""
    if file is None:
        print_data(svg)
        return ExitCode.DONE
    try:
        file.write_text(svg, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror}.", next_step="Choose another file.") from None
    print_message(f"wrote {file}")
    return ExitCode.DONE
