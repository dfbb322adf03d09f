"""`aeon log`: lists what ran, and finds what an id, a part of one, a path or `last` names."""

import os
from collections.abc import Collection, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from aeon.application.folder import FolderService
from aeon.application.history import KINDS, FoundRun, HistoryEntry, HistoryKind, HistoryService
from aeon.base.errors import InputError
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.platform.listing import print_whether_more
from aeon.cli.session import load_cli_settings
from aeon.cli.text import COLUMNS, indented_json, one_line, printable

_REFUSALS: dict[tuple[str, HistoryKind], str] = {
    ("why", "skill"): "See its nodes: aeon log show {id}",
    ("cancel", "request"): "Press Ctrl-C where it runs; it can be resumed.",
    ("cancel", "skill"): "Press Ctrl-C where it runs.",
    ("resume", "skill"): "Run it again: aeon skill run",
    ("retry", "request"): "Continue it with: aeon log resume {id}, or run the request again.",
    ("retry", "skill"): "Run it again: aeon skill run",
    ("replay", "process"): "Its events say what happened: aeon log events {id}",
    ("verify", "skill"): "Check that its trace leads to its result: aeon log replay {id}",
    ("verify", "process"): "Check the whole record: aeon store check",
    ("answer", "request"): "Only a step of a Process asks a person.",
    ("answer", "skill"): "Only a step of a Process asks a person.",
    ("delete", "process"): "Runs of Processes are deleted by age: aeon log delete --days N",
}
_NAMES: dict[HistoryKind, str] = {"request": "a request", "skill": "a plan of skills", "process": "a run of a Process"}


@contextmanager
def history_session(user: str) -> Generator[HistoryService]:
    """Open the history of the current folder; its record only if there is one."""
    loaded = load_cli_settings()
    folder = Path(loaded.settings.run.log_dir).expanduser()
    if not FolderService(Path.cwd(), os.environ).has_record(loaded.settings.store):
        yield HistoryService(folder, None)
        return
    from aeon.cli.platform.session import workspace_session

    with workspace_session(user) as workspace:
        yield HistoryService(folder, workspace.past_runs)


def list_history(user: str, kinds: Collection[HistoryKind], *, after: str | None, limit: int, as_json: bool) -> int:
    """Print a page of what ran, newest first. Raises RuleError for an invalid cursor."""
    with history_session(user) as history:
        page = history.list(kinds=kinds, after=after, limit=limit)
    print_whether_more(page)
    if as_json:
        print_data(indented_json([each.as_dict() for each in page.items]))
        return ExitCode.DONE
    for each in page.items:
        print_data(_line(each))
    if not page.items:
        print_message('nothing ran yet; begin with: aeon run "REQUEST"')
    return ExitCode.DONE


def find_run(name: str, user: str, verb: str, kinds: Collection[HistoryKind] = KINDS) -> FoundRun:
    """What the user named. Raises InputError if it does not exist, or if `verb` cannot be done with its kind."""
    with history_session(user) as history:
        found = history.find(name, kinds)
    if (advice := _REFUSALS.get((verb, found.kind))) is not None:
        raise InputError(
            f"{found.id} is {_NAMES[found.kind]}, for which there is no `{verb}`.",
            next_step=advice.format(id=found.id),
        )
    return found


def delete_files(names: Sequence[str], user: str, *, as_json: bool) -> int:
    """Delete logs of requests and traces of skills. Raises InputError before the first one if any cannot be deleted."""
    found = [find_run(name, user, "delete") for name in names]
    for each in found:
        each.file.unlink()
        if not as_json:
            print_data(f"deleted {printable(str(each.file))}")
    if as_json:
        print_data(indented_json([str(each.file) for each in found]))
    return ExitCode.DONE


def _line(entry: HistoryEntry) -> str:
    return one_line(printable(f"{entry.id} {entry.kind} {entry.state} {entry.at[:19]} {entry.title}"), COLUMNS)
