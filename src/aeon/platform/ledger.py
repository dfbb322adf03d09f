"""Executes every mutation of the platform, with audit entries and idempotent answers."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import ContextVar
from datetime import datetime, timedelta
from itertools import count, takewhile
from typing import NamedTuple, cast

from aeon.base.clock import Clock
from aeon.base.json import Json, JsonObject, canonical_json, json_digest, parse_strict
from aeon.platform import queries
from aeon.platform.errors import ConflictError, RuleError, UnknownUserError, VersionError
from aeon.platform.records import KEY_SEPARATOR, NAME
from aeon.platform.store import Row, Store, UnitOfWork

_ORIGIN: ContextVar[JsonObject | None] = ContextVar("origin", default=None)

GENESIS = "0" * 64
"""The previous hash of a chain's first entry."""


class AuditAction(NamedTuple):
    """An action to record in the audit log. `actor` did it; `owner` owns the subject."""

    action: str
    """A verb and a kind: `tool.create`, `service.unshare`, `tool.use`."""
    subject: str
    """The id of the thing that it changed or used."""
    actor: str
    owner: str
    details: JsonObject


class ChainHead(NamedTuple):
    """The end of a user's audit chain: its number of entries, and the last entry's hash."""

    seq: int = 0
    hash: str = GENESIS


def set_change_origin(credential: str | None, address: str) -> None:
    """Says by which credential and from where the changes of this context come: their audit entries have it.

    `credential` is None for someone who signs in. Threads that are started with a copy of the context have it, too; the
    engine's own changes have none.
    """
    named: JsonObject = {} if credential is None else {"credential": credential}
    _ORIGIN.set({**named, "address": address})


def next_entry(head: ChainHead, user: str, at: str, action: AuditAction) -> JsonObject:
    """Returns the entry of a user's chain that follows `head`, as a row."""
    row: JsonObject = {
        "user_id": user,
        "seq": head.seq + 1,
        "at": at,
        "action": action.action,
        "subject": action.subject,
        "actor_id": action.actor,
        "owner_id": action.owner,
        "details": canonical_json(_with_origin(action.details)),
        "previous": head.hash,
    }
    return {**row, "hash": _hash(_published(row))}


def _with_origin(details: JsonObject) -> JsonObject:
    origin = _ORIGIN.get()
    return details if origin is None else {**details, "origin": origin}


def published_entry(row: JsonObject) -> JsonObject:
    """Returns an entry's row under the published names, which its hash covers."""
    return {**_published(row), "hash": row["hash"]}


def find_chain_fault(entries: Iterable[JsonObject], head: ChainHead, saved: ChainHead | None = None) -> str | None:
    """Returns the first fault in a user's complete chain, in order.

    Returns None if it is intact up to `head`. `saved` is an earlier chain head that was stored elsewhere. It detects a
    chain that was truncated and rebuilt together with its head.
    """
    seen = ChainHead()
    for entry in entries:
        if entry["seq"] != seen.seq + 1:
            return f"entry {seen.seq + 1} is missing"
        if entry["previous"] != seen.hash:
            return f"entry {entry['seq']} does not follow entry {seen.seq}"
        if _hash({name: value for name, value in entry.items() if name != "hash"}) != entry["hash"]:
            return f"entry {entry['seq']} was changed"
        if saved is not None and entry["seq"] == saved.seq and entry["hash"] != saved.hash:
            return f"entry {saved.seq} does not match the saved chain head"
        seen = ChainHead(entry["seq"], entry["hash"])
    if saved is not None and seen.seq < saved.seq:
        return f"it ends at entry {seen.seq}, before entry {saved.seq} of the saved chain head"
    return None if seen == head else f"entries after {seen.seq} are missing"


def _published(row: JsonObject) -> JsonObject:
    return {
        "id": f"{row['user_id']}{KEY_SEPARATOR}{row['seq']}",
        "userId": row["user_id"],
        "seq": row["seq"],
        "at": row["at"],
        "action": row["action"],
        "subject": row["subject"],
        "actorId": row["actor_id"],
        "ownerId": row["owner_id"],
        "details": row["details"],
        "previous": row["previous"],
    }


def _hash(entry: JsonObject) -> str:
    return json_digest(entry)


_REMEMBERED = timedelta(hours=24)
"""How long a repeated request gets the first answer (platform 20)."""

