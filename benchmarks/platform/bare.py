"""The same rows by the drivers alone: what the record is compared with."""

import json
import sqlite3
from itertools import count
from pathlib import Path
from typing import Any

from aeon.adapters.store.postgresql.dialect import statement_of
from aeon.base.sqlite_locks import retry_while_locked
from aeon.platform import queries as common
from aeon.platform.catalog import queries
from aeon.platform.store import DialectQuery

JSON_COLUMNS = ("connection_params", "operation", "input_schema", "output_schema")
ADD_TOOL = """
INSERT INTO tools (id, owner_id, name, description, service_id, connection_params, secret_id, secret_scope, operation,
                   input_schema, output_schema, effect, enabled, status, last_health_check, error_message, shared,
                   tool_template_id, version, created_at, updated_at)
VALUES (:id, :owner_id, :name, :description, :service_id, :connection_params, :secret_id, :secret_scope, :operation,
        :input_schema, :output_schema, :effect, :enabled, :status, :last_health_check, :error_message, :shared,
        :tool_template_id, :version, :created_at, :updated_at)
"""
ONE_TOOL = "SELECT * FROM tools WHERE id = :id"
HEAD = "SELECT audit_seq FROM users WHERE id = :user"
ADD_USER = "INSERT INTO users (id, audit_seq, audit_hash, created_at) VALUES (:id, 0, 'x', 'now')"


class _Bare:
    """Reads and writes what a catalog does, without its checks."""

    def __init__(self) -> None:
        self._numbers = count()

    def run(self, query: str, params: dict[str, Any]) -> list[dict[str, Any]]:
        raise NotImplementedError

    def whole(self, pairs: list[tuple[str, dict[str, Any]]]) -> None:
        """All of it in one transaction."""
        raise NotImplementedError

    def get(self, id_: str) -> dict[str, Any]:
        """A tool with its JSON parsed."""
        return _parsed(self.run(queries.TOOL, {"id": id_, "user": "me"})[0])

    def page(self, limit: int) -> list[dict[str, Any]]:
        """The user's first tools with their JSON parsed."""
        return [_parsed(row) for row in self.run(queries.OWN_TOOLS, {"user": "me", "after": "", "limit": limit})]

    def rows_of(self, id_: str) -> dict[str, Any]:
        """A tool's row."""
        return self.run(ONE_TOOL, {"id": id_})[0]

    def add(self, like: dict[str, Any], user: str = "bare") -> None:
        """The rows of a tool created: the tool, its audit entry, the trail's head, the remembered request."""
        number = next(self._numbers)
        if number == 0:
            self.whole([(ADD_USER, {"id": user})])
        entry = {"seq": number + 1, "at": "now", "action": "tool.create", "subject": "x", "actor_id": user}
        entry |= {"user_id": user, "owner_id": user, "details": '{"name":"x"}', "previous": "0" * 64, "hash": "0" * 64}
        tool = {**like, "id": f"{user} {number}", "owner_id": user, "name": f"{user} {number:09}"}
        asked = {"id": f"{user} {number}", "at": "now", "body": "0" * 64, "answer": json.dumps(like)}
        head = {"user_id": user, "seq": number + 1, "hash": "0" * 64}
        writes = [
            (ADD_TOOL, tool),
            (common.ADD_ENTRY, entry),
            (common.MOVE_HEAD, head),
            (common.REMEMBER_REQUEST, asked),
        ]
        self.whole(writes)

    def add_others(self, tools: int, service: str) -> None:
        """Private tools of a thousand other users."""
        like = self.run("SELECT * FROM tools WHERE owner_id = 'me' LIMIT 1", {})[0] | {"service_id": service}
        self.whole([(ADD_USER, {"id": f"u{user}"}) for user in range(1000)])
        rows = ({**like, "id": f"o{n}", "owner_id": f"u{n % 1000}", "name": f"t{n}"} for n in range(tools))
        self.whole([(ADD_TOOL, row) for row in rows])


class BareSqlite(_Bare):
    """sqlite3 with the record's own durability."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._connection = sqlite3.connect(path, timeout=60, isolation_level=None)
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute("PRAGMA foreign_keys = ON")

    def run(self, query: str, params: dict[str, Any]) -> list[dict[str, Any]]:
        cursor = self._connection.execute(query, params)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor]

    def whole(self, pairs: list[tuple[str, dict[str, Any]]]) -> None:
        self._connection.execute("BEGIN IMMEDIATE")
        for query, params in pairs:
            self._connection.execute(query, params)
        self._connection.execute("COMMIT")


class FairSqlite(BareSqlite):
    """The same, but waiting for the lock as Aeon does: no writer starves, as some do with SQLite's own waiting."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._connection.execute("PRAGMA busy_timeout = 0")

    def whole(self, pairs: list[tuple[str, dict[str, Any]]]) -> None:
        retry_while_locked(lambda: self._connection.execute("BEGIN IMMEDIATE"))
        for query, params in pairs:
            self._connection.execute(query, params)
        retry_while_locked(lambda: self._connection.execute("COMMIT"))


class BarePostgres(_Bare):
    """psycopg, one connection."""

    def __init__(self, address: str) -> None:
        import psycopg
        from psycopg import RawCursor
        from psycopg.rows import dict_row

        super().__init__()
        self._connection = psycopg.connect(
            address, autocommit=True, row_factory=dict_row, cursor_factory=RawCursor, prepare_threshold=0
        )
        self._connection.execute("SET search_path TO aeon")

    def run(self, query: str | DialectQuery, params: dict[str, Any]) -> list[dict[str, Any]]:
        return self._executed(query, params).fetchall()

    def whole(self, pairs: list[tuple[str, dict[str, Any]]]) -> None:
        with self._connection.transaction():
            for query, params in pairs:
                self._executed(query, params)

    def _executed(self, query: str | DialectQuery, params: dict[str, Any]) -> Any:
        statement = statement_of(query)
        return self._connection.execute(statement.text, statement.values(params))


def _parsed(row: dict[str, Any]) -> dict[str, Any]:
    return {name: json.loads(value) if name in JSON_COLUMNS else value for name, value in row.items()}
