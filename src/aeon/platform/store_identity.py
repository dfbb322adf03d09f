"""The ids of a record and of its run store, by which others recognise them."""

from collections.abc import Sequence
from typing import NamedTuple, cast

from aeon.base.errors import ConfigError
from aeon.base.json import JsonObject, canonical_json, parse_strict
from aeon.base.next_steps import NextStep
from aeon.platform import queries
from aeon.platform.store import Row, Store, UnitOfWork


class RunStoreIdentity(NamedTuple):
    """A run store: its own id, and its location in readable form without a password."""

    id: str
    where: str


def get_record_id(store: Store) -> str:
    """Returns the record's id, which no other record has; a copy in another store has one of its own.

    Raises StoreError.
    """
    (row,) = store.read(queries.RECORD_ID)
    return row["id"]


def check_writable(store: Store) -> None:
    """Opens and ends a transaction that could change this record. Raises StoreError, also if its file was moved."""
    store.update(lambda unit: unit.read(queries.RECORD_ID))


def get_run_store(store: Store) -> RunStoreIdentity | None:
    """Returns the run store of the record; None before the first run. Raises StoreError."""
    return _read(store.read(queries.RUN_STORE))


def claim_run_store(store: Store, own: RunStoreIdentity) -> None:
    """Binds the record to the run store `own` the first time.

    With two run stores, each would run what the other has completed. Raises ConfigError for a second one, StoreError.
    """

    def claim(unit: UnitOfWork) -> RunStoreIdentity | None:
        unit.write(queries.CLAIM_RUN_STORE, {"identity": _encoded(own)})
        return _read(unit.read(queries.RUN_STORE))

    current = get_run_store(store) or store.update(claim)
    if current is not None and current.id != own.id:
        raise ConfigError(
            f"The runs of this record are stored in {current.where}. A second run store, {own.where}, would not know "
            "which runs are complete, and would run them again.",
            next_step=NextStep("runs.adopt_lost"),
        )


def move_run_store(store: Store, own: RunStoreIdentity) -> None:
    """Binds the record to the run store `own`, because the previous one is lost.

    Raises StoreError.
    """
    store.update(lambda unit: unit.write(queries.MOVE_RUN_STORE, {"identity": _encoded(own)}))


def _encoded(run_store: RunStoreIdentity) -> str:
    return canonical_json(run_store._asdict())


def _read(rows: Sequence[Row]) -> RunStoreIdentity | None:
    return RunStoreIdentity(**cast(JsonObject, parse_strict(rows[0]["identity"]))) if rows else None
