"""`aeon conversation import` and `export`: what came, what did not, and where it is."""

import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Literal, NamedTuple, Self

from aeon.application.conversation_transfer import (
    FORMAT_NAMES,
    ImportOutcome,
    ImportReport,
    SourceFormat,
    write_export,
)
from aeon.base.errors import InputError
from aeon.cli.console import print_data, print_message
from aeon.cli.displays import can_redraw
from aeon.cli.exit_codes import ExitCode
from aeon.cli.output import OutputFormat, print_as
from aeon.cli.platform.session import workspace_session
from aeon.cli.text import one_line, printable

_TITLE_WIDTH = 60

_MOST_COUNTS = 20
"""The most kinds of what was not kept that a report lists."""


class ExportOptions(NamedTuple):
    """What to export, and how. `branches` is for Markdown only."""

    names: list[str]
    exports_all: bool
    format: Literal["json", "markdown"]
    branches: Literal["path", "all"] | None
    file: Path | None
    overwrites: bool


def import_conversations(
    paths: list[Path], user: str, source: SourceFormat | None, *, is_dry_run: bool, output: OutputFormat
) -> int:
    """Import conversations, and print how many came. Raises InputError."""
    report = ImportReport(is_dry_run=is_dry_run)
    with workspace_session(user) as workspace:
        outcomes = workspace.conversations.transfer.import_files(paths, source=source, is_dry_run=is_dry_run)
        try:
            with _ImportProgress() as progress:
                for outcome in outcomes:
                    report.add(outcome)
                    progress.show(outcome)
        except KeyboardInterrupt:
            _print_report(report)
            print_message("stopped; what was imported stays. The same command imports the rest.", "note: ")
            raise
    if not print_as(output, report.as_dict(), key="imported"):
        _print_report(report)
    return ExitCode.FAILED if report.states["failed"] else ExitCode.DONE


def export_conversations(user: str, options: ExportOptions) -> int:
    """Export conversations to a file or stdout. Raises InputError, NotFoundError."""
    _check(options)
    with workspace_session(user) as workspace:
        service = workspace.conversations
        ids = None if options.exports_all else [service.find(name).id for name in options.names]
        pieces = (
            service.transfer.export_json(ids)
            if options.format == "json"
            else service.transfer.export_markdown(ids, branches=options.branches or "path")
        )
        if options.file is not None:
            write_export(options.file, pieces, overwrites=options.overwrites)
            print_message(f"wrote {printable(str(options.file))}")
        else:
            sys.stdout.writelines(_for_stdout(pieces))
            sys.stdout.flush()
    return ExitCode.DONE


def _check(options: ExportOptions) -> None:
    if bool(options.names) == options.exports_all:
        raise InputError("Which conversations?", next_step="Name them, or export all of them with --all.")
    if options.format == "json" and options.branches == "path":
        raise InputError("JSON always has all branches.", next_step="Leave --branches out, or choose markdown.")
    if options.file is not None and options.file.exists() and not options.overwrites:
        raise InputError(
            f"{options.file} exists already.", next_step="Name another file, or overwrite it with --force."
        )


def _for_stdout(pieces: Iterable[str]) -> Iterator[str]:
    """The pieces as they are; on a terminal without control characters."""
    return map(printable, pieces) if sys.stdout.isatty() else iter(pieces)


def _print_report(report: ImportReport) -> None:
    verb = "would import" if report.is_dry_run else "imported"
    names = [f"{FORMAT_NAMES[source]}: {number:,}" for source, number in sorted(report.sources.items())]
    found = f"; recognized: {', '.join(names)}" if names else ""
    print_data(f"{verb} {report.states['new']:,} conversation(s) with {report.messages:,} message(s){found}")
    if report.states["present"]:
        print_data(f"already there: {report.states['present']:,}")
    if report.states["erased"]:
        print_data(f"not brought back, because you erased them: {report.states['erased']:,}")
    if report.states["grown"]:
        would = "would be added" if report.is_dry_run else "added"
        print_data(f"grown since: {report.states['grown']:,}; {would}: {report.added:,} message(s)")
    if report.in_part:
        print_data(f"not everything was kept of {report.in_part:,} conversation(s):")
        _print_counts(report.not_kept)
    if report.remarks:
        print_data("kept, but not as in the source:")
        _print_counts(report.remarks)
    if report.states["failed"]:
        print_data(f"failed: {report.states['failed']:,}")


def _print_counts(counts: Mapping[str, int]) -> None:
    """Print the largest counts; of the others, how many there are."""
    ordered = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    for what, number in ordered[:_MOST_COUNTS]:
        print_data(printable(f"  {number:,} x {what}"))
    if (more := len(ordered) - _MOST_COUNTS) > 0:
        print_data(f"  and {more} kinds more, which --json lists")


class _ImportProgress:
    """A bar of the bytes that were read, on a terminal; and each failure, everywhere."""

    def __init__(self) -> None:
        self._bar = _Bar() if can_redraw(sys.stderr) else None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, outcome: ImportOutcome) -> None:
        if outcome.state == "failed":
            title = f" ({one_line(outcome.title, _TITLE_WIDTH)})" if outcome.title else ""
            print_message(f"{outcome.file}, conversation {outcome.number}{title}: {outcome.reason}", "failed: ")
        if self._bar is not None:
            self._bar.show(outcome)


class _Bar:
    """A progress bar drawn by rich."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            DownloadColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True, highlight=False),
            transient=True,
        )
        self._task = self._progress.add_task("importing", total=None)
        self._count = 0
        self._progress.start()

    def show(self, outcome: ImportOutcome) -> None:
        self._count += 1
        words = f"{self._count:,} conversations"
        self._progress.update(self._task, completed=outcome.done, total=outcome.total, description=words)

    def stop(self) -> None:
        self._progress.stop()
