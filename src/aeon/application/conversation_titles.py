"""`ConversationTitles`: a model names the conversations that their user has not named, in the background."""

from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from typing import Final

from aeon.application.default_catalog import NEWEST_TOOL, ensure_default_tool
from aeon.application.runs import RunService
from aeon.base.errors import AeonError
from aeon.base.json import JsonObject
from aeon.bootstrap.platform import Platform
from aeon.platform.conversations.model import Alternative
from aeon.platform.conversations.titles import title_from
from aeon.platform.episodes.background_runs import NAMING, SOURCES_INPUT, given_alternatives
from aeon.platform.runs.machine.state import ENDED_PHASES

__all__ = ["ConversationTitles"]

_SHOWN: Final = 1500
"""Characters of the message and of the answer from which a title is made."""


class ConversationTitles:
    """Names conversations of one user by runs of the Process `name_conversation`. Threads may share it.

    A conversation gets a title after its first complete answer, and never in place of another title. A failure is only
    in the run: these methods raise nothing but StoreError.
    """

    def __init__(self, platform: Platform, user: str, runs: Callable[[], RunService]) -> None:
        """The caller closes `platform`. `runs` opens the engine."""
        self._platform = platform
        self._user = user
        self._runs = runs

    @property
    def is_immediate(self) -> bool:
        """Whether a title may be made between two messages: not by the embedded model, which answers one at a time."""
        return self._platform.names_conversations and self._platform.answers_at_once()

    def begin(self, conversation: str) -> str | None:
        """Start the run that names a conversation, or return the one that was started before.

        Returns None if the conversation has a title or no complete answer, or titles are switched off.
        """
        found = self._platform.conversations.get(self._user, conversation)
        is_wanted = self._platform.names_conversations and found.title is None
        if not is_wanted or found.tip_id is None:
            return None
        path = self._platform.turns.path(self._user, found.tip_id)
        exchange = _first_exchange(path)
        if exchange is None:
            return None
        inputs: JsonObject = {name: (each.content or "")[:_SHOWN] for name, each in exchange.items()}
        inputs[SOURCES_INPUT] = given_alternatives([each.id for each in exchange.values()])
        with suppress(AeonError):
            ensure_default_tool(self._platform, NEWEST_TOOL)
            return self._runs().start(NAMING, inputs, key=f"title:{exchange['reply'].id}").id
        return None

    def settle(self, conversation: str, run: str, seconds: float = 0) -> bool:
        """Take over the title of a run, after waiting at most `seconds`; return whether the run has ended."""
        with suppress(AeonError):
            if seconds:
                self._runs().settle(run, seconds)
            state = self._runs().view(run).state
            if state.phase not in ENDED_PHASES:
                return False
            title = title_from(state.output) if isinstance(state.output, str) else None
            if title is not None:
                self._platform.conversations.suggest_title(self._user, conversation, title)
        return True

    def finish(self, conversation: str, seconds: float) -> None:
        """Name a conversation now, if that takes no longer than `seconds`; else leave it without a title."""
        run = self.begin(conversation)
        try:
            is_ended = run is None or self.settle(conversation, run, seconds)
        except BaseException:
            self._cancel(run)
            raise
        if not is_ended:
            self._cancel(run)

    def _cancel(self, run: str | None) -> None:
        if run is not None:
            with suppress(AeonError):
                self._runs().cancel(run, wait=0)


def _first_exchange(path: list[Alternative]) -> dict[str, Alternative] | None:
    """Return the first message of a path and its complete answer; None if there are none."""
    for message, reply in pairwise(each for each in path if each.said_by is not None):
        if (message.said_by, reply.said_by) == ("user", "agent"):
            return {"message": message, "reply": reply} if message.content and reply.state == "complete" else None
    return None
