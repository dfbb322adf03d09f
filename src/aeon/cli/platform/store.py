"""`aeon store`: checks, backs up, exports, migrates and moves the record. Secret values are in the vault."""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import cast

from aeon.base.errors import InputError
from aeon.base.json import JsonObject, canonical_json, parse_strict
from aeon.bootstrap.store_maintenance import SQLITE_TARGET, StoreMaintenance
from aeon.cli import session
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.text import indented_json, printable
from aeon.platform import queries
from aeon.platform.exports.transfer import counts, export, load

_STDOUT = Path("-")


def show_status(*, as_json: bool) -> int:
    """Print the store, the version of its tables, and the number of items of each kind."""
    with closing(_maintenance().open()) as store:
        version = int(store.read(queries.VERSION)[0]["number"])
        nodes = counts(store)
    if as_json:
        print_data(indented_json({"store": store.name, "version": version, "things": nodes}))
        return ExitCode.DONE
    print_data(f"{store.name}, version {version}")
    for label, count in nodes.items():
        print_data(f"{count:>9,} {label}")
    return ExitCode.DONE


def check_store() -> int:
    """Print every problem of the record; FAILED if there is one."""
    problems = _maintenance().check()
    for problem in problems:
        print_data(printable(problem))
    if problems:
        print_message("Restore a backup: `aeon store restore FILE`.", "next: ")
        return ExitCode.FAILED
    print_data("the record is intact")
    return ExitCode.DONE


def back_up(target: Path) -> int:
    """Copy the record into a new file."""
    _maintenance().backup(target)
    print_data(f"copied the record to {printable(str(target))}")
    return ExitCode.DONE


def restore_backup(source: Path) -> int:
    """Replace the record by a backup."""
    old = _maintenance().restore(source)
    print_data(f"restored {printable(str(source))}")
    if old is not None:
        print_message(f"the previous record is kept at {printable(str(old))}")
    return ExitCode.DONE


def export_record(target: Path) -> int:
    """Write every node and edge as a line of JSON; the file is written completely or not at all."""
    with closing(_maintenance().open()) as store:
        lines = (f"{canonical_json(record)}\n" for record in export(store))
        count = _to_stdout(lines) if target == _STDOUT else _to_file(lines, target)
    print_message(f"{count:,} records; the values of secrets are not included")
    return ExitCode.DONE


def import_record(source: Path) -> int:
    """Import into the empty record. Raises InputError for an invalid line, StoreError if the record is not empty."""
    with closing(_maintenance().open()) as store:
        load(store, _records(source))
    return ExitCode.DONE


def migrate_store(to: int | None) -> int:
    """Migrate the tables to a version, and print the applied migrations."""
    done = _maintenance().migrate(to)
    for name in done:
        print_data(name)
    print_message(f"{len(done)} migration(s)" if done else "the tables already have this version")
    return ExitCode.DONE


def move_record(target: str, password_env: str | None) -> int:
    """Copy the record into another store, and print how to use it."""
    name = _maintenance().move(target, password_env, print_message)
    print_data(f"copied the record to {printable(name)}; both are equal")
    change = (
        "Remove `address` from the section [store]" if target == SQLITE_TARGET else f'Set [store] address = "{target}"'
    )
    print_message(f"{printable(change)} in aeon.toml. The old record stays until you remove it.", "next: ")
    return ExitCode.DONE


def _maintenance() -> StoreMaintenance:
    loaded = session.load_cli_settings()
    return StoreMaintenance(Path.cwd(), loaded.settings.store, os.environ, loaded.from_project)


def _to_stdout(lines: Iterator[str]) -> int:
    count = 0
    for count, line in enumerate(lines, 1):  # noqa: B007  # counts the lines
        sys.stdout.write(line)
    sys.stdout.flush()
    return count


def _to_file(lines: Iterator[str], target: Path) -> int:
    count = 0
    try:
        with tempfile.TemporaryDirectory(prefix=".aeon-export-", dir=target.parent) as folder:
            draft = Path(folder, target.name)
            with draft.open("x", encoding="utf-8") as file:
                for count, line in enumerate(lines, 1):  # noqa: B007  # as above
                    file.write(line)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(target)
    except OSError as error:
        raise InputError(f"{target} cannot be written: {error.strerror}.", next_step="Choose another file.") from None
    return count


def _records(source: Path) -> Iterator[JsonObject]:
    try:
        with source.open(encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                yield _record(line, number)
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InputError(
            f"{source} cannot be read: {why}.", next_step="Name a file that `aeon store export` wrote."
        ) from None


def _record(line: str, number: int) -> JsonObject:
    try:
        value = parse_strict(line)
    except ValueError as error:
        raise InputError(f"Line {number} is not JSON: {error}", next_step="Export it again.") from None
    if not isinstance(value, dict):
        raise InputError(f"Line {number} is not a record.", next_step="Export it again.")
    return cast(JsonObject, value)
