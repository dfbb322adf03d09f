"""`SummaryService`: what users and operators do with the summaries of conversations."""

from aeon.application.conversations import ConversationService
from aeon.base.errors import InputError
from aeon.base.json import Json, JsonObject
from aeon.bootstrap.platform import Platform
from aeon.platform.knowledge.settings import is_on, switch_to
from aeon.platform.ledger import MutationRequest
from aeon.platform.memory.estimate import estimate_tokens
from aeon.platform.summaries.model import Summary

__all__ = ["Summary", "SummaryService"]

_MATCHES = 9


class SummaryService:
    """The summaries of one user's conversations. Threads may share it.

    Repairing and deleting are for operators (platform 38, 45): a door lets nobody else do it. Every method raises
    StoreError, and NotFoundError for what the user may not see.
    """

    def __init__(self, platform: Platform, user: str, conversations: ConversationService) -> None:
        self._platform = platform
        self._user = user
        self._conversations = conversations

    def list(self, conversation: str) -> list[Summary]:
        """Return all summaries of a conversation that a person named, oldest first; also deleted ones.

        Those of branches that are not visible are among them. Raises InputError for an ambiguous name.
        """
        return self._platform.summaries.list_of(self._user, self._conversations.find(conversation).id)

    def find(self, name: str) -> Summary:
        """Return the summary that a person named: an id or the beginning of one. Raises InputError for several."""
        matching = self._platform.summaries.list_matching(self._user, name, _MATCHES)
        if len(matching) > 1 and name not in [each.id for each in matching]:
            named = ", ".join(each.id for each in matching)
            raise InputError(f"{name!r} begins more than one id: {named}.", next_step="Give more of it.")
        return matching[0] if len(matching) == 1 else self._platform.summaries.get(self._user, name)

    def show(self, name: str) -> JsonObject:
        """Return a summary with its texts, newest last, and what it was made of."""
        summary = self.find(name)
        contents: list[Json] = [
            each.as_dict() for each in self._platform.summaries.list_contents(self._user, summary.id)
        ]
        sources: list[Json] = [
            {"episodeId": each.episode, "alternativeId": each.alternative, "summaryId": each.summary}
            for each in self._platform.summaries.list_sources(self._user, summary.id)
        ]
        return {**summary.as_dict(), "contents": contents, "sources": sources}

    def repair(self, name: str, text: str, *, key: str | None = None) -> Summary:
        """Give a summary another text; the old one stays. Raises RuleError, ConflictError."""
        id_ = self.find(name).id
        request = MutationRequest(self._user, key)
        return self._platform.summaries.repair(self._user, id_, text, estimate_tokens(text), request)

    def delete(self, name: str, *, key: str | None = None) -> Summary:
        """Take a summary out of use; its span is summed up again if that is still needed."""
        return self._platform.summaries.delete(self._user, self.find(name).id, MutationRequest(self._user, key))

    @property
    def is_on(self) -> bool:
        """Whether long conversations of the user are summed up in the background."""
        return is_on(self._platform.store, self._user, "compression")

    def switch(self, *, on: bool) -> None:
        """Let the background sum up the user's long conversations, or no longer."""
        switch_to(self._platform.store, self._platform.catalog.ledger, self._user, "compression", on=on)
