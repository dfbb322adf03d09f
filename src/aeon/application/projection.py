"""`open_projection`: the copy of a project's record in a graph database."""

from collections.abc import Generator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from aeon.bootstrap.projection import new_projector, open_target
from aeon.bootstrap.stores import open_store
from aeon.platform.projection import ProjectionStatus, Projector
from aeon.settings import LoadedSettings

__all__ = ["ProjectionStatus", "Projector", "open_projection"]


@contextmanager
def open_projection(folder: Path, loaded: LoadedSettings, environ: Mapping[str, str]) -> Generator[Projector]:
    """Open the graph of the settings and the record of the project in `folder`; close both at the end.

    The projector synchronizes, follows, rebuilds and detaches. Raises StoreError, ConfigError, MissingExtraError.
    """
    with closing(open_target(loaded.settings.graph, environ, loaded.from_project)) as target:
        store = open_store(folder, loaded.settings.store, environ, loaded.from_project)
        with closing(store):
            yield new_projector(store, target)
