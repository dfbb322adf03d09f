"""Every mutation of the platform: one unit of work with its guard, audit entries, and answer to a repetition."""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count, takewhile
from typing import cast

from aeon.base.clock import Clock
from aeon.base.json import Json, JsonObject, canonical_json, parse_strict
from aeon.platform import queries
from aeon.platform.errors import ConflictError, RuleError, UnknownUserError, VersionError
from aeon.platform.records import KEY_SEPARATOR, NAME
from aeon.platform.store import Row, Store, UnitOfWork

GENESIS = "0" * 64
"""What the first entry of a chain follows."""


@dataclass(frozen=True, slots=True)
class AuditAction:
    """What is to be recorded. `actor` did it; `owner` is whose the subject is."""

    action: str
    """A verb and a kind: `tool.create`, `service.unshare`, `tool.use`."""
    subject: str
    """The id of what it was done to."""
    actor: str
    owner: str
    details: JsonObject


@dataclass(frozen=True, slots=True)
class ChainHead:
    """Where a user's chain ends: the number of its entries, and the last one's hash."""

    seq: int = 0
    hash: str = GENESIS


def next_entry(head: ChainHead, user: str, at: str, deed: AuditAction) -> JsonObject:
    """The entry of a user's chain that follows `head`, as a row."""
    row: JsonObject = {
        "user_id": user,
        "seq": head.seq + 1,
        "at": at,
        "action": deed.action,
        "subject": deed.subject,
        "actor_id": deed.actor,
        "owner_id": deed.owner,
        "details": canonical_json(deed.details),
        "previous": head.hash,
    }
    return {**row, "hash": _hash(_published(row))}


def published_entry(row: JsonObject) -> JsonObject:
    """An entry's row under the published names, which its hash is made of."""
    return {**_published(row), "hash": row["hash"]}


def find_chain_fault(entries: Iterable[JsonObject], head: ChainHead, noted: ChainHead | None = None) -> str | None:
    """What is wrong first with a user's whole chain, in order; None when it is whole up to `head`.

    `noted` is where it ended when somebody noted that elsewhere: a chain that was cut off and joined anew, head and
    all, no longer holds it.
    """
    seen = ChainHead()
    for entry in entries:
        if entry["seq"] != seen.seq + 1:
            return f"entry {seen.seq + 1} is missing"
        if entry["previous"] != seen.hash:
            return f"entry {entry['seq']} does not follow entry {seen.seq}"
        if _hash({name: value for name, value in entry.items() if name != "hash"}) != entry["hash"]:
            return f"entry {entry['seq']} was changed"
        if noted is not None and entry["seq"] == noted.seq and entry["hash"] != noted.hash:
            return f"entry {noted.seq} is not the one that was noted"
        seen = ChainHead(entry["seq"], entry["hash"])
    if noted is not None and seen.seq < noted.seq:
        return f"it ends at entry {seen.seq}, before entry {noted.seq} that was noted"
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


def _hash(said: JsonObject) -> str:
    return hashlib.sha256(canonical_json(said).encode()).hexdigest()


_REMEMBERED = timedelta(hours=24)
"""How long a repetition gets the first answer (platform 20)."""

_FORGETS_EVERY, _FORGOTTEN_AT_ONCE = 64, 1000
"""After so many mutations with a key, so many requests older than that are removed."""

_USER = re.compile(NAME)

_PAGE = 1000


@dataclass(frozen=True, slots=True)
class MutationRequest:
    """Who asks for a change. `key` is their Idempotency-Key (platform 20).

    `expected` is the version of what is changed that they have seen: a change of another version is refused
    (platform 23). `on_replay` is called when they get the answer that the same request got before.
    """

    user: str
    key: str | None = None
    expected: int | None = None
    on_replay: Callable[[], None] | None = field(default=None, compare=False, repr=False)

    def mutation(self, verb: str, target: str = "", parameters: Json = None) -> "Mutation":
        """The mutation that this request asks for."""
        return Mutation(self, verb, target, parameters)


@dataclass(frozen=True, slots=True)
class Mutation:
    """A requested change: all that a repetition with the same key has to ask for, too (platform 20).

    A digest of it is kept, so a secret's value never stands in the parameters, but the vault's keyed digest of it.
    """

    request: MutationRequest
    verb: str
    """A kind and what is done: `tool.create`, `service.change`, `process.start`."""
    target: str
    """The id of what it is done to; empty for what is created."""
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
        """`work`, refused with a VersionError where the record has another version than the request expects.

        A repetition that gets its first answer is not held against it.
        """
        expected = self.request.expected
        if expected is None:
            return work

        def checked(unit: UnitOfWork) -> None:
            if (now := version(unit)) != expected:
                raise VersionError(expected, now)
            work(unit)

        return checked


