"""What a user said, what is known of it, and the search in it, on real stores."""

from datetime import date

import pytest
from tests.platform.conversations.conftest import Talk

from aeon.platform.knowledge.active_entities import ActiveEntityRepository
from aeon.platform.knowledge.enrichment import DescriptionRepository
from aeon.platform.knowledge.entities import NamedEntityRepository
from aeon.platform.knowledge.extraction import ExtractionQueue
from aeon.platform.knowledge.facts import FactRepository
from aeon.platform.knowledge.retrieval import KnowledgeSearch
from aeon.platform.knowledge.settings import KnowledgeSettingsRepository
from aeon.platform.memory.recall import Recollection
from aeon.platform.memory.working_memory import MemoryService
from aeon.platform.search.messages import MessageSearch

TODAY = date(2026, 11, 25)


class Known(Talk):
    """A user who talks, and the knowledge of it."""

    def __init__(self, store):
        super().__init__(store)
        self.know()

    @classmethod
    def of(cls, talk):
        """The knowledge of a user who talks already."""
        known = cls.__new__(cls)
        known.__dict__ |= talk.__dict__
        known.know()
        return known

    def know(self):
        catalog, store = self.world.catalog, self.store
        given = (store, catalog.ledger, catalog.new_id)
        self.entities = NamedEntityRepository(*given)
        self.facts = FactRepository(*given)
        self.queue = ExtractionQueue(*given)
        self.settings = KnowledgeSettingsRepository(store, catalog.ledger)
        self.active = ActiveEntityRepository(store, catalog.ledger, self.entities)
        self.descriptions = DescriptionRepository(store, catalog.ledger, self.entities, self.facts)

    def memory(self, **options):
        """What answers are made from, with all that is known."""
        search, known = MessageSearch(self.store), (self.facts, self.entities, self.active, self.descriptions)
        recollection = Recollection(search, self.turns, *known, **options)
        return MemoryService(self.store, self.conversations, self.turns, recollection)

    def tell(self, *texts):
        """Say texts in conversations of their own, and let them be extracted; return the messages."""
        said = [self.say(self.conversation(), text) for text in texts]
        self.extract()
        return said

    def extract(self):
        while self.queue.extract_by_code(self.user):
            pass

    def about(self, name):
        """The facts about a name."""
        return self.facts.list_about(self.user, self.entities.family(self.user, self.entities.get(self.user, name)))

    def believed(self, name):
        return {each.text for each in self.about(name) if each.holds}

    def names(self):
        return {each.entity.name for each in self.entities.list_most_mentioned(self.user, 1000)}


@pytest.fixture
def known(store):
    return Known(store)


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
