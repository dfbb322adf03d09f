"""`GraphitiBackground`: lets Graphiti extract what users say, and keeps their graphs up to date, on a thread."""

import threading
from collections.abc import Callable
from typing import Final

from aeon.application.graphiti import GRAPH_TASK, GraphitiService, kept_lease, required_graph
from aeon.base.errors import AeonError
from aeon.bootstrap.platform import Platform
from aeon.platform.errors import ConflictError
from aeon.platform.knowledge.extraction import TASK, ExtractionResult, WaitingEpisode, found_by_code
from aeon.platform.knowledge.model import GRAPHITI
from aeon.platform.projection import TargetUnavailableError
from aeon.platform.store import QueryError

__all__ = ["GraphitiBackground"]

_RETRY_AFTER: Final = 12
"""How many calls of `advance` an unavailable server is left alone."""


class GraphitiBackground:
    """The work for one user's graph, one thing at a time: an episode that waits, or else a synchronization.

    A crash leaves the episode waiting, and the graph to the next synchronization.
    """

    def __init__(self, platform: Platform, user: str, holder: str) -> None:
        """The caller closes `platform`. `holder` is this process."""
        self._platform = platform
        self._user = user
        self._holder = holder
        self._service = GraphitiService(platform, user, holder)
        self._thread: threading.Thread | None = None
        self._shown = ""
        self._problem = ""
        self._reported = ""
        self._pause = 0

    def advance(self) -> list[str]:
        """Begin what is due, unless something is under way; return lines about what went wrong. Raises StoreError."""
        if self._thread is not None and self._thread.is_alive():
            return []
        self._thread = None
        lines = [self._problem] if self._problem and self._problem != self._reported else []
        self._reported = self._problem
        if self._pause:
            self._pause -= 1
            return lines
        if (work := self._due()) is not None:
            self._thread = threading.Thread(target=self._do, args=(work,), name="aeon-graphiti", daemon=True)
            self._thread.start()
        return lines

    def join(self) -> None:
        """Wait until what was begun has ended."""
        if self._thread is not None:
            self._thread.join()

    def _due(self) -> Callable[[], None] | None:
        """Return what is to be done next: one episode before a synchronization."""
        if self._extracts and (episode := self._next()) is not None:
            return lambda: self._extract(episode)
        stamp = self._platform.knowledge_views.stamp(self._user)
        return None if stamp == self._shown else lambda: self._sync(stamp)

    @property
    def _extracts(self) -> bool:
        platform = self._platform
        return platform.extractor == GRAPHITI and platform.knowledge_settings.get(self._user).extraction == "on"

    def _next(self) -> WaitingEpisode | None:
        """Return the next episode for Graphiti; those that state nothing are extracted by code (platform 36)."""
        queue = self._platform.extraction
        if not queue.list_waiting(self._user, 1):
            return None
        with kept_lease(queue, self._user, self._holder, TASK) as is_held:
            for episode in queue.list_waiting(self._user) if is_held else ():
                if (by_code := self._by_code(episode)).facts:
                    return episode
                queue.finish(self._user, episode, by_code)
        return None

    def _do(self, work: Callable[[], None]) -> None:
        self._problem = ""
        try:
            work()
        except ConflictError:  # another process does it
            return
        except QueryError:  # the store was closed: the worker is ending
            return
        except AeonError as error:
            self._problem = f"{error.message} {error.advice}".strip()
            self._pause = _RETRY_AFTER

    def _sync(self, stamp: str) -> None:
        self._service.follow()
        self._shown = stamp

    def _extract(self, episode: WaitingEpisode) -> None:
        """Extract an episode on its path, and put right afterwards what Graphiti wrote across branches."""
        queue = self._platform.extraction
        with (
            kept_lease(queue, self._user, self._holder, TASK) as may_extract,
            kept_lease(queue, self._user, self._holder, GRAPH_TASK) as may_change,
        ):
            if not (may_extract and may_change):
                return
            self._shown = ""
            failure, found = None, self._by_code(episode)
            try:
                found = self._found(episode, found)
            except TargetUnavailableError:  # the episode waits until the server is back
                raise
            except AeonError as error:
                failure = error.message
            queue.finish(self._user, episode, found, failure)
        stamp = self._platform.knowledge_views.stamp(self._user)
        self._sync(stamp)

    def _found(self, episode: WaitingEpisode, by_code: ExtractionResult) -> ExtractionResult:
        place = self._platform.knowledge_views.place_of(self._user, episode.id)
        view = self._platform.knowledge_views.read(self._user, place.viewpoint)
        return required_graph(self._platform).extract(view, episode, place.previous, by_code.names)

    def _by_code(self, episode: WaitingEpisode) -> ExtractionResult:
        cases = self._platform.extraction.word_cases(self._user, [episode.content] if episode.is_evidence else [])
        return found_by_code(episode, cases)
