"""The port to the record: named SQL queries, in units of work that happen whole or not at all.

A query is a constant in the SQL that SQLite and PostgreSQL share: `:name` parameters, RETURNING, ON CONFLICT, recursive
CTEs. Where the two differ, it is a `DialectQuery` of both. The subset (decision 30):

- A list is one parameter that the store sends as JSON: `id IN (SELECT value FROM json_each(:ids))`.
- Booleans are the integers 0 and 1, in columns, parameters and rows.
- Texts are compared and sorted by code point. LIKE, scalar max() and min(), and `::` are not used.
- Ids and times come from the caller, never from the database.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from aeon.base.errors import AeonError
from aeon.base.json import Json, JsonObject

T = TypeVar("T")

Dialect: TypeAlias = Literal["sqlite", "postgresql"]


class DialectQuery(NamedTuple):
    """One query in two texts, where the dialects differ. Both have the same parameters and columns."""

    sqlite: str
    postgresql: str


Query: TypeAlias = str | DialectQuery

Params: TypeAlias = Mapping[str, Json]
"""Bound to a query's `:names`: strings without NUL, 64-bit integers, finite floats, booleans, None, lists."""

Row: TypeAlias = JsonObject
"""A row of an answer by column. Booleans are 0 and 1; objects and lists are JSON text."""


class StoreError(AeonError):
    """The store could not do what was asked."""


class StoreUnavailableError(StoreError):
    """The store does not answer.

    `may_have_happened` is True when the answer to a commit was lost: repeat it with an idempotency key.
    """

    is_retryable = True
    next_step = "Run `aeon doctor`; the data are safe."

    def __init__(self, message: str = "", *, next_step: str = "", may_have_happened: bool = False) -> None:
        super().__init__(message, next_step=next_step, may_have_happened=may_have_happened)
        self.may_have_happened = may_have_happened


class StoreFullError(StoreUnavailableError):
    """The disk is full, or may not be written to. Nothing was changed."""

    next_step = "Free some space and try again; reading still works."


class DamagedStoreError(StoreError):
    """The store's files are damaged, or are not the store's own."""

    next_step = "Restore a backup with `aeon store restore FILE`."


class QueryError(StoreError):
    """The store does not accept the query or one of its parameters."""


class QueryTimeoutError(StoreError):
    """The query took longer than its timeout."""


class GuardError(StoreError):
    """A condition of the unit of work does not hold, or a row that it refers to is gone; nothing was written."""


class DuplicateError(StoreError):
    """A value that must be unique is already there; nothing was written."""


class InvariantError(StoreError):
    """The database refuses to break an invariant: a check, or what is immutable; nothing was written."""


class UnitOfWork(Protocol):
    """One unit of work: a transaction. Its reads see its own writes."""

    def read(self, query: Query, params: Params | None = None) -> list[Row]:
        """The rows of a query; also of one that writes and has RETURNING."""
        ...

    def write(self, query: Query, params: Params | None = None) -> int:
        """Run a query that writes; the number of rows that it inserted, changed or deleted.

        Raises DuplicateError, GuardError for a foreign key, and InvariantError.
        """
        ...

    def write_each(self, query: Query, rows: Iterable[Params]) -> None:
        """Run a query that writes once for each of these parameters. Raises as `write`."""
        ...


class Store(Protocol):
    """One record. Threads may share it, and several processes may have the same one open.

    What was acknowledged survives the process, the server and the machine being killed. All raise StoreError.
    """

    @property
    def name(self) -> str:
        """The kind of store, and where it is, without credentials."""
        ...

    @property
    def dialect(self) -> Dialect:
        """Which of the texts of a query it takes."""
        ...

    def read(self, query: Query, params: Params | None = None, *, timeout: float | None = None) -> list[Row]:
        """The rows of one query that changes nothing. `timeout` is in seconds (QueryTimeoutError)."""
        ...

    def view(self, work: Callable[[UnitOfWork], T]) -> T:
        """The result of several reads, all of which see the record as it was at one moment."""
        ...

    def update(self, work: Callable[[UnitOfWork], T]) -> T:
        """Carry out a unit of work and commit it, or nothing of it when it raises.

        `work` is called again when it met another unit of work, so it has no effect but on its unit. Raises
        StoreUnavailableError with `may_have_happened`.
        """
        ...

    def explain(self, query: Query, params: Params | None = None) -> str:
        """The query plan, in the store's own words."""
        ...

    def close(self) -> None:
        """Close all connections. Calling it again does nothing."""
        ...


def guard(*, holds: bool) -> None:
    """Raise GuardError, which takes the whole unit of work back, unless a condition holds."""
    if not holds:
        raise GuardError


def write_one(query: Query, params: Params) -> Callable[[UnitOfWork], None]:
    """A unit of work that is one query, and raises GuardError unless that writes exactly one row."""
    return lambda unit: guard(holds=unit.write(query, params) == 1)
