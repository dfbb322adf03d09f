"""`aeon graph`: the whole graph out of its store and into one, without the secrets, which are in the vault."""

import os
import sys
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import cast

from aeon.base.errors import InputError
from aeon.base.json import JsonObject, canonical, parse_strict
from aeon.cli import session
from aeon.cli.codes import Code
from aeon.cli.say import say
from aeon.platform.graph import GraphStore

_STDOUT = Path("-")


def export_graph(target: Path) -> int:
    """Every node and edge as a line of JSON; the file appears whole or not at all."""
    with _opened() as store:
        lines = (f"{canonical(record)}\n" for record in store.export())
        count = _to_stdout(lines) if target == _STDOUT else _to_file(lines, target)
    say(f"{count:,} records; the values of secrets are not among them")
    return Code.DONE


def import_graph(source: Path) -> int:
    """Fill this folder's empty graph. Raises InputError for a line that is none, GraphError when it is not empty."""
    with _opened() as store:
        store.load(_records(source))
    return Code.DONE


def snapshot_graph(target: Path) -> int:
    """A copy to restore from."""
    with _opened() as store:
        store.snapshot(target)
    return Code.DONE


def restore_graph(source: Path) -> int:
    """Replace everything by a snapshot."""
    with _opened() as store:
        store.restore(source)
    return Code.DONE


@contextmanager
def _opened() -> Generator[GraphStore]:
    with session.opened(session.settings_here(), is_quiet=True) as app, closing(app.graph()) as store:
        yield store


def _to_stdout(lines: Iterator[str]) -> int:
    count = 0
    for count, line in enumerate(lines, 1):  # noqa: B007  # how many there were
        sys.stdout.write(line)
    sys.stdout.flush()
    return count


def _to_file(lines: Iterator[str], target: Path) -> int:
    draft = target.with_name(f".{target.name}.part")
    count = 0
    try:
        with draft.open("w", encoding="utf-8") as file:
            for count, line in enumerate(lines, 1):  # noqa: B007  # as above
                file.write(line)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise InputError(f"{target} cannot be written: {error.strerror}.", next_step="Choose another place.") from None
    return count


def _records(source: Path) -> Iterator[JsonObject]:
    try:
        with source.open(encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                yield _record(line, number)
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no UTF-8"
        raise InputError(f"{source} cannot be read: {why}.", next_step="Name what `aeon graph export` wrote.") from None


def _record(line: str, number: int) -> JsonObject:
    try:
        value = parse_strict(line)
    except ValueError as error:
        raise InputError(f"Line {number} is no JSON: {error}", next_step="Export it again.") from None
    if not isinstance(value, dict):
        raise InputError(f"Line {number} is no record.", next_step="Export it again.")
    return cast(JsonObject, value)
