"""Copies a record's file: as a draft, which is checked and synced before it gets its name."""

import os
import sqlite3
import threading
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

from aeon.adapters.store.sqlite.connection import connect, connect_at_rest, connect_read_only
from aeon.adapters.store.sqlite.errors import as_store_errors
from aeon.adapters.store.sqlite.integrity import require_whole
from aeon.adapters.store.sqlite.record_files import as_store_os_errors, sync_folder

_SUFFIXES = ("", "-wal", "-shm", "-journal")


def copy_record(path: Path, target: Path) -> None:
    """Copies a record, which may be in use, to `target` (0600), replacing an existing file.

    The copy is a snapshot of the commits, and is read completely before it gets its name. Raises StoreError.
    """
    with as_store_os_errors(target), _draft_beside(target) as draft:
        with as_store_errors(path), closing(connect_read_only(path)) as source, _writing_to(target, draft) as copy:
            source.backup(copy)
        with as_store_errors(target), closing(connect_at_rest(draft)) as copy:
            require_whole(copy, path)
        publish(draft, target)


def new_file(path: Path) -> None:
    """Creates an empty file (0600), and removes an earlier one with SQLite's files beside it."""
    remove_file(path)
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))


def remove_file(path: Path) -> None:
    """Removes a database file and SQLite's files beside it."""
    for ending in _SUFFIXES:
        Path(f"{path}{ending}").unlink(missing_ok=True)


def publish(draft: Path, target: Path) -> None:
    """Syncs a draft and renames it to its target, replacing an existing file."""
    descriptor = os.open(draft, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    draft.replace(target)
    sync_folder(target.parent)


@contextmanager
def _writing_to(target: Path, draft: Path) -> Generator[sqlite3.Connection]:
    with as_store_errors(target), closing(connect(draft)) as connection:
        yield connection


@contextmanager
def _draft_beside(target: Path) -> Generator[Path]:
    draft = target.with_name(f".{target.name}.{os.getpid()}-{threading.get_ident()}")
    new_file(draft)
    try:
        yield draft
    finally:
        remove_file(draft)
