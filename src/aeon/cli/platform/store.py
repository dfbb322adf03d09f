"""`aeon store`: checks, backs up, exports, migrates and moves the record. Secret values are in the vault."""

import os
import sys
from pathlib import Path

from aeon.application.store import SQLITE_TARGET, StoreService
from aeon.base.errors import InputError
from aeon.cli import session
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.output import OutputFormat, print_as
from aeon.cli.text import printable

_STDOUT = Path("-")


def show_status(*, output: OutputFormat) -> int:
    """Print the store, the version of its tables, and the number of items of each kind."""
    store, version, things = _store().status()
    if print_as(output, {"store": store, "version": version, "things": {**things}}, key="store"):
        return ExitCode.DONE
    print_data(f"{store}, version {version}")
    for label, count in things.items():
        print_data(f"{count:>9,} {label}")
    return ExitCode.DONE


def check_store() -> int:
    """Print every problem of the record; FAILED if there is one."""
    problems = _store().check()
    for problem in problems:
        print_data(printable(problem))
    if problems:
        print_message("Restore a backup: `aeon store restore FILE`.", "next: ")
        return ExitCode.FAILED
    print_data("the record is intact")
    return ExitCode.DONE


def back_up(target: Path) -> int:
    """Copy the record into a new file."""
    _store().back_up(target)
    print_data(f"copied the record to {printable(str(target))}")
    return ExitCode.DONE


def restore_backup(source: Path) -> int:
    """Replace the record by a backup."""
    old = _store().restore(source)
    print_data(f"restored {printable(str(source))}")
    if old is not None:
        print_message(f"the previous record is kept at {printable(str(old))}")
    return ExitCode.DONE


def export_record(target: Path) -> int:
    """Write every node and edge as a line of JSON; the file is written completely or not at all."""
    if target == _STDOUT:
        count = _store().export_lines(sys.stdout.write)
        sys.stdout.flush()
    else:
        count = _store().export_file(target)
    print_message(f"{count:,} records; the values of secrets are not included")
    return ExitCode.DONE


def import_record(source: Path) -> int:
    """Import into the empty record. Raises InputError for an invalid line, StoreError if the record is not empty."""
    try:
        with source.open(encoding="utf-8") as lines:
            _store().import_lines(lines)
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InputError(
            f"{source} cannot be read: {why}.", next_step="Name a file that `aeon store export` wrote."
        ) from None
    return ExitCode.DONE


def migrate_store(to: int | None) -> int:
    """Migrate the tables to a version, and print the applied migrations."""
    done = _store().migrate(to)
    for name in done:
        print_data(name)
    print_message(f"{len(done)} migration(s)" if done else "the tables already have this version")
    return ExitCode.DONE


def rebuild_indexes() -> int:
    """Build the search indexes of conversations again."""
    print_data(f"{_store().rebuild():,} titles, messages and answers can be searched")
    return ExitCode.DONE


def move_record(target: str, password_env: str | None) -> int:
    """Copy the record into another store, and print how to use it."""
    name = _store().move(target, password_env, print_message)
    print_data(f"copied the record to {printable(name)}; both are equal")
    change = (
        "Remove `address` from the section [store]" if target == SQLITE_TARGET else f'Set [store] address = "{target}"'
    )
    print_message(f"{printable(change)} in aeon.toml. The old record stays until you remove it.", "next: ")
    return ExitCode.DONE


def _store() -> StoreService:
    return StoreService(Path.cwd(), session.load_cli_settings(), os.environ)