class Ledger:
    """Carries out mutations and remembers them. Threads may share one."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._remembered = count(1)

    def now(self) -> str:
        """The instant that a mutation gets for its times."""
        return self._clock.now()

    def ensure_user(self, user: str) -> None:
        """Add the user unless they exist. Raises RuleError for what cannot be a user's name."""
        if not _USER.fullmatch(user):
            raise RuleError(
                f"{user!r} cannot be a user's name.",
                rule="user_name",
                next_step="Use 1 to 200 characters, no blanks at the ends, no control characters.",
            )
        if self._store.read(queries.HAS_USER, {"user": user}):
            return
        params = {"user": user, "genesis": GENESIS, "at": self.now()}
        self._store.update(lambda unit: unit.write(queries.ADD_USER, params))

    def require_user(self, user: str) -> None:
        """Raises UnknownUserError for a user who was never added."""
        if not self._store.read(queries.HAS_USER, {"user": user}):
            raise _unknown(user)

    def earlier_answer(self, mutation: Mutation) -> JsonObject | None:
        """The answer that the same mutation got before; None when it is new, has no key, or is older than a day.

        Raises ConflictError when its key was used for something else.
        """
        if mutation.key is None:
            return None
        return self._answer_in(self._store.read(queries.EARLIER_REQUEST, {"id": _request_id(mutation)}), mutation)

    def commit(
        self, work: Callable[[UnitOfWork], None], mutation: Mutation, deeds: Sequence[AuditAction], answer: JsonObject
    ) -> JsonObject:
        """Carry out a mutation, whole or not at all: `work` writes and guards, its records are written around it.

        Each deed is recorded for its actor and for its owner. Returns `answer` itself, or the answer that the same
        mutation got before (platform 20). Raises what `work` raises: GuardError where a condition does not hold,
        DuplicateError where a value was taken.
        """

        def whole(unit: UnitOfWork) -> JsonObject:
            heads = self._heads(unit, deeds)
            if (earlier := self._remember(unit, mutation, answer)) is not None:
                return earlier
            work(unit)
            self._record(unit, deeds, heads)
            return answer

        return self._store.update(whole)

    def audit_log(self, user: str) -> Iterator[JsonObject]:
        """A user's audit entries, oldest first."""
        after = 0
        while page := self._store.read(queries.AUDIT_PAGE, {"user": user, "after": after, "limit": _PAGE}):
            yield from map(published_entry, page)
            after = page[-1]["seq"]

    def chain_head(self, user: str) -> ChainHead:
        """Where a user's audit trail ends now. Save it elsewhere to give it to `verify` later."""
        rows = self._store.read(queries.HEAD, {"user": user})
        return ChainHead(rows[0]["seq"], rows[0]["hash"]) if rows else ChainHead()

    def verify_audit_log(self, user: str, noted: ChainHead | None = None) -> str | None:
        """What is wrong with a user's audit trail; None when it is whole and continues `noted` (platform 19)."""
        head = self.chain_head(user)
        return find_chain_fault(takewhile(lambda entry: entry["seq"] <= head.seq, self.audit_log(user)), head, noted)

    def _heads(self, unit: UnitOfWork, deeds: Sequence[AuditAction]) -> dict[str, ChainHead]:
        """Where the trails end that these deeds go into. No other mutation adds to them until this one ends.

        A guard about another user's thing is safe with that: each mutation of it is a deed of its owner's trail.
        """
        heads: dict[str, ChainHead] = {}
        for user in sorted({user for deed in deeds for user in (deed.actor, deed.owner)}):
            rows = unit.read(queries.LOCKED_HEAD, {"user": user})
            if not rows:
                raise _unknown(user)
            heads[user] = ChainHead(rows[0]["seq"], rows[0]["hash"])
        return heads

    def _record(self, unit: UnitOfWork, deeds: Sequence[AuditAction], heads: dict[str, ChainHead]) -> None:
        at = self.now()
        for deed in deeds:
            for user in dict.fromkeys((deed.actor, deed.owner)):
                entry = next_entry(heads[user], user, at, deed)
                unit.write(queries.ADD_ENTRY, entry)
                heads[user] = ChainHead(entry["seq"], entry["hash"])
        for user, head in heads.items():
            unit.write(queries.MOVE_HEAD, {"user_id": user, "seq": head.seq, "hash": head.hash})

    def _remember(self, unit: UnitOfWork, mutation: Mutation, answer: JsonObject) -> JsonObject | None:
        """Keep the answer for a repetition; if this is one, what was answered within the last day."""
        if mutation.key is None:
            return None
        if next(self._remembered) % _FORGETS_EVERY == 0:
            unit.write(queries.FORGET_REQUESTS, {"since": self._since(), "limit": _FORGOTTEN_AT_ONCE})
        id_ = _request_id(mutation)
        asked = {"id": id_, "at": self.now(), "body": _digest_of(mutation), "answer": canonical_json(answer)}
        if unit.write(queries.REMEMBER_REQUEST, asked):
            return None
        earlier = self._answer_in(unit.read(queries.EARLIER_REQUEST, {"id": id_}), mutation)
        if earlier is None:
            unit.write(queries.FORGET_REQUEST, {"id": id_})
            unit.write(queries.REMEMBER_REQUEST, asked)
        return earlier

    def _answer_in(self, found: Sequence[Row], mutation: Mutation) -> JsonObject | None:
        if not found or found[0]["at"] <= self._since():
            return None
        if found[0]["body"] != _digest_of(mutation):
            raise ConflictError(
                f"The Idempotency-Key {mutation.key!r} was used for another request.",
                next_step="Send each new request with a key of its own.",
            )
        if mutation.request.on_replay is not None:
            mutation.request.on_replay()
        return cast(JsonObject, parse_strict(found[0]["answer"]))

    def _since(self) -> str:
        return (datetime.fromisoformat(self.now()) - _REMEMBERED).isoformat(timespec="microseconds")


def _unknown(user: str) -> UnknownUserError:
    return UnknownUserError(f"There is no user {user!r}.")


def _request_id(mutation: Mutation) -> str:
    """Of bounded length, whatever the key is."""
    return _digest([mutation.user, mutation.key])


def _digest_of(mutation: Mutation) -> str:
    return _digest([mutation.verb, mutation.target, mutation.parameters])


def _digest(value: Json) -> str:
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()
