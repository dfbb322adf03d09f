"""Reads the tree of a conversation: paths, windows, siblings."""

from collections.abc import Sequence

from aeon.base.json import JsonObject, parse_strict
from aeon.platform.conversations import queries
from aeon.platform.conversations.model import Alternative, Conversation, Turn
from aeon.platform.errors import NotFoundError, VersionError
from aeon.platform.id_prefixes import id_range
from aeon.platform.ledger import Ledger
from aeon.platform.store import Query, Row, Store, UnitOfWork

_WINDOW = 200
_PAGE = 1000
_COUNT_LIMIT = 10_000


class TurnReader:
    """Reads the turns and alternatives of all users. Thread- and process-safe.

    Every method raises NotFoundError for what the user may not see.
    """

    def __init__(self, store: Store, ledger: Ledger) -> None:
        self._store = store
        self._ledger = ledger

    def get(self, user: str, id_: str) -> Alternative:
        """Return an alternative."""
        rows = self._store.read(queries.ALTERNATIVE, {"user": user, "id": id_})
        if not rows:
            self._ledger.require_user(user)
            raise NotFoundError(f"You have no message or answer {id_!r}.")
        return _alternative(rows[0])

    def list_by_ids(self, user: str, ids: Sequence[str]) -> list[Alternative]:
        """Return those of the user's alternatives that have these ids, in the order of creation."""
        return self._all(queries.ALTERNATIVES_BY_ID, {"user": user, "ids": [*ids]})

    def list_matching(self, user: str, prefix: str, limit: int) -> list[Alternative]:
        """Return the user's alternatives whose ids begin with `prefix`, by id. Raises NotFoundError for ""."""
        return self._all(queries.ALTERNATIVES_MATCHING, {"user": user, **id_range(prefix), "limit": limit})

    def path(self, user: str, id_: str, limit: int = _WINDOW, *, before: int | None = None) -> list[Alternative]:
        """Return the newest `limit` alternatives of the path that ends at `id_`, oldest first (platform 22).

        With `before`, the newest of those whose depth is smaller than that.
        """
        skip = 0 if before is None else max(0, self.get(user, id_).turn.sequence - before + 1)
        return self._all(queries.PATH, {"user": user, "id": id_, "end": skip + limit, "skip": skip})

    def list_siblings(self, user: str, id_: str) -> list[Alternative]:
        """Return all alternatives of the same turn, newest first (platform 44)."""
        return self._all(queries.OF_TURN, {"user": user, "turn": self.get(user, id_).turn.id})

    def list_responses(self, user: str, *ids: str) -> list[Alternative]:
        """Return all alternatives that respond to one of these, newest first."""
        return self._all(queries.RESPONSES, {"user": user, "ids": [*ids]}) if ids else []

    def list_generating(self, user: str, limit: int = _WINDOW) -> list[Alternative]:
        """Return the user's answers that are being made, oldest first."""
        return self._all(queries.GENERATING, {"user": user, "limit": limit})

    def list_owners_generating(self) -> list[str]:
        """Return the users who have answers that are being made."""
        return [row["owner_id"] for row in self._store.read(queries.OWNERS_GENERATING)]

    def remove_left_pieces(self) -> None:
        """Remove the pieces that were written in the instant in which their answer was ended."""
        self._store.update(lambda unit: unit.write(queries.REMOVE_LEFT_PIECES))

    def count_below(self, user: str, id_: str) -> int:
        """Return how many alternatives stand below one, at most 10,000."""
        (row,) = self._store.read(queries.COUNT_BELOW, {"user": user, "id": id_, "limit": _COUNT_LIMIT})
        return row["number"]

    def tree(
        self, user: str, conversation: str, after: tuple[int, str, int] = (0, "", 0), limit: int = _WINDOW
    ) -> list[Alternative]:
        """Return a window of all alternatives, by depth, turn and sequence, from the first after `after` on."""
        depth, turn, sequence = after
        params: JsonObject = {"conversation": conversation, "depth": depth, "turn": turn, "n": sequence, "limit": limit}
        return self._all(queries.TREE, {"user": user, **params})

    def whole(self, user: str, conversation: str) -> tuple[Conversation, list[Alternative]]:
        """Return a conversation and all its alternatives as they are at one moment, by depth, turn and sequence."""

        def work(unit: UnitOfWork) -> tuple[Conversation, list[Alternative]]:
            found = conversation_in(unit, user, conversation, None)
            alternatives: list[Alternative] = []
            params: JsonObject = {"user": user, "conversation": conversation, "limit": _PAGE}
            place: JsonObject = {"depth": 0, "turn": "", "n": 0}
            while rows := unit.read(queries.TREE, {**params, **place}):
                alternatives += map(_alternative, rows)
                last = alternatives[-1]
                place = {"depth": last.turn.sequence, "turn": last.turn.id, "n": last.sequence}
            return found, alternatives

        return self._store.view(work)

    def _all(self, query: Query, params: JsonObject) -> list[Alternative]:
        return [_alternative(row) for row in self._store.read(query, params)]


def conversation_in(unit: UnitOfWork, user: str, id_: str, expected: int | None) -> Conversation:
    """Return the conversation as the transaction sees it. Raises VersionError unless it has the expected version."""
    rows = unit.read(queries.CONVERSATION, {"user": user, "id": id_})
    if not rows:
        raise NotFoundError(f"You have no conversation {id_!r}.")
    found = Conversation.from_row(rows[0])
    if expected is not None and found.version != expected:
        raise VersionError(expected, found.version)
    return found


def alternative_in(unit: UnitOfWork, user: str, id_: str) -> Alternative:
    rows = unit.read(queries.ALTERNATIVE, {"user": user, "id": id_})
    if not rows:
        raise NotFoundError(f"You have no message or answer {id_!r}.")
    return _alternative(rows[0])


def path_in(unit: UnitOfWork, user: str, id_: str, limit: int, skip: int) -> list[Alternative]:
    """Return `limit` alternatives of the path that ends at `id_`, oldest first, without the newest `skip`."""
    rows = unit.read(queries.PATH, {"user": user, "id": id_, "end": skip + limit, "skip": skip})
    return [_alternative(row) for row in rows]


def _alternative(row: Row) -> Alternative:
    turn = Turn(
        row["turn_id"],
        row["conversation_id"],
        row["parent_id"],
        row["via_alternative_id"],
        row["depth"],
        row["speaker"],
        row["turn_type"],
    )
    return Alternative(
        row["id"],
        turn,
        row["sequence"],
        bool(row["is_active"]),
        bool(row["is_stale"]),
        row["responds_to_id"],
        row["state"],
        row["content"],
        row["process_id"],
        row["process_digest"],
        row["run_id"],
        row["model"],
        parse_strict(row["usage"]) if row["usage"] else {},
        parse_strict(row["marks"]) if row["marks"] else [],
        row["failure"],
        row["created_at"],
        row["ended_at"],
        row["forgotten_at"],
        row["forgotten_by"],
        parse_strict(row["imported"]) if row["imported"] else {},
        row["path_hash"],
    )
