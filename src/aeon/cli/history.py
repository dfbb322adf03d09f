"""`aeon log`: lists what ran, and finds what an id, a part of one, a path or `last` names."""

import os
from collections.abc import Collection, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from aeon.application.folder import FolderService
from aeon.application.history import ALL, KINDS, FoundRun, HistoryKind, HistoryService, ProcessFilter, RunPhase
from aeon.base.errors import InputError
from aeon.cli.console import print_data
from aeon.cli.exit_codes import ExitCode
from aeon.cli.output import OutputFormat, print_as, print_table
from aeon.cli.platform.listing import print_whether_more
from aeon.cli.platform.times import parse_since
from aeon.cli.session import load_cli_settings
from aeon.cli.text import indented_json, printable

_REFUSALS: dict[tuple[str, HistoryKind], str] = {
    ("why", "skill"): "See its nodes: aeon log show {id}",
    ("cancel", "request"): "Press Ctrl-C where it runs; it can be resumed.",
    ("cancel", "skill"): "Press Ctrl-C where it runs.",
    ("pause", "request"): "Press Ctrl-C where it runs; it can be resumed.",
    ("pause", "skill"): "Press Ctrl-C where it runs.",
    ("resume", "skill"): "Run its plan or request again: aeon skill run WHAT",
    ("retry", "request"): "Continue it with: aeon log resume {id}, or run the request again.",
    ("retry", "skill"): "Run its plan or request again: aeon skill run WHAT",
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


class HistoryListOptions(NamedTuple):
    """The options of `aeon log list`; None does not filter. `since` is a time, as `parse_since` reads it."""

    limit: int
    after: str | None
    kind: HistoryKind | None
    phase: RunPhase | None
    process: str | None
    since: str | None
    before: str | None = None
    code: str | None = None
    tag: str | None = None
    text: str | None = None


def list_history(user: str, options: HistoryListOptions, output: OutputFormat) -> int:
    """Print a page of what ran, newest first. Raises RuleError for an invalid cursor, InputError for a time."""
    wanted = ProcessFilter(
        options.phase,
        options.process,
        parse_since(options.since),
        parse_since(options.before),
        options.code,
        options.tag,
        options.text,
    )
    kinds: Collection[HistoryKind] = KINDS if options.kind is None else [options.kind]
    with history_session(user) as history:
        page = history.list(kinds=kinds, wanted=wanted, after=options.after, limit=options.limit)
    print_whether_more(page)
    if print_as(output, [each.as_dict() for each in page.items], key="id"):
        return ExitCode.DONE
    rows = [(each.id, each.kind, each.state, each.at[:19], each.title) for each in page.items]
    is_filtered = options.kind is not None or wanted != ALL
    empty = "nothing matches" if is_filtered else 'nothing ran yet; begin with: aeon run "REQUEST"'
    print_table(("ID", "KIND", "STATE", "STARTED", "WHAT"), rows, empty)
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
    found = [find_run(name, user, "delete", ["request", "skill"]) for name in names]
    for each in found:
        each.file.unlink()
        if not as_json:
            print_data(f"deleted {printable(str(each.file))}")
    if as_json:
        print_data(indented_json([str(each.file) for each in found]))
    return ExitCode.DONE