_FORGET_EVERY, _FORGET_LIMIT = 64, 1000
"""After how many mutations with a key old requests are deleted, and how many at most."""

_USER = re.compile(NAME)

_PAGE = 1000


class RequestKey(str):
    """An Idempotency-Key that knows afterwards whether its request got the stored answer of an earlier one."""

    __slots__ = ("is_replayed",)

    def __init__(self, _text: str) -> None:
        self.is_replayed = False


class MutationRequest(NamedTuple):
    """The user who requests a change, and how. `key` is their Idempotency-Key (platform 20).

    `expected` is the version that the user has read: a change of another version is refused (platform 23).
    """

    user: str
    key: str | None = None
    expected: int | None = None

    def require_version(self, current: int) -> None:
        """Raises VersionError if the user has read another version; for a request that changes nothing."""
        if self.expected not in (None, current):
            raise VersionError(self.expected, current)

    def mutation(self, verb: str, target: str = "", parameters: Json = None) -> "Mutation":
        """Returns the mutation that this request asks for."""
        return Mutation(self, verb, target, parameters)


class Mutation(NamedTuple):
    """A requested change.

    A repetition with the same key must request the same change (platform 20). A digest of it is stored, so `parameters`
    never contain a secret's value, only the vault's keyed digest of it.
    """

    request: MutationRequest
    verb: str
    """A kind and an operation: `tool.create`, `service.change`, `process.start`."""
    target: str
    """The id of the changed thing; empty for a new one."""
    parameters: Json

    @property
    def user(self) -> str:
        return self.request.user

    @property
    def key(self) -> str | None:
        return self.request.key

    def expecting(
        self, version: Callable[[UnitOfWork], int | None], work: Callable[[UnitOfWork], None]
    ) -> Callable[[UnitOfWork], None]:
        """Returns `work`, which then raises VersionError for an unexpected version.

        The version is not checked for a repetition, which gets the first answer.
        """
        expected = self.request.expected
        if expected is None:
            return work

        def checked(unit: UnitOfWork) -> None:
            if (current := version(unit)) != expected:
                raise VersionError(expected, current)
            work(unit)

        return checked


