"""`StoreService`: checks, copies, migrates and moves the record of a project."""

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import NamedTuple, cast

from aeon.base.errors import InputError
from aeon.base.json import JsonObject, canonical_json, parse_strict
from aeon.bootstrap.engines import EngineLocation, forget_executions, transferred_run_store
from aeon.bootstrap.store_maintenance import SQLITE_TARGET, StoreMaintenance
from aeon.bootstrap.vaults import rekey_vault
from aeon.platform import queries
from aeon.platform.exports.transfer import counts, export, load
from aeon.platform.search.messages import MessageSearch
from aeon.platform.store import Store
from aeon.platform.store_identity import RunStoreIdentity, get_record_id
from aeon.settings import LoadedSettings

__all__ = ["SQLITE_TARGET", "StoreService", "StoreStatus", "StoreVersion"]


class StoreStatus(NamedTuple):
    """The name of a store, the version of its tables, and its number of things by label."""

    store: str
    version: int
    things: dict[str, int]


class StoreVersion(NamedTuple):
    """The name of a store, and the version of its tables."""

    store: str
    version: int


class StoreService:
    """The record of one project as a whole, of all its users. Every method raises StoreError and ConfigError."""

    def __init__(self, folder: Path, loaded: LoadedSettings, environ: Mapping[str, str]) -> None:
        """`folder` is the project's."""
        self._folder = folder
        self._loaded = loaded
        self._environ = environ
        self._maintenance = StoreMaintenance(folder, loaded.settings.store, environ, loaded.from_project)

    def status(self) -> StoreStatus:
        """The store, its version and what it contains. It scans whole tables."""
        with closing(self._maintenance.open()) as store:
            return StoreStatus(store.name, _version_of(store), counts(store))

    def version(self) -> StoreVersion:
        """Open the store, and return its name and version. Unlike `status`, it scans nothing."""
        with closing(self._maintenance.open()) as store:
            return StoreVersion(store.name, _version_of(store))

    def check(self) -> list[str]:
        """Every problem of the record, as text."""
        return self._maintenance.check()

    def back_up(self, target: Path) -> None:
        """Copy the record's file while it is in use. Raises ConfigError for PostgreSQL."""
        self._maintenance.backup(target)

    def restore(self, source: Path) -> Path | None:
        """Replace the record's file by a backup; returns where the old one is kept, None without one.

        Runs go on as they were when the backup was made. What they did since is done again, except calls that are the
        same again: their results are still there.
        """
        old = self._maintenance.restore(source)
        forget_executions(self._engine_location())
        return old

    def _engine_location(self) -> EngineLocation:
        def record() -> str:
            with closing(self._maintenance.open()) as store:
                return get_record_id(store)

        def keep(_run_store: RunStoreIdentity) -> None:
            """The record stays bound as it is."""

        loaded = self._loaded
        return EngineLocation(self._folder, loaded.settings.engine, self._environ, record, keep, loaded.from_project)

    def migrate(self, to: int | None = None) -> list[str]:
        """Migrate the tables to a version, the newest if None; returns the names of the applied migrations."""
        return self._maintenance.migrate(to)

    def move(self, target: str, password_env: str | None, report: Callable[[str], None]) -> str:
        """Copy the record into another, empty store, and compare both; returns the name of the target.

        `target` is an address, or `SQLITE_TARGET`; `report` gets lines about the progress.
        """
        with transferred_run_store(self._engine_location()) as give:
            return self._maintenance.move(target, password_env, report, give)

    def export_lines(self, write: Callable[[str], object]) -> int:
        """Write every node and edge as a line of JSON, without the values of secrets; returns their number."""
        count = 0
        with closing(self._maintenance.open()) as store:
            for count, record in enumerate(export(store), 1):  # noqa: B007  # counts the lines
                write(f"{canonical_json(record)}\n")
        return count

    def export_file(self, target: Path) -> int:
        """Export into a file, which is written completely or not at all. Raises InputError if it cannot be written."""
        try:
            with tempfile.TemporaryDirectory(prefix=".aeon-export-", dir=target.parent) as folder:
                draft = Path(folder, target.name)
                with draft.open("x", encoding="utf-8") as file:
                    count = self.export_lines(file.write)
                    file.flush()
                    os.fsync(file.fileno())
                draft.replace(target)
        except OSError as error:
            raise InputError(
                f"{target} cannot be written: {error.strerror}.", next_step="Choose another file."
            ) from None
        return count

    def import_lines(self, lines: Iterable[str]) -> None:
        """Import what was exported into the empty record. Raises InputError for an invalid line."""
        with closing(self._maintenance.open()) as store:
            load(store, _records(lines))

    def rebuild(self) -> int:
        """Build the search indexes of all users' conversations again; return how many messages and titles they have."""
        with closing(self._maintenance.open()) as store:
            return sum(map(MessageSearch(store).rebuild, (row["id"] for row in store.read(queries.USERS))))

    def change_master_key(self) -> int:
        """Encrypt all secrets with a new key, written to the key file; returns the number of versions of secrets.

        All of them or none. Raises VaultError.
        """
        return rekey_vault(self._folder, self._environ)


def _version_of(store: Store) -> int:
    return int(store.read(queries.VERSION)[0]["number"])


def _records(lines: Iterable[str]) -> Iterator[JsonObject]:
    for number, line in enumerate(lines, 1):
        try:
            value = parse_strict(line)
        except ValueError as error:
            raise InputError(f"Line {number} is not JSON: {error}", next_step="Export it again.") from None
        if not isinstance(value, dict):
            raise InputError(f"Line {number} is not a record.", next_step="Export it again.")
        yield cast(JsonObject, value)
