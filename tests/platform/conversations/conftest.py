"""A user's conversations on real stores, with short ways to write in them."""

from itertools import count

import pytest
from tests.platform.conftest import World
from tests.platform.stored_processes import Storing, step

from aeon.platform.conversations.erasing import ErasureRepository
from aeon.platform.conversations.model import NewConversation
from aeon.platform.conversations.repository import ConversationRepository
from aeon.platform.conversations.turns import EndedAnswer, Executor, TurnRepository
from aeon.platform.ledger import MutationRequest

_MARKERS = count()


class Talk:
    """One user's conversations; the Process that answers does nothing."""

    def __init__(self, store):
        self.world = World(store)
        catalog = self.world.catalog
        self.store = store
        self.user = self.world.user("ann")
        self.conversations = ConversationRepository(store, catalog.ledger, catalog.new_id)
        self.turns = TurnRepository(store, catalog.ledger, catalog.new_id, self.conversations)
        self.executor = self.process("answers")
        self._texts = count()

    def request(self, key=None, expected=None):
        return MutationRequest(self.user, key, expected)

    def process(self, name):
        stored = Storing(self.world)
        tool = stored.tool(self.user, name=f"tool of {name}")
        made = stored.add(self.user, step("only", tool=tool.id), name=name)
        return Executor(made.id, made.digest)

    def conversation(self, **fields):
        return self.conversations.create(NewConversation(**fields), self.request())

    def say(self, conversation, text=None, after=None, **request):
        text = text or f"message {next(self._texts)}"
        return self.turns.append(conversation.id, text, self.request(**request), after)

    def answer(self, message, text=None, executor=None):
        begun = self.turns.begin_answer(message.id, executor or self.executor, self.request())
        return self.end(begun, text)

    def end(self, begun, text=None, **fields):
        assert self.turns.end_answer(self.user, begun.id, EndedAnswer(text or f"answer {next(self._texts)}", **fields))
        return self.get(begun)

    def get(self, alternative):
        return self.turns.get(self.user, alternative.id)

    def path(self, conversation):
        tip = self.conversations.get(self.user, conversation.id).tip_id
        return [each.content for each in self.turns.path(self.user, tip)] if tip else []


@pytest.fixture
def talk(store):
    return Talk(store)


@pytest.fixture
def erasures(talk):
    return ErasureRepository(talk.store, talk.world.catalog.ledger, talk.world.catalog.new_id)


@pytest.fixture
def marker():
    return f"zeppelin{next(_MARKERS)}x"
