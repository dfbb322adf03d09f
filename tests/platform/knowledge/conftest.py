"""A user's conversations on real stores, with the search in what was said there."""

from datetime import date

import pytest
from tests.platform.conversations.conftest import Talk

from aeon.platform.knowledge.retrieval import KnowledgeSearch

TODAY = date(2026, 11, 25)


class Finder:
    """One user's conversations, and a search in them."""

    def __init__(self, store, embedder=None):
        self.talk = Talk(store)
        self.user = self.talk.user
        self.search = KnowledgeSearch(store, embedder)

    def texts(self, question, **options):
        """The texts that a question finds."""
        return [each.text for each in self.search.find(self.user, question, today=TODAY, **options)]


@pytest.fixture
def finder(store):
    return Finder(store)
