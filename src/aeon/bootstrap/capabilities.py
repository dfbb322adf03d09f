"""What this process can execute, from its settings and the extras that are installed."""

from importlib.util import find_spec
from typing import Final

from aeon import __version__
from aeon.platform.catalog.needs import PLAIN_OPERATIONS
from aeon.platform.workers.capabilities import Capabilities
from aeon.settings import EngineSettings

_PACKAGES: Final = {"graph_query:falkordb": "falkordb", "graph_query:neo4j": "neo4j", "skill_script": "msgspec"}
"""The package that an operation needs, by operation."""


def own_capabilities(settings: EngineSettings) -> Capabilities:
    """Return the labels of the settings, and the operations whose packages are installed here."""
    installed = {operation for operation, package in _PACKAGES.items() if find_spec(package) is not None}
    operations = tuple(sorted(PLAIN_OPERATIONS | installed))
    return Capabilities(tuple(settings.labels), operations, aeon_version=__version__)
