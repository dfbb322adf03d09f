"""Opens the store of the record: a SQLite file in the project's folder, or PostgreSQL."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from aeon.base.project_folder import make_folder, require_ownership, state_folder
from aeon.bootstrap.passwords import NO_PROJECT_KEYS, server_password
from aeon.platform.store import Store
from aeon.settings import StoreSettings


def record_file(project: Path) -> Path:
    """Return the path of a project's record file."""
    return project / ".aeon" / "aeon.db"


def old_graph_record(project: Path, settings: StoreSettings) -> Path | None:
    """Return the folder of an older Aeon's record in FalkorDB, if this version would start an empty record."""
    from aeon.adapters.store.sqlite.factory import old_graph_folder

    return old_graph_folder(record_file(project)) if settings.address is None else None


def open_store(
    project: Path,
    settings: StoreSettings,
    environ: Mapping[str, str],
    from_project: Mapping[str, Path] = NO_PROJECT_KEYS,
) -> Store:
    """Open the record; create its file if missing. `from_project` maps the keys that a project's file sets to the file.

    Raises StoreError; MissingExtraError; ConfigError for a missing password, or one that would go to a server that a
    project's file chose (decision 12).
    """
    if settings.address is None:
        from aeon.adapters.store.sqlite.factory import open_sqlite

        file = record_file(project)
        require_ownership(file)
        make_folder(file.parent)
        return open_sqlite(file, state=state_folder(environ))
    from aeon.adapters.store.postgresql import open_postgresql

    password = server_password("store", settings.address, settings.password_env, environ, from_project)
    return open_postgresql(settings.address, password)


@dataclass(frozen=True, slots=True)
class PostgresMigrations:
    """The migrations of a record in PostgreSQL."""

    address: str
    password: str | None

    def run(self, to: int | None) -> list[str]:
        """Apply missing migrations, or undo those after version `to`; return their names. Raises StoreError."""
        from aeon.adapters.store.postgresql import migrate, roll_back

        if to is None:
            return migrate(self.address, self.password)
        return roll_back(self.address, self.password, to=to)


def postgres_migrations(
    settings: StoreSettings, environ: Mapping[str, str], from_project: Mapping[str, Path]
) -> PostgresMigrations:
    """Return the migrations of the PostgreSQL record of the settings. Raises ConfigError."""
    address = settings.address or ""
    password = server_password("store", address, settings.password_env, environ, from_project)
    return PostgresMigrations(address, password)
