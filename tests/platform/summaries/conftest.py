"""Conversations on real stores whose parts are summed up without runs."""

import pytest
from tests.platform.conversations.conftest import Talk

from aeon.platform.conversations.erasing import ErasureRepository
from aeon.platform.introspection.repository import NoteRepository
from aeon.platform.memory.compression import CompressionPlanner
from aeon.platform.memory.estimate import estimate_tokens
from aeon.platform.memory.working_memory import MemoryService, ReplyForm
from aeon.platform.summaries.model import NewSummary
from aeon.platform.summaries.repository import SummaryRepository

FORM = ReplyForm("Be brief.", max_tokens=100, temperature=0.0, context=700)


class Summing(Talk):
    """One user's conversations, summed up by a function."""

    def __init__(self, store):
        super().__init__(store)
        catalog = self.world.catalog
        self.memory = MemoryService(store, self.conversations, self.turns)
        self.summaries = SummaryRepository(store, catalog.ledger, catalog.new_id)
        self.notes = NoteRepository(store, catalog.ledger, catalog.new_id)
        self.erasures = ErasureRepository(store, catalog.ledger, catalog.new_id)
        self.planner = CompressionPlanner(store, self.conversations, self.turns, self.memory, self.summaries)
        self.form = FORM

    def talk_long(self, conversation, pairs, words=12):
        """Say so much after the tip; return the alternatives."""
        said = []
        for number in range(pairs):
            message = self.say(
                conversation, f"Question {number} about {'word ' * words}?", after=self.tip(conversation)
            )
            said += [message, self.answer(message, f"Answer {number} with {'word ' * words}.")]
        return said

    def say(self, conversation, text=None, after=None, **request):
        return super().say(conversation, text, after, **request)

    def tip(self, conversation):
        return self.conversations.get(self.user, conversation.id).tip_id

    def next(self, conversation):
        return self.planner.next_summary(self.user, conversation.id, self.form)

    def compress(self, conversation, make=None, most=1000):
        """Sum up what is to be summed up; return the new summaries."""
        made = []
        while len(made) < most and (planned := self.next(conversation)) is not None:
            text = (
                f"Summary of {planned.span.first[:8]}: {planned.text[: planned.size]}"
                if make is None
                else make(planned)
            )
            new = NewSummary(planned.span, text, estimate_tokens(text), self.executor.process, None)
            made.append(self.summaries.add(self.user, new))
            assert made[-1] is not None
        return made

    def assemble(self, message, **form):
        return self.memory.assemble(self.user, message.id, self.form._replace(**form))


@pytest.fixture
def talk(store):
    return Summing(store)
