"""`EngineService`: whether the engine of the settings can be reached."""

from collections.abc import Mapping
from pathlib import Path

from aeon.bootstrap.engines import reach_engine
from aeon.settings import LoadedSettings

__all__ = ["EngineService"]


class EngineService:
    """The engine of one project, as the settings name it."""

    def __init__(self, folder: Path, loaded: LoadedSettings, environ: Mapping[str, str]) -> None:
        """`folder` is the project's."""
        self._folder = folder
        self._loaded = loaded
        self._environ = environ

    def reach(self) -> str:
        """Connect to the engine, change nothing there, and return its name.

        Raises ConfigError, MissingExtraError, and StoreError or EngineUnavailableError if it does not answer.
        """
        return reach_engine(self._folder, self._loaded.settings.engine, self._environ, self._loaded.from_project)
