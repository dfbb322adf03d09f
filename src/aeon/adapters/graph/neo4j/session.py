"""Queries to one database: each in a transaction of its own, whose failures are told apart.

The server lets two transactions read the same and then both write, so that a guard that held when it was read may not
hold any more when the query writes. Writes of ours therefore go one after another: each takes its turn first, a lock
that the server holds until the commit, whichever process the next one is of.
"""

import random
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, TypeVar

from aeon.adapters.graph.neo4j import queries
from aeon.adapters.graph.neo4j.answers import row
from aeon.adapters.graph.neo4j.failures import TurnedDownError, failure, is_turned_down
from aeon.adapters.graph.neo4j.plans import plan_text
from aeon.adapters.graph.parameters import Form, formed
from aeon.adapters.graph.subset import of_the_subset
from aeon.platform.graph import GraphUnavailableError, Params, Row

T = TypeVar("T")

DEFAULT_SECONDS = 60.0
"""What a query gets that names no time of its own: none waits for ever."""

_LEAST_SECONDS, _MOST_SECONDS = 0.001, 1e6
"""The server takes a time of 0 for no limit."""

_ATTEMPTS = 20
_FIRST_PAUSE, _LONGEST_PAUSE = 0.02, 1.0

_AS_IT_IS: Form[Any] = Form(plain=lambda value: value, sequence=list, mapping=dict)


class LostConnectionError(GraphUnavailableError):
    """The server did not answer, and nothing was committed."""


class Transaction:
    """A transaction that was begun: parameters checked on the way in, rows decoded on the way out."""

    def __init__(self, begun: Any) -> None:
        self._begun = begun

    def rows(self, query: str, params: Params | None = None) -> list[Row]:
        return [row(record) for record in self._begun.run(query, formed(params or {}, _AS_IT_IS))]

    def take_turn(self) -> None:
        """Wait until no other transaction writes, and let none begin before this one ends."""
        self._begun.run(queries.TURN).consume()

    def plan(self, query: str, params: Params | None) -> str:
        answer = self._begun.run(f"EXPLAIN {query}", formed(params or {}, _AS_IT_IS))
        return plan_text(answer.consume().plan)


class Session:
    """One database of one server. Threads may share it."""

    def __init__(
        self,
        driver: Any,
        database: str,
        where: str,
        *,
        pause: Callable[[float], None] = time.sleep,
        draw: Callable[[], float] = random.random,
    ) -> None:
        """`pause` and `draw` (from 0 to 1) spread out what is repeated."""
        self._driver = driver
        self._database = database
        self._where = where
        self._pause = pause
        self._draw = draw
        self._is_closed = False

    def read(self, query: str, params: Params | None = None, timeout: float | None = None) -> list[Row]:
        """As `GraphStore.read`; asked once more when the connection was lost."""
        return self._asked(lambda begun: begun.rows(of_the_subset(query), params), timeout, is_write=False)

    def write(self, query: str, params: Params | None = None, timeout: float | None = None) -> list[Row]:
        """As `GraphStore.write`; asked once more when the connection was lost before the commit."""

        def ask(begun: Transaction) -> list[Row]:
            begun.take_turn()
            return begun.rows(of_the_subset(query), params)

        return self._asked(ask, timeout, is_write=True)

    def define(self, query: str, timeout: float | None = None) -> None:
        """Carry out a query that changes the schema, which takes no turn: the server mixes none with data."""
        self._asked(lambda begun: begun.rows(query), timeout, is_write=True)

    def explain(self, query: str, params: Params | None = None) -> str:
        return self._asked(lambda begun: begun.plan(of_the_subset(query), params), None, is_write=False)

    @contextmanager
    def transaction(self, timeout: float | None = None, *, is_write: bool) -> Generator[Transaction]:
        """One transaction, committed at the end of the block and taken back by any error.

        Raises GraphError and its kinds, TurnedDownError when another transaction was in the way, LostConnectionError;
        GraphUnavailableError with `may_have_happened` only when the commit of a write was under way.
        """
        neo4j, errors = self._open()
        seconds = min(max(timeout if timeout is not None else DEFAULT_SECONDS, _LEAST_SECONDS), _MOST_SECONDS)
        mode = neo4j.WRITE_ACCESS if is_write else neo4j.READ_ACCESS
        options = {"database": self._database, "default_access_mode": mode, "fetch_size": -1}
        is_committing = False
        try:
            with self._driver.session(**options) as session:
                # Not a block of its own: after a failure it would speak on a connection that is another thread's by
                # then. The session takes back what is not committed, on a connection that it still has.
                begun = session.begin_transaction(timeout=seconds)
                yield Transaction(begun)
                is_committing = is_write
                begun.commit()
        except errors.Neo4jError as error:
            code, message = error.code or "", error.message or ""
            if is_turned_down(code):
                raise TurnedDownError from None
            raise failure(code, message, may_have_happened=is_committing) from None
        except (errors.DriverError, OSError) as error:
            raise self._lost(error, is_committing=is_committing) from None

    def close(self) -> None:
        self._is_closed = True
        self._driver.close()

    def _open(self) -> tuple[Any, Any]:
        import neo4j
        import neo4j.exceptions

        if self._is_closed:
            raise GraphUnavailableError("The graph was closed.", next_step="Open it again.")
        return neo4j, neo4j.exceptions

    def _asked(self, ask: Callable[[Transaction], T], timeout: float | None, *, is_write: bool) -> T:
        for attempt in range(_ATTEMPTS):
            try:
                return self._once_more(ask, timeout, is_write=is_write)
            except TurnedDownError:
                self._pause(self._draw() * min(_LONGEST_PAUSE, _FIRST_PAUSE * 2**attempt))
        raise GraphUnavailableError("Other queries were always in the way of this one.", next_step="Ask again.")

    def _once_more(self, ask: Callable[[Transaction], T], timeout: float | None, *, is_write: bool) -> T:
        """A connection that lay idle while the server went away and came back is lost before anything is done."""
        try:
            return self._once(ask, timeout, is_write=is_write)
        except LostConnectionError:
            return self._once(ask, timeout, is_write=is_write)

    def _once(self, ask: Callable[[Transaction], T], timeout: float | None, *, is_write: bool) -> T:
        with self.transaction(timeout, is_write=is_write) as begun:
            return ask(begun)

    def _lost(self, error: Exception, *, is_committing: bool) -> GraphUnavailableError:
        if is_committing:
            return GraphUnavailableError(
                f"The {self._where} does not answer: the answer to a commit was lost.", may_have_happened=True
            )
        return LostConnectionError(f"The {self._where} does not answer: {type(error).__name__}.")
