"""`ConversationErasing`: erases a user's messages, for that user and for an operator."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from aeon.application.runs import RunService
from aeon.bootstrap.platform import Platform
from aeon.platform.conversations.erasing import TABLES, Erasure, ErasureExtent, ErasureTarget
from aeon.platform.errors import NotFoundError, RuleError
from aeon.platform.ledger import MutationRequest
from aeon.platform.runs.erasing import TABLES as RUN_TABLES
from aeon.platform.runs.ports import EngineUnavailableError
from aeon.platform.store import StoreUnavailableError

if TYPE_CHECKING:
    from aeon.application.conversations import ConversationService

__all__ = ["ConversationErasing", "ErasureExtent", "ErasureOutcome"]

_STOPPING = 10.0
"""Seconds that erasing waits for the run of an answer that it has stopped."""


class ErasureOutcome(NamedTuple):
    """What was erased from the record, and whether nothing of it is left elsewhere either.

    `is_in_server_files`: the record's tables belong to another role of its server, so that their files have it until
    the server vacuums them.
    """

    extent: ErasureExtent
    is_complete: bool
    is_in_server_files: bool = False


class ErasureRemainder(NamedTuple):
    """The erasures that still leave something, and whether the record's server has erased texts in its files."""

    erasures: list[Erasure]
    is_in_server_files: bool


class ConversationErasing:
    """Erases messages, answers and conversations of one user, or for an operator those of another (platform 28).

    Ids, edges and times stay. Every method raises StoreError, and NotFoundError for what the owner does not have.
    """

    def __init__(
        self, platform: Platform, user: str, conversations: "ConversationService", runs: Callable[[], RunService]
    ) -> None:
        self._platform = platform
        self._user = user
        self._conversations = conversations
        self._runs = runs

    def measure(self, id_: str, owner: str | None = None) -> ErasureExtent:
        """Return what erasing a conversation, a message or an answer would take, and what it would leave.

        `owner` has it; None is the user.
        """
        return self._platform.erasures.measure(self._target(id_, owner or self._user))

    def forget(self, id_: str, *, key: str | None = None) -> ErasureOutcome:
        """Erase a conversation, a message or an answer of the user.

        Answers that are being made of it are stopped first. Calling it again erases what is left. Raises ConflictError
        if an answer is begun meanwhile.
        """
        target = self._target(id_, self._user)
        self._stop(self._platform.erasures.measure(target).generating)
        return self._erase(target, MutationRequest(self._user, key))

    def redact(self, id_: str, owner: str, reason: str, *, key: str | None = None) -> ErasureOutcome:
        """Erase what belongs to another user, as an operator; the reason is in the audit logs of both.

        Raises RuleError for what is the operator's own and without a reason, and ConflictError while an answer is being
        made of it.
        """
        if owner == self._user:
            raise RuleError("It is your own.", rule="redact", next_step="Forget it instead: no reason is needed.")
        return self._erase(self._target(id_, owner), MutationRequest(self._user, key), reason)

    def finish(self) -> ErasureRemainder:
        """Erase what erasures of all users have left, such as after a crash; return what still is left.

        A run that has not ended is erased later. Raises EngineUnavailableError.
        """
        pending = self._platform.erasures.list_open()
        left = [each for each in pending if each.runs and self._runs().erase(each.runs)]
        done = [each for each in pending if each not in left]
        is_compacted = True
        if done:
            has_runs = any(each.runs for each in done)
            is_compacted = self._platform.store.compact([*TABLES, *(RUN_TABLES if has_runs else ())])
        for each in done:
            self._platform.erasures.end(each.id)
        return ErasureRemainder(left, not is_compacted)

    def _erase(self, target: ErasureTarget, request: MutationRequest, reason: str | None = None) -> ErasureOutcome:
        extent = self._platform.erasures.measure(target)
        if not extent.is_empty:
            self._platform.erasures.begin(target, request, reason)
        try:
            left = self.finish()
        except (StoreUnavailableError, EngineUnavailableError):  # it is called again later
            return ErasureOutcome(extent, is_complete=False)
        return ErasureOutcome(extent, not left.erasures, left.is_in_server_files)

    def _stop(self, answers: Sequence[str]) -> None:
        """Stop answers that are being made, and wait for the ends of their runs."""
        stopped = [self._conversations.stop(each) for each in answers]
        for each in stopped:
            if each.run_id is not None:
                self._runs().settle(each.run_id, _STOPPING)

    def _target(self, id_: str, owner: str) -> ErasureTarget:
        """Return what an id of the owner names: a conversation, or an alternative in one."""
        try:
            return ErasureTarget(owner, self._platform.conversations.get(owner, id_).id)
        except NotFoundError:
            found = self._platform.turns.get(owner, id_)
            return ErasureTarget(owner, found.conversation_id, found.id)
