"""`GraphitiGraph`: the graph server on which each user's view stands for Graphiti, and is extracted by it."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from threading import Lock
from typing import Final, TypeVar

from graphiti_core import Graphiti
from graphiti_core.driver.driver import GraphDriver

from aeon.adapters.graphiti.clients import AeonEmbedderClient, AeonLLMClient, KeptOrder
from aeon.adapters.graphiti.drivers import GraphitiServer
from aeon.adapters.graphiti.extractor import add_episode, findings_of
from aeon.adapters.graphiti.projection import GroupStamp, ShownGroup, read_stamp, sync_group
from aeon.adapters.graphiti.shape import group_of, shape_of
from aeon.base.errors import AeonError, LLMError
from aeon.llm.interface import LLMAdapter
from aeon.platform.embedder import Embedder
from aeon.platform.knowledge.extraction import ExtractionResult, WaitingEpisode
from aeon.platform.knowledge.view import GraphState, KnowledgeView, SyncCounts

_REMEMBERED: Final = 16
"""The users whose graphs are kept in memory as they were written, so that the next change is found without reading."""

_REQUESTS: Final = 2
"""Requests to the model at once, as a process makes them by default."""

_Result = TypeVar("_Result")


class GraphitiGraph:
    """A `KnowledgeGraph` on a graph server. Each call opens and closes its own connection; threads may share it.

    Call it outside of event loops, as Graphiti runs in one of its own.
    """

    def __init__(self, server: GraphitiServer, embedder: Embedder, model: Callable[[], LLMAdapter]) -> None:
        """`model` returns the model that Graphiti asks; only extraction does."""
        self._server = server
        self._embedder = embedder
        self._clients = AeonEmbedderClient(embedder)
        self._model = model
        self._shown: dict[str, ShownGroup] = {}
        self._lock = Lock()

    @property
    def name(self) -> str:
        return self._server.name

    def state(self, owner: str) -> GraphState:
        group = group_of(owner)

        async def work(driver: GraphDriver) -> GraphState:
            is_there = await self._server.has_group(driver, group)
            return GraphState(group, (await read_stamp(driver, group)).view if is_there else "")

        return self._run(group, work)

    def sync(self, view: KnowledgeView) -> SyncCounts:
        with self._lock:
            self._shown.pop(group_of(view.owner), None)
        return self.follow(view)

    def follow(self, view: KnowledgeView) -> SyncCounts:
        group, wanted = group_of(view.owner), self._wanted(view, view.stamp)
        with self._lock:
            shown = self._shown.pop(group, None)
        counts = self._run(group, lambda driver: sync_group(driver, group, wanted, self._clients, shown))
        self._remember(group, wanted)
        return counts

    def extract(
        self, view: KnowledgeView, episode: WaitingEpisode, previous: Sequence[str], names: Sequence[str]
    ) -> ExtractionResult:
        group, wanted = group_of(view.owner), self._wanted(view, "")
        shape = wanted.shape

        async def work(driver: GraphDriver) -> ExtractionResult:
            await sync_group(driver, group, wanted, self._clients)
            graphiti = Graphiti(
                graph_driver=driver,
                llm_client=AeonLLMClient(self._model),
                embedder=self._clients,
                cross_encoder=KeptOrder(),
                max_coroutines=_REQUESTS,
            )
            known = [each for each in previous if each in shape.episodes]
            added = await add_episode(graphiti, group, shape.episodes[episode.id], known)
            return findings_of(added, shape, view.facts, episode, names)

        return self._run(group, work)

    def _wanted(self, view: KnowledgeView, stamp: str) -> ShownGroup:
        return ShownGroup(shape_of(view), GroupStamp(stamp, self._embedder.model))

    def _remember(self, group: str, shown: ShownGroup) -> None:
        """Keep what a group shows, for the users whose groups were written last."""
        with self._lock:
            self._shown[group] = shown
            while len(self._shown) > _REMEMBERED:
                del self._shown[next(iter(self._shown))]

    def _run(self, group: str, work: Callable[[GraphDriver], Awaitable[_Result]]) -> _Result:
        """Runs work on a connection of its own. Raises ProjectionError for failures of the server, and LLMError."""

        async def connected() -> _Result:
            async with self._server.connect(group) as driver:
                return await work(driver)

        try:
            return asyncio.run(connected())
        except AeonError:
            raise
        except Exception as error:
            if (failure := self._server.failure_of(error)) is not None:
                raise failure from None
            raise LLMError(f"Graphiti failed: {type(error).__name__}.") from error
