"""A process that talks at random in one user's conversations, and says what was acknowledged: to be killed.

`talking_process.py STORE WHO FIRST LAST USER PROCESS DIGEST`: STORE is a folder, or the address of a PostgreSQL. Several
processes talk in the same conversations of the user. Every change has a key, so that what was not acknowledged is asked
for again.
"""

import random
import sys
from pathlib import Path

from aeon.adapters.store.postgresql import open_postgresql
from aeon.platform.catalog.service import Catalog
from aeon.platform.conversations.model import NewConversation
from aeon.platform.conversations.repository import ConversationRepository
from aeon.platform.conversations.turns import EndedAnswer, Executor, TurnRepository
from aeon.platform.errors import PlatformError
from aeon.platform.ledger import MutationRequest
from aeon.platform.store import StoreUnavailableError
from aeon.testing.records import new_record
from aeon.testing.vault import InMemoryVault

CONVERSATIONS = 3


class Talker:
    """Makes random changes of conversations; each is one mutation with a key of its own."""

    def __init__(self, store, who, user, executor):
        self.who, self.user, self.executor = who, user, executor
        catalog = Catalog(store, InMemoryVault())
        self.conversations = ConversationRepository(store, catalog.ledger, catalog.new_id)
        self.turns = TurnRepository(store, catalog.ledger, catalog.new_id, self.conversations)

    def change(self, number):
        """The change of that number; returns what it was, or None if nothing could be done."""
        chance = random.Random(f"{self.who} {number}")
        request = MutationRequest(self.user, f"{self.who} {number}")
        found = self.conversations.list_newest(self.user, limit=CONVERSATIONS)
        if len(found) < CONVERSATIONS:
            self.conversations.create(NewConversation(), request)
            return "conversation"
        conversation = chance.choice(found)
        alternatives = self.turns.tree(self.user, conversation.id, limit=1000)
        text = f"{self.who} {number}"
        if not alternatives:
            self.turns.append(conversation.id, text, request)
            return "message"
        chosen = chance.choice(alternatives)
        if chosen.turn.speaker == "agent":
            return self._after_answer(chance, chosen, text, request)
        if chance.random() < 0.3:
            self.turns.edit(chosen.id, text, request)
            return "message"
        begun = self.turns.begin_answer(chosen.id, self.executor, request)
        self.turns.end_answer(self.user, begun.id, EndedAnswer(text))
        return "answer"

    def _after_answer(self, chance, chosen, text, request):
        kind = chance.choice(["say", "activate", "fork", "regenerate", "say"])
        if chosen.state == "generating":
            self.turns.end_answer(self.user, chosen.id, EndedAnswer("taken up"))
            return "taken"
        if kind == "say":
            self.turns.append(chosen.conversation_id, text, request, chosen.id)
            return "message"
        if kind == "activate":
            self.turns.activate(chosen.id, request)
            return "switch"
        if kind == "fork":
            self.turns.fork(chosen.id, text, request)
            return "fork"
        begun = self.turns.regenerate(chosen.id, self.executor, request)
        self.turns.end_answer(self.user, begun.id, EndedAnswer(text))
        return "answer"


def opened(place):
    while True:
        try:
            return open_postgresql(place) if place.startswith("postgresql://") else new_record(Path(place))
        except StoreUnavailableError:
            continue  # the server is starting


def main(place, who, first, last, user, process, digest):
    talker = Talker(opened(place), who, user, Executor(process, digest))
    for number in range(first, last + 1):
        while True:
            try:
                what = talker.change(number)
                break
            except StoreUnavailableError:
                continue  # with the same key
            except PlatformError:
                what = "refused"  # somebody else was first, or what was chosen is being made
                break
        sys.stdout.write(f"{what} {number}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    place, who, first, last, *answering = sys.argv[1:]
    main(place, who, int(first), int(last), *answering)
