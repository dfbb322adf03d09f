"""Copies of a record's file: made as a draft, checked, and on the disk before they get their name."""

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

_ENDINGS = ("", "-wal", "-shm", "-journal")


def copy_record(path: Path, target: Path) -> None:
    """Put a copy (0600) of a record at `target`, in the place of what is there, while others may write to the record.

    It holds what was committed at one moment, and is read whole before it gets its name. Raises StoreError.
    """
    with as_store_os_errors(target), _draft_beside(target) as draft:
        with as_store_errors(path), closing(connect_read_only(path)) as source, _writing_to(target, draft) as copy:
            source.backup(copy)
        with as_store_errors(target), closing(connect_at_rest(draft)) as copy:
            require_whole(copy, path)
        publish(draft, target)


def new_file(path: Path) -> None:
    """Make an empty file (0600) in the place of one that was left there, with what SQLite put beside that."""
    remove_file(path)
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))


def remove_file(path: Path) -> None:
    """Remove a database's file and what SQLite put beside it."""
    for ending in _ENDINGS:
        Path(f"{path}{ending}").unlink(missing_ok=True)


def publish(draft: Path, target: Path) -> None:
    """Give a draft its name, in the place of what had it, once all of it is on the disk."""
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
