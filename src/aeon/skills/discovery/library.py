"""The skills of a session: one immutable catalog at a time, reloaded when files change."""

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
"""`watchfiles.watch`: yields sets of changes, an empty set if nothing changed for a while."""

_POLL_MS = 500
"""Milliseconds between checks for new folders during a watch."""


class SkillLibrary:
    """Holds the current catalog.

    Thread-safe; for a stable view, take `catalog` once and keep it.
    """

    def __init__(
        self,
        roots: Sequence[SkillRoot],
        *,
        environ: Mapping[str, str] | None = None,
        cache_folder: Path | None = None,
        withheld: Collection[str] = frozenset(),
    ) -> None:
        """Reads the skills.

        `cache_folder` stores the readings for the next process; `withheld` as in `discover`.
        """
        self.roots = tuple(roots)
        self._environ = environ
        self._withheld = withheld
        self._cache = DiscoveryCache(cache_folder)
        self._lock = threading.Lock()
        self._catalog = self._read()

    @property
    def catalog(self) -> SkillCatalog:
        """The skills as last read."""
        return self._catalog

    def reload(self) -> SkillCatalog:
        """Reloads the skills that changed on disk and returns the new catalog."""
        with self._lock:
            self._catalog = self._read()
            return self._catalog

    def watch(self, on_change: SkillCatalogCallback, stop_event: threading.Event) -> None:
        """Reloads when files change and calls `on_change` with each new catalog.

        Blocks until the event is set. Changes made before the watch is active are seen too. Raises MissingExtraError
        without `watchfiles`.
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
        """Watches these folders until the set of existing folders changes."""
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
        folders = [folder for root in self.roots for folder in (root.path, root.data_home) if folder is not None]
        return [folder for folder in dict.fromkeys(folders) if folder.is_dir()]

    def _is_relevant(self, _change: object, changed: str) -> bool:
        """Whether a change at this path may change the catalog: the scripts' own data does not."""
        path = Path(changed)
        relative = next((path.relative_to(folder) for folder in self._folders() if path.is_relative_to(folder)), path)
        return not {"data", "__pycache__", "node_modules", ".git"} & set(relative.parts)
