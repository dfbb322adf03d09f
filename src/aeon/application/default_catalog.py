"""The default catalog, for services that need something of it in a record that was never set up."""

from typing import Final

from aeon.bootstrap.platform import Platform
from aeon.platform.catalog.repository import DEFAULTS_OWNER
from aeon.platform.episodes.background_runs import ENRICHING

REPLY_TOOL: Final = "converse_with_tools"
"""The tool that answers in conversations unless another Process is chosen."""

NEWEST_TOOL: Final = ENRICHING
"""The tool that was added last: a record without it has the catalog of an older Aeon."""


def ensure_default_tool(platform: Platform, name: str) -> None:
    """Load the default catalog unless the record has the tool of that name that Aeon ships. Raises StoreError."""
    if platform.catalog.tools.find_own(DEFAULTS_OWNER, name) is None:
        from aeon.platform.catalog.defaults import load_defaults
        from aeon.platform.processes.documents import ProcessDocuments

        catalog = platform.catalog
        load_defaults(catalog, {"Process": ProcessDocuments(catalog, platform.processes, DEFAULTS_OWNER)})


def add_defaults(platform: Platform) -> None:
    """Add the default catalog and the built-in metrics now, so that no later reading adds them. Raises StoreError."""
    for tool in (REPLY_TOOL, NEWEST_TOOL):
        ensure_default_tool(platform, tool)
    _ = platform.metrics  # opening them adds the built-in ones
