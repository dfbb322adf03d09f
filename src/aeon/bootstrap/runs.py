"""Opens the runs of a project's record for reading, without opening or loading an engine."""

from uuid import uuid4

from aeon.bootstrap.platform import Platform
from aeon.platform.runs.service import Runs


def platform_runs(platform: Platform) -> Runs:
    """Return the runs of a platform's record."""
    ledger, processes = platform.catalog.ledger, platform.processes
    return Runs(platform.store, ledger, processes, platform.results, lambda: str(uuid4()), platform.run_notifier)
