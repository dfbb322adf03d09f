"""Every mutation of the platform: one query, with its guard, audit entries, event, and answer to a repetition."""

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import takewhile
from typing import cast

from aeon.base.clock import Clock
from aeon.base.json import Json, JsonObject, canonical, parse_strict
from aeon.platform import queries
from aeon.platform.audit import GENESIS, Deed, Head, broken_at, entry_after
from aeon.platform.errors import ConflictError, RuleError
from aeon.platform.graph import DuplicateError, GraphStore, GuardError, Params
from aeon.platform.records import NAME

_REMEMBERED = timedelta(hours=24)
"""How long a repetition gets the first answer (platform 20)."""

_USER = re.compile(NAME)

_ATTEMPTS = 50
"""Others who write the same user's trail at the same moment may come first so often."""

_PAGE = 1000


@dataclass(frozen=True, slots=True)
class Request:
    """A changing request of a user. `key` is its Idempotency-Key, `body` what it asks for (platform 20)."""

    user: str
    key: str | None = None
    body: Json = None


class Ledger:
    """Carries out mutations and remembers them. Threads may share one."""

    def __init__(self, store: GraphStore, clock: Clock, new_id: Callable[[], str]) -> None:
        self._store = store
        self._clock = clock
        self._new_id = new_id
        self._heads_seen: dict[str, Head] = {}

    def now(self) -> str:
        """The instant that a mutation gets for its times."""
        return self._clock.now()

    def ensure_user(self, user: str) -> None:
        """Have the user's node there. Raises RuleError for what cannot be a user's name."""
        if not _USER.fullmatch(user):
            raise RuleError(
                f"{user!r} cannot be a user's name.",
                rule="user_name",
                next_step="Use 1 to 200 characters, no blanks at the ends, no control characters.",
            )
        self._store.write(queries.ENSURE_USER, {"user": user, "genesis": GENESIS, "at": self.now()})

    def answer(self, request: Request) -> JsonObject | None:
        """What the same request was answered before; None when it is new or older than a day.

        Raises ConflictError when its key was used for something else.
        """
        if request.key is None:
            return None
        found = self._store.read(queries.EARLIER_REQUEST, {"id": _request_id(request)})
        if not found:
            return None
        if found[0]["at"] <= self._forgotten_before():
            forgotten = {"id": _request_id(request), "before": self._forgotten_before()}
            self._store.write(queries.FORGET_REQUEST, forgotten)
            return None
        if found[0]["body"] != _digest(request.body):
            raise ConflictError(
                f"The Idempotency-Key {request.key!r} was used for another request.",
                next_step="Send each new request with a key of its own.",
            )
        return cast(JsonObject, parse_strict(found[0]["answer"]))

    def commit(
        self, query: str, params: Params, request: Request, deeds: Sequence[Deed], answer: JsonObject
    ) -> JsonObject:
        """Carry out a mutation, whole or not at all: its query up to `RECORDED`, which is put behind it.

        Each deed is recorded for its actor and for its owner. Gives `answer`, or what the same request was answered by
        an attempt that came to be done meanwhile (platform 20). Raises GuardError where the query found nothing to do,
        DuplicateError where a value was taken.
        """
        users = sorted({user for deed in deeds for user in (deed.actor, deed.owner)})
        heads = self._last_heads(users)
        left = _ATTEMPTS
        while True:
            records, after = self._records(request, deeds, heads, answer)
            try:
                self._store.write(query + queries.RECORDED, {**params, **records})
            except (DuplicateError, GuardError) as error:
                if (earlier := self.answer(request)) is not None:
                    return earlier
                left -= 1
                before, heads = heads, self._heads(users)
                if isinstance(error, GuardError) or not left or heads == before:
                    raise
            else:
                self._heads_seen.update(after)
                return answer

    def trail(self, user: str) -> Iterator[JsonObject]:
        """A user's audit entries, oldest first."""
        after = 0
        while page := self._store.read(queries.AUDIT_PAGE, {"user": user, "after": after, "limit": _PAGE}):
            yield from (row["a"] for row in page)
            after = page[-1]["a"]["seq"]

    def head(self, user: str) -> Head:
        """Where a user's audit trail ends now: to be noted elsewhere, and given to `verify` one day."""
        return self._heads([user]).get(user, Head())

    def verify(self, user: str, noted: Head | None = None) -> str | None:
        """What is wrong with a user's audit trail; None when it is whole, and goes on from `noted` (platform 19)."""
        head = self.head(user)
        return broken_at(takewhile(lambda entry: entry["seq"] <= head.seq, self.trail(user)), head, noted)

    def _records(
        self, request: Request, deeds: Sequence[Deed], heads: dict[str, Head], answer: JsonObject
    ) -> tuple[JsonObject, dict[str, Head]]:
        """What is written besides, and where the trails end then."""
        at = self.now()
        last = dict(heads)
        entries: list[Json] = []
        for deed in deeds:
            for user in dict.fromkeys((deed.actor, deed.owner)):
                entry = entry_after(last[user], user, at, deed)
                last[user] = Head(entry["seq"], entry["hash"])
                entries.append(entry)
        events: list[Json] = [
            {"id": self._new_id(), "at": at, "kind": deed.action, "subject": deed.subject} for deed in deeds
        ]
        asked: JsonObject = {"id": _request_id(request), "at": at, "body": _digest(request.body)}
        requests: list[Json] = [{**asked, "answer": canonical(answer)}] if request.key else []
        return {"events": events, "requests": requests, "entries": entries}, last

    def _last_heads(self, users: list[str]) -> dict[str, Head]:
        """As they were last written from here: whoever wrote since is noticed by the ids of the entries."""
        seen = {user: self._heads_seen[user] for user in users if user in self._heads_seen}
        return seen if len(seen) == len(users) else self._heads(users)

    def _heads(self, users: list[str]) -> dict[str, Head]:
        rows = self._store.read(queries.HEADS, {"users": list[Json](users)})
        return {row["id"]: Head(row["seq"], row["hash"]) for row in rows}

    def _forgotten_before(self) -> str:
        return (datetime.fromisoformat(self.now()) - _REMEMBERED).isoformat(timespec="microseconds")


def _request_id(request: Request) -> str:
    """Of bounded length, whatever the key is: the graph's unique values take no blank at their end."""
    return _digest([request.user, request.key])


def _digest(body: Json) -> str:
    return hashlib.sha256(canonical(body).encode()).hexdigest()
