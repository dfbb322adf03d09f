"""The same reads and writes by the drivers alone, with the same durability: what conversations are compared with."""

import sqlite3
from collections.abc import Iterable
from itertools import count
from pathlib import Path
from typing import Any

from aeon.adapters.store.postgresql.dialect import statement_of
from aeon.platform import queries as common
from aeon.platform.conversations import queries

Write = tuple[Any, dict[str, Any]]


class BareSqlite:
    """sqlite3 in WAL mode, synced at each commit."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, timeout=60, isolation_level=None)
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute("PRAGMA foreign_keys = ON")

    def run(self, query: Any, params: dict[str, Any]) -> list[dict[str, Any]]:
        cursor = self._connection.execute(getattr(query, "sqlite", query), params)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor]

    def whole(self, writes: Iterable[Write]) -> None:
        """All of it in one transaction."""
        self._connection.execute("BEGIN IMMEDIATE")
        for query, params in writes:
            self._connection.execute(getattr(query, "sqlite", query), params)
        self._connection.execute("COMMIT")


class BarePostgres:
    """psycopg, one connection."""

    def __init__(self, address: str) -> None:
        import psycopg
        from psycopg import RawCursor
        from psycopg.rows import dict_row

        self._connection = psycopg.connect(
            address, autocommit=True, row_factory=dict_row, cursor_factory=RawCursor, prepare_threshold=0
        )
        self._connection.execute("SET search_path TO aeon")

    def run(self, query: Any, params: dict[str, Any]) -> list[dict[str, Any]]:
        return self._executed(query, params).fetchall()

    def whole(self, writes: Iterable[Write]) -> None:
        """All of it in one transaction."""
        with self._connection.transaction():
            for query, params in writes:
                self._executed(query, params)

    def _executed(self, query: Any, params: dict[str, Any]) -> Any:
        statement = statement_of(query)
        return self._connection.execute(statement.text, statement.values(params))


class BareAppends:
    """Appends messages to a conversation of its own: the rows that Aeon writes for one, without its checks."""

    def __init__(self, database: BareSqlite | BarePostgres, like: dict[str, Any], user: str) -> None:
        self._database, self._user = database, user
        self._numbers = count()
        self._conversation = {**like, "id": f"bare {user}", "owner_id": user, "tip_id": None, "import_key": None}
        add_user = "INSERT INTO users (id, audit_seq, audit_hash, created_at) VALUES (:id, 0, 'x', 'now')"
        database.whole([(add_user, {"id": user}), (queries.CREATE, self._conversation)])

    def __call__(self) -> None:
        number = next(self._numbers)
        parent = f"{self._user} {number - 1}" if number else None
        id_ = f"{self._user} {number}"
        turn = {"id": f"t {id_}", "conversation": self._conversation["id"], "sequence": number + 1, "speaker": "user"}
        turn |= {
            "parent": None if parent is None else f"t {parent}",
            "via": parent,
            "turn_type": "message",
            "at": "now",
        }
        row = {"id": id_, "turn": turn["id"], "conversation": turn["conversation"], "user": self._user, "sequence": 1}
        row |= {"responds_to": parent, "state": "complete", "content": "Some message of usual length, in English."}
        row |= {"content_hash": "0" * 64, "path_hash": "0" * 64, "process": None, "digest": None, "imported": None}
        row |= {"model": None, "at": "now", "ended_at": "now"}
        moved = {"conversation": turn["conversation"], "user": self._user, "tip": id_, "wakes": 1, "at": "now"}
        entry = {"seq": number + 1, "at": "now", "action": "conversation.append", "subject": "x", "details": "{}"}
        entry |= {"user_id": self._user, "owner_id": self._user, "actor_id": self._user, "previous": "0" * 64}
        self._database.whole(
            [
                (queries.ADD_TURN, turn),
                (queries.ADD_ALTERNATIVE, row),
                (queries.MOVE_TIP, moved),
                (common.ADD_ENTRY, {**entry, "hash": "0" * 64}),
                (common.MOVE_HEAD, {"user_id": self._user, "seq": number + 1, "hash": "0" * 64}),
                (common.REMEMBER_REQUEST, {"id": id_, "at": "now", "body": "0" * 64, "answer": '{"id":"x"}'}),
            ]
        )
