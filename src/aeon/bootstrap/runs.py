"""The runs of a project's record, for those who only look at them: no engine is opened, nor loaded."""

from pathlib import Path
from uuid import uuid4

from aeon.adapters.results import FileResultStore
from aeon.bootstrap.platform import Platform
from aeon.platform.runs.service import Runs


def project_runs(platform: Platform, project: Path) -> Runs:
    """The record's runs, with the large results that lie in the project's folder."""
    results = FileResultStore(project / ".aeon" / "results")
    return Runs(platform.store, platform.catalog.ledger, platform.processes, results, lambda: str(uuid4()))
