"""`aeon process show|diff`: shows a Process and its versions, and compares versions."""

from pathlib import Path

from aeon.application.processes import (
    CURRENT,
    DefinitionDifference,
    DefinitionSource,
    ProcessService,
    format_differences,
    is_digest,
)
from aeon.base.errors import InputError
from aeon.base.json import Json, JsonObject
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.output import OutputFormat, print_as
from aeon.cli.platform.catalog import read_text
from aeon.cli.platform.session import workspace_session
from aeon.cli.text import indented_json, printable


def show_process(name: str, prefix: str | None, user: str, *, output: OutputFormat) -> int:
    """Print a Process with its versions, or one version of it, as JSON."""
    with workspace_session(user) as workspace:
        processes = workspace.processes
        shown = processes.get_version(name, prefix) if prefix else _current(processes, name)
        faults = [] if prefix else processes.find_faults(processes.get(name))
    for each in faults:
        print_message(f"{each.path}: {each.message}", "warning: ")
    if not print_as(output, shown):
        print_data(indented_json(shown))
    return ExitCode.DONE


def export_process(name: str, user: str) -> int:
    """Print a Process as a document for `aeon apply`. Raises NotFoundError."""
    with workspace_session(user) as workspace:
        processes = workspace.processes
        print_data(processes.texts.write(processes.get(name)).rstrip("\n"))
    return ExitCode.DONE


def pause_process(name: str, user: str, expected: int | None, *, pauses: bool) -> int:
    """Pause a Process with its runs, or let it go on."""
    with workspace_session(user) as workspace:
        switch = workspace.processes.pause if pauses else workspace.processes.resume
        was_paused = workspace.processes.get(name).paused
        process, runs = switch(name, expected_version=expected)
        has_executor = workspace.jobs.has_live_executor()
    shown = printable(process.name)
    if was_paused == pauses:
        print_message(f"{shown} {'is paused already' if pauses else 'is not paused'}")
    elif pauses:
        print_message(f"{shown} is paused, with {len(runs)} open run(s); it goes on with: aeon process resume {shown}")
    else:
        print_message(f"{shown} goes on, with {len(runs)} open run(s)")
        if runs and not has_executor:
            print_message("No worker is up: they go on once there is one. Start one: aeon serve worker", "warning: ")
    return ExitCode.DONE


def diff_process(name: str, old: str | None, new: str | None, user: str, *, output: OutputFormat) -> int:
    """Print the differences between two versions, step by step.

    `old` defaults to the previous version, `new` to the current one. Either may be a file that describes the Process; a
    file alone is compared with the current version. Raises InputError.
    """
    if old is not None and new is None and not is_digest(old):
        old, new = CURRENT, old
    before, after = (None if each is None else _version_or_source(each) for each in (old, new))
    with workspace_session(user) as workspace:
        compared = workspace.processes.compare(name, before, after)
    differences = compared.differences
    data: list[Json] = [_difference_data(each) for each in differences]
    if print_as(output, {"old": compared.old, "new": compared.new, "differences": data}, key="new"):
        return ExitCode.DONE
    for line in format_differences(differences):
        print_data(printable(line))
    print_message(f"{len(differences)} difference(s) from {printable(compared.old)} to {printable(compared.new)}")
    return ExitCode.DONE


def _difference_data(difference: DefinitionDifference) -> JsonObject:
    """Return a difference under its published keys: its change is `verb`."""
    return {"verb" if name == "change" else name: value for name, value in difference._asdict().items()}


def _current(processes: ProcessService, name: str) -> JsonObject:
    versions = processes.list_versions(name)
    return {**processes.get(name).as_dict(), "versions": [each._asdict() for each in versions]}


def _version_or_source(which: str) -> str | DefinitionSource:
    """The beginning of a digest, or the text in a file of that name. Raises InputError."""
    if which == CURRENT or is_digest(which):
        return which
    if which != "-" and not Path(which).exists():
        raise InputError(
            f"{which} cannot be read: there is no such file, and no version is called so.",
            next_step="Give the beginning of a digest, at least 4 digits, which `aeon process show` lists; or a file.",
        )
    return DefinitionSource(which, read_text(Path(which)))
