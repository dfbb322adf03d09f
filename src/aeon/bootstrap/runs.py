"""Opens the runs of a project's record for reading, without opening or loading an engine."""

from pathlib import Path
from uuid import uuid4

from aeon.adapters.results import FileResultStore
from aeon.bootstrap.platform import Platform
from aeon.platform.runs.service import Runs


def project_runs(platform: Platform, project: Path) -> Runs:
    """Return the record's runs, with the large results in the project's folder."""
    results = FileResultStore(project / ".aeon" / "results")
    ledger, processes = platform.catalog.ledger, platform.processes
    return Runs(platform.store, ledger, processes, results, lambda: str(uuid4()), platform.run_notifier)
