"""`AuditService`: the audit log of one user."""

from itertools import islice
from typing import Final, NamedTuple

from aeon.application.pages import MAX_PAGE, Page, checked_limit, decode_cursor, encode_cursor, page_of
from aeon.base.json import JsonObject
from aeon.platform.ledger import ChainHead, Ledger, set_change_origin

__all__ = ["AuditSearch", "AuditService", "AuditVerdict", "ChainHead", "set_change_origin"]

_WINDOW: Final = 500
"""Entries that a search reads at once."""

_MAX_SCANNED: Final = 5_000
"""Entries that one search looks at."""


class AuditVerdict(NamedTuple):
    """The end of an audit log, and the first fault in it, None if it is intact."""

    head: ChainHead
    problem: str | None


class AuditSearch(NamedTuple):
    """Entries that were found, newest first; `before` is the number where the search goes on, None at the beginning."""

    entries: list[JsonObject]
    before: int | None


class AuditService:
    """All changes to a user's things, and the user's changes to other users' things (platform 19)."""

    def __init__(self, ledger: Ledger, user: str) -> None:
        self._ledger = ledger
        self._user = user

    def list_entries(self, *, after: str | None = None, limit: int = MAX_PAGE) -> Page[JsonObject]:
        """A page of the entries, oldest first. Raises RuleError for an invalid cursor or limit."""
        position: int = 0 if after is None else decode_cursor(after, int)[0]
        found = list(islice(self._ledger.audit_log(self._user, position), checked_limit(limit) + 1))
        return page_of(found, limit, encode_cursor([found[min(limit, len(found)) - 1]["seq"]]) if found else "")

    def page_newest(self, *, after: str | None = None, limit: int = MAX_PAGE) -> Page[JsonObject]:
        """A page of the entries, newest first. Raises RuleError for an invalid cursor or limit."""
        before: int | None = None if after is None else decode_cursor(after, int)[0]
        found = self.list_newest(before=before, limit=checked_limit(limit))
        return Page(found.entries, None if found.before is None else encode_cursor([found.before]))

    def list_newest(
        self, *, kind: str = "", words: str = "", before: int | None = None, limit: int = MAX_PAGE
    ) -> AuditSearch:
        """The newest entries below the number `before`, whose actions begin with `kind` and that have all the words.

        It looks at no more than 5,000 entries: fewer than `limit` may be found although there are earlier ones.
        """
        end = self.last_number() if before is None else before - 1
        first, wanted = max(0, end - _MAX_SCANNED), words.casefold().split()
        window = _WINDOW if kind or wanted else limit
        found: list[JsonObject] = []
        while end > first:
            start = max(first, end - window)
            for entry in reversed([*islice(self._ledger.audit_log(self._user, start), end - start)]):
                if _matches(entry, kind, wanted):
                    found.append(entry)
                if len(found) == limit:
                    return AuditSearch(found, entry["seq"] if entry["seq"] > 1 else None)
            end = start
        return AuditSearch(found, first + 1 if first else None)

    def read_on(self, number: int, limit: int = MAX_PAGE) -> list[JsonObject]:
        """The entries after a number, oldest first, at most `limit`."""
        return list(islice(self._ledger.audit_log(self._user, number), limit))

    def last_number(self) -> int:
        """The number of the newest entry; 0 without one."""
        return self._ledger.chain_head(self._user).seq

    def verify(self, saved: ChainHead | None = None) -> AuditVerdict:
        """Verify that no entry was changed; with an earlier end that was `saved`, also that none was removed."""
        head = self._ledger.chain_head(self._user)
        return AuditVerdict(head, self._ledger.verify_audit_log(self._user, saved))


def _matches(entry: JsonObject, kind: str, words: list[str]) -> bool:
    if kind and entry["action"].partition(".")[0] != kind:
        return False
    text = " ".join(str(entry[name]) for name in ("at", "action", "subject", "actorId", "ownerId", "details"))
    return all(word in text.casefold() for word in words)
