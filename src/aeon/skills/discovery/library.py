"""The skills of a session: one immutable catalog at a time, read anew when files change."""

import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from aeon.base.errors import MissingExtraError
from aeon.skills.discovery.cache import DiscoveryCache
from aeon.skills.discovery.search import SkillRoot, discover
from aeon.skills.models import SkillCatalog

SkillCatalogCallback: TypeAlias = Callable[[SkillCatalog], None]

_WatchFunction: TypeAlias = Callable[..., Iterator[Collection[object]]]
"""`watchfiles.watch`: yields the changes, an empty set when there were none for a while."""

_POLL_MS = 500
"""How often a watch looks whether a folder has come into being."""


class SkillLibrary:
    """The current catalog. Threads may share one; whoever needs a stable view takes `catalog` once and keeps it."""

    def __init__(
        self,
        roots: Sequence[SkillRoot],
        *,
        environ: Mapping[str, str] | None = None,
        cache_folder: Path | None = None,
        withheld: Collection[str] = frozenset(),
    ) -> None:
        """Reads the skills. `cache_folder` keeps the readings for the next process; `withheld` is as in `discover`."""
        self.roots = tuple(roots)
        self._environ = environ
        self._withheld = withheld
        self._cache = DiscoveryCache(cache_folder)
        self._lock = threading.Lock()
        self._catalog = self._read()

    @property
    def catalog(self) -> SkillCatalog:
        """The skills as they were last read."""
        return self._catalog

    def reload(self) -> SkillCatalog:
        """Read the skills anew; what did not change on disk is not read again."""
        with self._lock:
            self._catalog = self._read()
            return self._catalog

    def watch(self, on_change: SkillCatalogCallback, stop_event: threading.Event) -> None:
        """Reload whenever files change and tell each new catalog, until the event is set; runs in the caller's thread.

        What changed before the watch is in place is seen too. Raises MissingExtraError without `watchfiles`.
        """
        try:
            from watchfiles import watch
        except ImportError:
            raise MissingExtraError(
                "Watching skills needs the package watchfiles.",
                next_step="Install it: pip install 'aeon-orchestrator[skills]'",
            ) from None
        while not stop_event.is_set():
            folders = self._folders()
            if folders:
                self._watch_folders(watch, folders, on_change, stop_event)
            else:
                stop_event.wait(_POLL_MS / 1000)

    def _read(self) -> SkillCatalog:
        return discover(self.roots, environ=self._environ, cache=self._cache, withheld=self._withheld)

    def _watch_folders(
        self,
        watch: "_WatchFunction",
        folders: Sequence[Path],
        on_change: SkillCatalogCallback,
        stop_event: threading.Event,
    ) -> None:
        """Follow these folders until another comes into being or one goes."""
        changes = watch(
            *folders,
            watch_filter=self._is_relevant,
            stop_event=stop_event,
            rust_timeout=_POLL_MS,
            yield_on_timeout=True,
            ignore_permission_denied=True,
        )
        is_new = True
        try:
            for changed in changes:
                if changed or is_new:
                    self._reload_and_notify(on_change)
                is_new = False
                if folders != self._folders():
                    self._reload_and_notify(on_change)
                    return
        except FileNotFoundError:
            return

    def _reload_and_notify(self, on_change: SkillCatalogCallback) -> None:
        before = self._catalog
        after = self.reload()
        if (after.skills, after.notes) != (before.skills, before.notes):
            on_change(after)

    def _folders(self) -> list[Path]:
        places = [place for root in self.roots for place in (root.path, root.data_home) if place is not None]
        return [place for place in dict.fromkeys(places) if place.is_dir()]

    def _is_relevant(self, _change: object, changed: str) -> bool:
        """Whether a change there may change a catalog: what scripts write into their own folders does not."""
        path = Path(changed)
        inside = next((path.relative_to(place) for place in self._folders() if path.is_relative_to(place)), path)
        return not {"data", "__pycache__", "node_modules", ".git"} & set(inside.parts)
