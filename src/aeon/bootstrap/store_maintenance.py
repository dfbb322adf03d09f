"""Maintains a project's record: backups, checks, migrations, moves to another store."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from math import inf
from pathlib import Path

from pydantic import ValidationError

from aeon.adapters.results import FileResultStore
from aeon.base.clock import SystemClock
from aeon.base.errors import ConfigError
from aeon.base.next_steps import NextStep
from aeon.base.project_folder import PROJECT_FOLDER, require_ownership, state_folder
from aeon.bootstrap.passwords import NO_PROJECT_KEYS
from aeon.bootstrap.stores import open_store, postgres_migrations, record_file
from aeon.platform.exports.transfer import copy, export
from aeon.platform.ledger import Ledger
from aeon.platform.queries import USERS
from aeon.platform.runs.claim_check import LostResultError
from aeon.platform.runs.queries import HELD as RUNS_OF_EXECUTOR
from aeon.platform.runs.recorded_results import RecordedResults
from aeon.platform.store import Store, StoreError, StoreUnavailableError
from aeon.platform.store_identity import claim_run_store, get_record_id, get_run_store
from aeon.platform.workers.registry import SELF_RECOVERING_EXECUTOR, WorkerRegistry
from aeon.settings import StoreSettings

SQLITE_TARGET = "sqlite"
"""The move target that means the file in the project's folder."""


class StoreMaintenance:
    """The maintenance of one project's record, in any store."""

    def __init__(
        self,
        project: Path,
        settings: StoreSettings,
        environ: Mapping[str, str],
        from_project: Mapping[str, Path] = NO_PROJECT_KEYS,
    ) -> None:
        self._project = project
        self._settings = settings
        self._environ = environ
        self._from_project = from_project

    def open(self) -> Store:
        """Open the record, which the caller closes. Raises StoreError, ConfigError, MissingExtraError."""
        return open_store(self._project, self._settings, self._environ, self._from_project)

    def backup(self, target: Path) -> None:
        """Copy the record's file while it is in use. Raises StoreError, and ConfigError for PostgreSQL."""
        from aeon.adapters.store.sqlite.maintenance import backup

        backup(self._file("Use pg_dump: see docs/postgresql.md."), target, state=self._state)

    def restore(self, source: Path) -> Path | None:
        """Replace the record's file by a backup; return the old file's new path. Raises StoreError, ConfigError."""
        from aeon.adapters.store.sqlite.maintenance import restore

        return restore(self._file("Use pg_restore: see docs/postgresql.md."), source, state=self._state)

    def check(self) -> list[str]:
        """Return every problem of the record, as text. Raises StoreError if it cannot be opened."""
        problems: list[str] = []
        if self._settings.address is None:
            from aeon.adapters.store.sqlite.maintenance import check_record

            problems = check_record(self._own_file())
        if problems:
            return problems
        with closing(self.open()) as store:
            ledger = Ledger(store, SystemClock())
            broken = ((row["id"], ledger.verify_audit_log(row["id"])) for row in store.read(USERS))
            return [f"The audit log of {user}: {what}." for user, what in broken if what is not None]

    def migrate(self, to: int | None) -> list[str]:
        """Apply the migrations of a PostgreSQL record up to a version, or undo later ones; return their names."""
        if self._settings.address is None:
            if to is not None:
                raise ConfigError(
                    "The record is a SQLite file, which migrates automatically and never back.",
                    next_step=NextStep("store.restore_before_migration"),
                )
            self.open().close()
            return []
        return postgres_migrations(self._settings, self._environ, self._from_project).run(to)

    def move(
        self,
        target: str,
        password_env: str | None,
        report: Callable[[str], None],
        give_run_store: Callable[[str], None],
    ) -> str:
        """Copy the record into another, empty store and compare their exports; return the target's name.

        `give_run_store` gives the run store to the copy, by its id.

        A server gets the large results of this folder, too, so that other machines read them (decision 85).

        Raises StoreError, also while a worker uses the record, since its later writes would be lost.
        """
        there = _settings_of(target, password_env)
        if there.address == self._settings.address:
            raise ConfigError("The record is already in that store.", next_step="Name another store.")
        with closing(self.open()) as source:
            _require_unused(source)
            _require_no_run_on_temporal(source)
            if there.address is not None:
                applied = self._migrate_target(there)
                report(f"{len(applied)} migration(s) applied")
            with closing(open_store(self._project, there, self._environ)) as empty:
                copy(source, empty)
                if (run_store := get_run_store(source)) is not None:
                    claim_run_store(empty, run_store)
                if not _is_equal(export(source), export(empty)):
                    raise StoreError(
                        f"{empty.name} differs from {source.name}: something was written during the copy.",
                        next_step="Stop everything that uses the record, empty the target, and move it again.",
                    )
                if there.address is not None and (results := _copy_large_results(self._project, empty)):
                    report(f"{results} large result(s) copied into the record")
                give_run_store(get_record_id(empty))
                return empty.name

    def _migrate_target(self, there: StoreSettings) -> list[str]:
        try:
            return postgres_migrations(there, self._environ, NO_PROJECT_KEYS).run(None)
        except StoreUnavailableError as error:
            step = "Start that server, or correct its address; nothing was copied, and the record stays as it is."
            raise StoreUnavailableError(error.message, next_step=step) from error

    @property
    def _state(self) -> Path:
        return state_folder(self._environ)

    def _file(self, advice: str) -> Path:
        if self._settings.address is not None:
            raise ConfigError("The record is kept by a PostgreSQL server, not in a file.", next_step=advice)
        return self._own_file()

    def _own_file(self) -> Path:
        """The record's file. Raises ForeignFolderError if the file came with a folder from elsewhere (platform 21)."""
        file = record_file(self._project)
        require_ownership(file)
        return file


