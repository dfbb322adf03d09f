"""Passages of one user's conversations and notes, for a question, within a budget of tokens (platform 16)."""

from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from datetime import date
from threading import Lock
from typing import Final

from aeon.base.clock import SystemClock
from aeon.base.json import JsonObject
from aeon.bootstrap.app import App
from aeon.platform.errors import RuleError
from aeon.platform.knowledge.retrieval import KnowledgeSearch, RetrievedPassage
from aeon.platform.memory.estimate import estimate_tokens

__all__ = [
    "MAX_BUDGET",
    "MAX_PASSAGES",
    "MAX_QUESTION",
    "PASSAGES",
    "TOKENS",
    "RetrievedPassage",
    "find_passages",
    "opened_search",
    "published_passage",
]

PASSAGES: Final = 10
"""How many passages are found by default."""

TOKENS: Final = 1_500
"""How many tokens the passages have at most by default."""

MAX_PASSAGES: Final = 50
MAX_BUDGET: Final = 20_000
MAX_QUESTION: Final = 1_000


def find_passages(
    search: KnowledgeSearch, user: str, text: str, *, now: str, limit: int = PASSAGES, budget: int = TOKENS
) -> list[RetrievedPassage]:
    """Return the passages that are most about a text, best first, whole, with at most `budget` estimated tokens.

    `now` gives words like "last May" their meaning. Raises StoreError, LLMError, and RuleError for a limit or a budget
    out of bounds.
    """
    for name, value, most in (("limit", limit, MAX_PASSAGES), ("budget", budget, MAX_BUDGET)):
        if not 1 <= value <= most:
            raise RuleError(f"The {name} is from 1 to {most:,}, not {value}.", rule="search", field=f"$.{name}")
    today = date.fromisoformat(now[:10])
    return search.find_within(user, text, budget, estimate_tokens, today=today, limit=limit)


def published_passage(passage: RetrievedPassage) -> JsonObject:
    """A passage as JSON data under the published names: its text, speaker, time and place."""
    return {
        "text": passage.text,
        "speaker": passage.speaker,
        "at": passage.at,
        "score": passage.score,
        "source": {
            "alternativeId": passage.alternative_id,
            "conversationId": None if passage.alternative_id is None else passage.conversation_id,
            "episodeId": passage.episode_id,
            "start": passage.start,
            "end": passage.end,
        },
    }


@contextmanager
def opened_search(app: App, user: str) -> Generator[Callable[[str, int, int], list[RetrievedPassage]]]:
    """The search of one user in the record of an app's folder, for a text, a limit and a budget; closed at the end.

    The record is opened at the first search. It needs no key of the vault, unlike the app's platform.
    """
    with ExitStack() as closing:
        opening = Lock()
        opened: list[KnowledgeSearch] = []

        def search() -> KnowledgeSearch:
            with opening:
                if not opened:
                    store = app.open_store()
                    closing.callback(store.close)
                    opened.append(KnowledgeSearch(store, app.find_embedder()))
                return opened[0]

        yield lambda text, limit, budget: find_passages(
            search(), user, text, now=SystemClock().now(), limit=limit, budget=budget
        )
