"""A record with the cases of a data set: each is a user, each session a conversation, imported as the product does."""

from pathlib import Path

from datasets import Case

from aeon.adapters.store.sqlite.factory import open_sqlite
from aeon.base.json import Json
from aeon.platform.catalog.service import Catalog
from aeon.platform.conversations.importing.arrange import SourceConversation, SourceMessage, arrange
from aeon.platform.conversations.importing.writer import ImportWriter
from aeon.platform.conversations.model import NewConversation
from aeon.platform.conversations.repository import ConversationRepository
from aeon.platform.conversations.turns import TurnRepository
from aeon.platform.embedder import Embedder
from aeon.platform.knowledge import search_queries
from aeon.platform.knowledge.embedding_backlog import EmbeddingBacklog
from aeon.platform.knowledge.vectors import part_order
from aeon.platform.ledger import MutationRequest
from aeon.testing.vault import InMemoryVault


class Record:
    """The record of a folder. What a run has written and embedded there, the next one uses."""

    def __init__(self, folder: Path, embedder: Embedder | None) -> None:
        """Without an embedder, no vectors are made."""
        self.store = open_sqlite(folder / "own" / "aeon.db", state=folder / "state")
        self._embedder = embedder
        self._catalog = Catalog(self.store, InMemoryVault())
        self._writer = ImportWriter(self.store, self._catalog.ledger)
        ledger, new_id = self._catalog.ledger, self._catalog.new_id
        self._conversations = ConversationRepository(self.store, ledger, new_id)
        self._turns = TurnRepository(self.store, ledger, new_id, self._conversations)
        self._places: dict[str, dict[str, int]] = {}

    def write(self, case: Case) -> None:
        """Write a case and make its vectors, if there is an embedder; what is there already stays."""
        self._catalog.add_user(case.name)
        places: dict[str, int] = {}
        for session in dict.fromkeys(said.session for said in case.said):
            numbers = [place for place, said in enumerate(case.said) if said.session == session]
            written = self._writer.write(case.name, arrange(_conversation(case, session, numbers)))
            tip = self._conversations.get(case.name, written.id).tip_id
            path = self._turns.path(case.name, tip or "", len(case.said))
            places |= {each.id: place for each, place in zip(path, numbers, strict=True)}
        self._places[case.name] = places
        if self._embedder is not None:
            backlog = EmbeddingBacklog(self.store, self._embedder)
            while backlog.embed_next(case.name):
                pass

    def append(self, case: Case, text: str) -> None:
        """Add a message to a new conversation of a case's user."""
        conversation = self._conversations.create(NewConversation(), MutationRequest(case.name))
        self._turns.append(conversation.id, text, MutationRequest(case.name))

    def places(self, case: Case) -> dict[str, int]:
        """The places of the messages of a case, by their ids in the record."""
        return self._places[case.name]

    def vectors(self, case: Case, model: str) -> dict[int, list[str]]:
        """The vectors that a model has made of each message of a case, as the record keeps them."""
        ids: list[Json] = [*self._places[case.name]]
        of_model = {"user": case.name, "model": model, "ids": ids}
        found: dict[int, dict[str, str]] = {}
        for row in self.store.read(search_queries.VECTORS, of_model):
            found.setdefault(self._places[case.name][row["id"]], {})[row["subject"]] = row["vector"]
        return {place: part_order(vectors) for place, vectors in found.items()}


def _conversation(case: Case, session: int, numbers: list[int]) -> SourceConversation:
    messages = [
        SourceMessage(
            str(place),
            None if place == numbers[0] else str(place - 1),
            "user" if case.said[place].role == "user" else "assistant",
            case.said[place].text,
            case.said[place].at,
        )
        for place in numbers
    ]
    return SourceConversation(
        "chatgpt", f"chatgpt:{case.name}-{session}", None, messages[0].created_at, None, messages, messages[-1].id
    )