def _copy_large_results(project: Path, target: Store) -> int:
    """Copy what `.aeon/results` has into the record; return how many there were. What was damaged stays there."""
    files, recorded = FileResultStore(project / PROJECT_FOLDER / "results"), RecordedResults(target, SystemClock())
    copied = 0
    for digest in files.list_unused_since(inf):
        with suppress(LostResultError):
            recorded.put(digest, files.get(digest))
            copied += 1
    return copied


def _settings_of(target: str, password_env: str | None) -> StoreSettings:
    try:
        return StoreSettings(address=None if target == SQLITE_TARGET else target, password_env=password_env)
    except ValidationError as error:
        raise ConfigError(
            f"The target is invalid: {error.errors()[0]['msg'].removeprefix('Value error, ')}.",
            next_step=f"Name postgresql://user@host:5432/database, or {SQLITE_TARGET} for this folder's file.",
        ) from None


def _require_unused(store: Store) -> None:
    registry = WorkerRegistry(store, SystemClock())
    gone = {each.id for each in registry.list_dead_executors()}
    if there := [each for each in registry.list_executors() if each.id not in gone]:
        named = ", ".join(f"process {each.pid} on {each.host}" for each in there)
        raise StoreError(f"The record is in use by {named}.", next_step="Stop them, then move the record.")


def _require_no_run_on_temporal(store: Store) -> None:
    """Temporal knows the runs of a record by the record's id, which a copy does not have."""
    if open_runs := store.read(RUNS_OF_EXECUTOR, {"executor": SELF_RECOVERING_EXECUTOR}):
        raise StoreError(
            f"Temporal executes {len(open_runs)} open run(s) of this record.",
            next_step="Let them end, or cancel them (aeon log cancel RUN), then move the record.",
        )


def _is_equal(one: Iterator[object], other: Iterator[object]) -> bool:
    end = object()
    return all(next(other, end) == each for each in one) and next(other, end) is end
