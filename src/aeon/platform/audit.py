"""The audit trail: who did what to whose, when, in one hash chain for each user (platform 4, 19). Pure."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from aeon.base.json import JsonObject, canonical_json
from aeon.platform.records import KEY_SEPARATOR

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
