"""The default catalog, for services that need something of it in a record that was never set up."""

from aeon.bootstrap.platform import Platform
from aeon.platform.catalog.repository import DEFAULTS_OWNER


def ensure_default_tool(platform: Platform, name: str) -> None:
    """Load the default catalog unless the record has the tool of that name that Aeon ships. Raises StoreError."""
    if platform.catalog.tools.find_own(DEFAULTS_OWNER, name) is None:
        from aeon.platform.catalog.defaults import load_defaults
        from aeon.platform.processes.documents import ProcessDocuments

        catalog = platform.catalog
        load_defaults(catalog, {"Process": ProcessDocuments(catalog, platform.processes, DEFAULTS_OWNER)})