class Ledger:
    """Executes mutations and remembers them. Threads may share one."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._remembered = count(1)

    def now(self) -> str:
        """Returns the current instant, for the times of a mutation."""
        return self._clock.now()

    def ensure_user(self, user: str) -> bool:
        """Adds the user if they do not exist; returns whether they are new. Raises RuleError for an invalid name."""
        if not _USER.fullmatch(user):
            raise RuleError(
                f"{user!r} is not a valid user name.",
                rule="user_name",
                next_step="Use 1 to 200 characters, no blanks at the ends, no control characters.",
            )
        if self._store.read(queries.HAS_USER, {"user": user}):
            return False
        params = {"user": user, "genesis": GENESIS, "at": self.now()}
        self._store.update(lambda unit: unit.write(queries.ADD_USER, params))
        return True

    def require_user(self, user: str) -> None:
        """Raises UnknownUserError for a user who does not exist."""
        if not self._store.read(queries.HAS_USER, {"user": user}):
            raise _unknown(user)

    def earlier_answer(self, mutation: Mutation) -> JsonObject | None:
        """Returns the earlier answer to the same mutation.

        Returns None if it is new, has no key, or is older than a day. Raises ConflictError if its key was used for
        another request.
        """
        if mutation.key is None:
            return None
        return self._answer_in(self._store.read(queries.EARLIER_REQUEST, {"id": _request_id(mutation)}), mutation)

    def commit(
        self, work: Callable[[UnitOfWork], None], mutation: Mutation, actions: Sequence[AuditAction], answer: JsonObject
    ) -> JsonObject:
        """Executes a mutation atomically: `work` writes and guards, with its audit entries.

        Each action is recorded for its actor and for its owner. Returns `answer` itself, or the earlier answer to the
        same mutation (platform 20). Raises what `work` raises: GuardError if a condition does not hold, DuplicateError
        if a value is already in use.
        """

        def execute(unit: UnitOfWork) -> JsonObject:
            heads = self._heads(unit, actions)
            if (earlier := self._remember(unit, mutation, answer)) is not None:
                return earlier
            work(unit)
            self._record(unit, actions, heads)
            return answer

        return self._store.update(execute)

    def audit_log(self, user: str, after: int = 0) -> Iterator[JsonObject]:
        """Yields a user's audit entries after number `after`, oldest first."""
        while page := self._store.read(queries.AUDIT_PAGE, {"user": user, "after": after, "limit": _PAGE}):
            yield from map(published_entry, page)
            after = page[-1]["seq"]

    def chain_head(self, user: str) -> ChainHead:
        """Returns the current end of a user's audit log.

        Save it elsewhere, and pass it to `verify_audit_log` later.
        """
        rows = self._store.read(queries.HEAD, {"user": user})
        return ChainHead(rows[0]["seq"], rows[0]["hash"]) if rows else ChainHead()

    def verify_audit_log(self, user: str, saved: ChainHead | None = None) -> str | None:
        """Returns the first fault in a user's audit log.

        Returns None if it is intact and continues `saved` (platform 19).
        """
        head = self.chain_head(user)
        return find_chain_fault(takewhile(lambda entry: entry["seq"] <= head.seq, self.audit_log(user)), head, saved)

    def _heads(self, unit: UnitOfWork, actions: Sequence[AuditAction]) -> dict[str, ChainHead]:
        """Returns the heads of these actions' audit logs, locked until the unit of work ends.

        A guard on another user's thing is therefore safe: each mutation of it extends its owner's audit log.
        """
        heads: dict[str, ChainHead] = {}
        for user in sorted({user for action in actions for user in (action.actor, action.owner)}):
            rows = unit.read(queries.LOCKED_HEAD, {"user": user})
            if not rows:
                raise _unknown(user)
            heads[user] = ChainHead(rows[0]["seq"], rows[0]["hash"])
        return heads

    def _record(self, unit: UnitOfWork, actions: Sequence[AuditAction], heads: dict[str, ChainHead]) -> None:
        at = self.now()
        for action in actions:
            for user in dict.fromkeys((action.actor, action.owner)):
                entry = next_entry(heads[user], user, at, action)
                unit.write(queries.ADD_ENTRY, entry)
                heads[user] = ChainHead(entry["seq"], entry["hash"])
        for user, head in heads.items():
            unit.write(queries.MOVE_HEAD, {"user_id": user, "seq": head.seq, "hash": head.hash})

    def _remember(self, unit: UnitOfWork, mutation: Mutation, answer: JsonObject) -> JsonObject | None:
        """Stores the answer for a repetition; if this is one, returns its answer of the last day."""
        if mutation.key is None:
            return None
        if next(self._remembered) % _FORGET_EVERY == 0:
            unit.write(queries.FORGET_REQUESTS, {"since": self._since(), "limit": _FORGET_LIMIT})
        id_ = _request_id(mutation)
        stored = {"id": id_, "at": self.now(), "body": _digest_of(mutation), "answer": canonical_json(answer)}
        if unit.write(queries.REMEMBER_REQUEST, stored):
            return None
        earlier = self._answer_in(unit.read(queries.EARLIER_REQUEST, {"id": id_}), mutation)
        if earlier is None:
            unit.write(queries.FORGET_REQUEST, {"id": id_})
            unit.write(queries.REMEMBER_REQUEST, stored)
        return earlier

    def _answer_in(self, rows: Sequence[Row], mutation: Mutation) -> JsonObject | None:
        if not rows or rows[0]["at"] <= self._since():
            return None
        if rows[0]["body"] != _digest_of(mutation):
            raise ConflictError(
                f"The Idempotency-Key {mutation.key!r} was used for another request.",
                next_step="Send each new request with a key of its own.",
            )
        if isinstance(mutation.key, RequestKey):
            mutation.key.is_replayed = True
        return cast(JsonObject, parse_strict(rows[0]["answer"]))

    def _since(self) -> str:
        return (datetime.fromisoformat(self.now()) - _REMEMBERED).isoformat(timespec="microseconds")


def _unknown(user: str) -> UnknownUserError:
    return UnknownUserError(f"There is no user {user!r}.")


def _request_id(mutation: Mutation) -> str:
    """Returns an id of bounded length for a key of any length."""
    return _digest([mutation.user, mutation.key])


def _digest_of(mutation: Mutation) -> str:
    return _digest([mutation.verb, mutation.target, mutation.parameters])


def _digest(value: Json) -> str:
    return json_digest(value)
