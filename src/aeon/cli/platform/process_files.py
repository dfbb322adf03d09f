"""`aeon process new|check`: a commented file to start from, and what is wrong with a file, by line and column."""

import os
from collections.abc import Sequence
from pathlib import Path

from aeon.application.folder import FolderService
from aeon.application.process_files import DocumentFile, FileFault, FileReport, check_without_record
from aeon.application.process_template import new_process_text
from aeon.base.errors import InputError
from aeon.base.json import JsonObject
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.platform.catalog import read_files
from aeon.cli.platform.session import workspace_session
from aeon.cli.session import load_cli_settings
from aeon.cli.text import indented_json, printable


def write_new_process(name: str, file: Path | None) -> int:
    """Print a commented Process, or write it to a new file. Raises InputError if the file exists."""
    text = new_process_text(name)
    if file is None:
        print_data(text.rstrip("\n"))
        return ExitCode.DONE
    try:
        with file.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror}.", next_step="Choose another file.") from None
    print_message(f"wrote {file}; check it: aeon process check {file}")
    return ExitCode.DONE


def check_files(paths: Sequence[Path], user: str, *, is_offline: bool, as_json: bool) -> int:
    """Print every fault as `FILE:LINE:COLUMN`; exit code 2 if there is one. Raises InputError."""
    report = _check(read_files(paths), user, is_offline=is_offline)
    if as_json:
        things = [{"kind": kind, "name": name} for kind, name in report.things]
        data: JsonObject = {"valid": report.is_valid, "things": [*things], "faults": [*map(_fault_data, report.faults)]}
        print_data(indented_json(data))
    else:
        for each in report.faults:
            print_data(printable(f"{each.file}:{_fault_text(each)}"))
        faults = sum(not each.is_warning for each in report.faults)
        counted = [f"{len(report.things)} document(s)", f"{faults} fault(s)"]
        warnings = len(report.faults) - faults
        print_message(", ".join([*counted, *([f"{warnings} warning(s)"] if warnings else [])]))
    return ExitCode.DONE if report.is_valid else ExitCode.USAGE


def _check(files: Sequence[DocumentFile], user: str, *, is_offline: bool) -> FileReport:
    """Check files against the record of the folder; against none if there is none, so that none is made."""
    if not is_offline and FolderService(Path.cwd(), os.environ).has_record(load_cli_settings().settings.store):
        with workspace_session(user) as workspace:
            return workspace.processes.files.check_files(files)
    return check_without_record(files, os.environ, is_offline=is_offline)


def _fault_text(each: FileFault) -> str:
    kind = "warning" if each.is_warning else "error"
    place = f"{each.fault.path}: " if each.fault.path else ""
    return f"{each.fault.line}:{each.fault.column}: {kind}: {place}{each.fault.message}"


def _fault_data(each: FileFault) -> JsonObject:
    return {"file": each.file, **each.fault._asdict(), "isWarning": each.is_warning}
