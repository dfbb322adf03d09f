"""Opens the runs of a project's record for reading, without opening or loading an engine."""

from pathlib import Path
from uuid import uuid4

from aeon.adapters.results import FileResultStore
from aeon.bootstrap.platform import Platform
from aeon.platform.runs.service import Runs


def project_runs(platform: Platform, project: Path) -> Runs:
    """Return the record's runs, with the large results in the project's folder."""
    results = FileResultStore(project / ".aeon" / "results")
    return Runs(platform.store, platform.catalog.ledger, platform.processes, results, lambda: str(uuid4()))
