"""Synchronizes a graph and is killed before its nth query. Arguments: folder of the record, user, address, password, n."""

import os
import signal
import sys
from contextlib import closing
from pathlib import Path

from aeon.adapters.graphiti import open_graphiti
from aeon.platform.catalog.service import Catalog
from aeon.platform.knowledge.entities import NamedEntityRepository
from aeon.platform.knowledge.facts import FactRepository
from aeon.platform.knowledge.view import KnowledgeViewReader
from aeon.testing.clock import FakeClock
from aeon.testing.embedding import HashEmbedder
from aeon.testing.records import new_record
from aeon.testing.vault import InMemoryVault

folder, user, address, password, last = sys.argv[1:]
graph = open_graphiti(address, password, HashEmbedder(), lambda: None)

from falkordb.asyncio.graph import AsyncGraph  # noqa: E402  # after Graphiti, which loads it

left = int(last)
query = AsyncGraph.query


async def counted(self, *given, **named):
    global left  # noqa: PLW0603  # a script
    left -= 1
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)
    return await query(self, *given, **named)


AsyncGraph.query = counted
with closing(new_record(Path(folder))) as store:
    catalog = Catalog(store, InMemoryVault(FakeClock()), clock=FakeClock())
    given = (store, catalog.ledger, catalog.new_id)
    views = KnowledgeViewReader(store, FactRepository(*given), NamedEntityRepository(*given))
    graph.sync(views.read(user))
