"""One of the processes that talk at once: `writing.py ours|bare ADDRESS SECONDS NUMBER` prints its times."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from itertools import repeat
from pathlib import Path

from bare import BareAppends, BarePostgres, BareSqlite

from aeon.platform.catalog.defaults import load_defaults
from aeon.platform.catalog.repository import DEFAULTS_OWNER
from aeon.platform.catalog.service import Catalog
from aeon.platform.conversations.model import NewConversation
from aeon.platform.conversations.repository import ConversationRepository
from aeon.platform.conversations.turns import EndedAnswer, Executor, TurnRepository
from aeon.platform.ledger import MutationRequest
from aeon.platform.processes.documents import ProcessDocuments
from aeon.platform.processes.repository import ProcessRepository
from aeon.platform.store import Store
from aeon.testing.vault import InMemoryVault


class Talk:
    """One user's conversations in a record."""

    def __init__(self, store: Store, user: str) -> None:
        self.user, self.store = user, store
        self.catalog = Catalog(store, InMemoryVault())
        self.catalog.add_user(user)
        self.conversations = ConversationRepository(store, self.catalog.ledger, self.catalog.new_id)
        self.turns = TurnRepository(store, self.catalog.ledger, self.catalog.new_id, self.conversations)
        self.request = MutationRequest(user)

    def conversation(self):
        return self.conversations.create(NewConversation(), self.request)

    def executor(self) -> Executor:
        """The shipped Process that answers."""
        processes = ProcessRepository(self.store, self.catalog)
        if processes.find_own(DEFAULTS_OWNER, "reply_plain") is None:
            load_defaults(self.catalog, {"Process": ProcessDocuments(self.catalog, processes, DEFAULTS_OWNER)})
        process = processes.find(self.user, "reply_plain")
        return Executor(process.id, process.digest)

    def appends(self) -> Iterator[Callable[[], object]]:
        """Appends to a conversation, one after the other; what each responds to is answered before it is given out."""
        place, executor = self.conversation(), self.executor()
        while True:
            tip = self.conversations.get(self.user, place.id).tip_id
            if tip is not None:
                begun = self.turns.begin_answer(tip, executor, self.request)
                self.turns.end_answer(self.user, begun.id, EndedAnswer("Some answer of usual length, in English."))
            yield lambda: self.turns.append(place.id, "Some message of usual length, in English.", self.request)


def opened(address: str) -> Store:
    """The record at an address: a folder, or a PostgreSQL."""
    if address.startswith("postgresql:"):
        from aeon.adapters.store.postgresql import open_postgresql

        return open_postgresql(address)
    from aeon.testing.records import new_record

    return new_record(Path(address))


def database(address: str) -> BareSqlite | BarePostgres:
    """The same record by its driver alone."""
    return BarePostgres(address) if address.startswith("postgresql:") else BareSqlite(Path(address, "own", "aeon.db"))


def main(kind: str, address: str, seconds: float, number: str) -> None:
    if kind == "ours":
        acts = Talk(opened(address), f"writer {number}").appends()
    else:
        bare = database(address)
        like = bare.run("SELECT * FROM conversations LIMIT 1", {})[0]
        acts = repeat(BareAppends(bare, like, f"bare {number} {time.time_ns()}"))
    print("ready", flush=True)
    sys.stdin.readline()
    took, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end:
        act = next(acts)
        began = time.perf_counter()
        act()
        took.append((time.perf_counter() - began) * 1e3)
    print(json.dumps(took))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]), sys.argv[4])
