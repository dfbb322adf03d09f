"""`AuditService`: the audit log of one user."""

from itertools import islice
from typing import NamedTuple

from aeon.application.pages import MAX_PAGE, Page, checked_limit, decode_cursor, encode_cursor, page_of
from aeon.base.json import JsonObject
from aeon.platform.ledger import ChainHead, Ledger, set_change_origin

__all__ = ["AuditService", "AuditVerdict", "ChainHead", "set_change_origin"]


class AuditVerdict(NamedTuple):
    """The end of an audit log, and the first fault in it, None if it is intact."""

    head: ChainHead
    problem: str | None


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
