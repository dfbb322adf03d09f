"""Which record this is, and which store keeps its runs: what others keep for it can say whose it is."""

from collections.abc import Sequence
from typing import NamedTuple, cast

from aeon.base.errors import ConfigError
from aeon.base.json import JsonObject, canonical_json, parse_strict
from aeon.platform import queries
from aeon.platform.store import Row, Store, UnitOfWork


class RunStoreIdentity(NamedTuple):
    """A store of runs: its own id, and where it is as people say it, without a password."""

    id: str
    where: str


def get_record_id(store: Store) -> str:
    """The record's id, the same for all that open it, and with it wherever it is moved. Raises StoreError."""
    (row,) = store.read(queries.RECORD_ID)
    return row["id"]


def get_run_store(store: Store) -> RunStoreIdentity | None:
    """Where the record's runs are kept; None before the first. Raises StoreError."""
    return _read(store.read(queries.RUN_STORE))


def claim_run_store(store: Store, own: RunStoreIdentity) -> None:
    """Have the record's runs be kept in `own`, from the first time on (measured E5).

    With two stores each would carry out what the other has completed. Raises ConfigError for a second one, StoreError.
    """

    def claim(unit: UnitOfWork) -> RunStoreIdentity | None:
        unit.write(queries.CLAIM_RUN_STORE, {"said": _said(own)})
        return _read(unit.read(queries.RUN_STORE))

    there = get_run_store(store) or store.update(claim)
    if there is not None and there.id != own.id:
        raise ConfigError(
            f"The runs of this record are kept in {there.where}. A second place, {own.where}, would not know what is "
            "complete there, and would do it again.",
            next_step="Use one PostgreSQL as engine.address for all that share the record. If that other place is "
            "lost, see `aeon runs adopt --dry-run`.",
        )


def move_run_store(store: Store, own: RunStoreIdentity) -> None:
    """Have the record's runs be kept in `own` from now on, since where they were is lost. Raises StoreError."""
    store.update(lambda unit: unit.write(queries.MOVE_RUN_STORE, {"said": _said(own)}))


def _said(run_store: RunStoreIdentity) -> str:
    return canonical_json(run_store._asdict())


def _read(rows: Sequence[Row]) -> RunStoreIdentity | None:
    return RunStoreIdentity(**cast(JsonObject, parse_strict(rows[0]["said"]))) if rows else None
