"""The port to the record: named SQL queries, in atomic units of work.

A query is a constant in the SQL that SQLite and PostgreSQL share: `:name` parameters, RETURNING, ON CONFLICT, recursive
CTEs. Where the two differ, a query is a `DialectQuery` with both texts. The subset (decision 30):

- A list is one parameter that the store sends as JSON: `id IN (SELECT value FROM json_each(:ids))`.
- Booleans are the integers 0 and 1, in columns, parameters and rows.
- Texts are compared and sorted by code point. LIKE, scalar max() and min(), and `::` are not used.
- Ids and times come from the caller, never from the database.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from aeon.base.errors import AeonError
from aeon.base.json import Json, JsonObject
from aeon.base.next_steps import NextStep

T = TypeVar("T")

Dialect: TypeAlias = Literal["sqlite", "postgresql"]


class DialectQuery(NamedTuple):
    """One query in two texts, for queries that differ between dialects.

    Both have the same parameters and columns.
    """

    sqlite: str
    postgresql: str


Query: TypeAlias = str | DialectQuery

Params: TypeAlias = Mapping[str, Json]
"""Values bound to a query's `:names`: strings without NUL, 64-bit integers, finite floats, booleans, None, lists."""

Row: TypeAlias = JsonObject
"""A result row by column name. Booleans are 0 and 1; objects and lists are JSON text."""


class StoreError(AeonError):
    """The store could not do what you asked."""


class StoreUnavailableError(StoreError):
    """The store does not answer.

    `may_have_happened` is True if the response to a commit was lost: repeat it with an idempotency key.
    """

    is_retryable = True
    next_step = NextStep("store.check")

    def __init__(self, message: str = "", *, next_step: str | NextStep = "", may_have_happened: bool = False) -> None:
        super().__init__(message, next_step=next_step, may_have_happened=may_have_happened)
        self.may_have_happened = may_have_happened


class StoreFullError(StoreUnavailableError):
    """The disk is full or not writable. Nothing was changed."""

    next_step = "Free some space and try again; reading still works."


class DamagedStoreError(StoreError):
    """The store's files are damaged, or do not belong to a store."""

    next_step = NextStep("store.restore")


class QueryError(StoreError):
    """The store does not accept the query or one of its parameters."""


class ParameterError(QueryError):
    """No store keeps this value: a text with a NUL character, or an integer of more than 64 bits."""

    is_wrong_input = True
    next_step = "Leave out the character, or give a smaller number."


class QueryTimeoutError(StoreError):
    """The query took longer than its timeout."""


class GuardError(StoreError):
    """A condition does not hold, or a row that it needs was deleted; nothing was written."""


class DuplicateError(StoreError):
    """A value that must be unique exists already; nothing was written."""


class InvariantError(StoreError):
    """The change breaks a check, or changes an immutable value; nothing was written."""


class UnitOfWork(Protocol):
    """One transaction. Its reads see its own writes."""

    def read(self, query: Query, params: Params | None = None) -> list[Row]:
        """Returns the rows of a query; also of a writing query with RETURNING."""
        ...

    def write(self, query: Query, params: Params | None = None) -> int:
        """Runs a writing query, and returns the number of rows that it inserted, changed or deleted.

        Raises DuplicateError, GuardError for a foreign key, and InvariantError.
        """
        ...

    def write_each(self, query: Query, rows: Iterable[Params]) -> None:
        """Runs a writing query once for each of these parameters. Raises like `write`."""
        ...

    def announce(self, subject: str) -> None:
        """Tells every process that listens to the record, once this unit is committed; SQLite tells nobody.

        A subject is an id or the like, never what users said: whoever may connect to the database can hear it.
        """
        ...


class Store(Protocol):
    """The database of one record.

    Threads may share it, and several processes may open the same one. Committed work survives a kill of the process,
    the server or the machine. All methods raise StoreError.
    """

    @property
    def name(self) -> str:
        """The kind of store and its location, without credentials."""
        ...

    @property
    def dialect(self) -> Dialect:
        """The SQL dialect that it uses."""
        ...

    def read(self, query: Query, params: Params | None = None, *, timeout: float | None = None) -> list[Row]:
        """Returns the rows of one read-only query.

        `timeout` is in seconds. Raises QueryTimeoutError.
        """
        ...

    def view(self, work: Callable[[UnitOfWork], T]) -> T:
        """Returns the result of several reads, which all see the same snapshot of the record."""
        ...

    def update(self, work: Callable[[UnitOfWork], T]) -> T:
        """Runs a unit of work and commits it; rolls it back if it raises.

        `work` is called again after a conflict with another unit of work, so it must have no side effects outside its
        unit. Raises StoreUnavailableError with `may_have_happened`.
        """
        ...

    def compact(self, tables: Sequence[str]) -> bool:
        """Rewrites these tables without what was deleted or overwritten, so that no byte of it is left in their files.

        Returns False if the tables belong to another role of the server, whose own vacuum has to do it. The write-ahead
        log of a server keeps such bytes until it is recycled (decision 58). Raises StoreUnavailableError while others
        hold the tables.
        """
        ...

    def listen(self, hear: Callable[[str], None]) -> None:
        """Calls `hear` with each subject that is announced from now on, in a thread of its own, until `close`.

        SQLite announces nothing, nor does a server while it is away, nor does every pooler pass it on: whoever listens
        looks from time to time, too.
        """
        ...

    def explain(self, query: Query, params: Params | None = None) -> str:
        """Returns the query plan, in the store's own format."""
        ...

    def close(self) -> None:
        """Closes all connections. Calling it again does nothing."""
        ...


def guard(*, holds: bool) -> None:
    """Raises GuardError, which rolls back the whole unit of work, unless a condition holds."""
    if not holds:
        raise GuardError


def write_one(query: Query, params: Params) -> Callable[[UnitOfWork], None]:
    """Returns a unit of one query, which raises GuardError unless it writes one row."""
    return lambda unit: guard(holds=unit.write(query, params) == 1)
