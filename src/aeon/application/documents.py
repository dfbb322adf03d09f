"""`DocumentService`: applies YAML documents that describe stored things, and sets up a record."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from aeon.application.default_catalog import load_default_catalog
from aeon.application.examined_documents import examine_documents
from aeon.application.skill_calls import ELSEWHERE, find_missing_scripts
from aeon.bootstrap.platform import Platform
from aeon.platform.catalog.apply import ApplyStep
from aeon.platform.catalog.documents import DocumentFile, raise_problems, read_files
from aeon.platform.catalog.repository import DEFAULTS_OWNER
from aeon.platform.catalog.short_calls import with_short_calls

__all__ = ["ApplyStep", "DocumentFile", "DocumentService", "RecordSummary"]

_COUNTED = 1000
_SWEEP_AGE = timedelta(hours=1)
"""Younger values in the vault may belong to a change that has not reached the record yet."""


class RecordSummary(NamedTuple):
    """What `set_up` found: the name of the store, the changes of the default catalog, and the user's own things."""

    store: str
    defaults_changed: int
    services: int
    secrets: int
    tools: int


class DocumentService:
    """Documents of the catalog, of Processes and of what starts them, applied for one user."""

    def __init__(self, platform: Platform, user: str, environ: Mapping[str, str]) -> None:
        """`environ` gives the values of `${NAME}` in secrets. The caller closes `platform`."""
        self._platform = platform
        self._user = user
        self._environ = environ

    def apply(self, text: str, *, is_dry: bool = False) -> list[ApplyStep]:
        """Create and change what the documents of a text describe; see `apply_files`."""
        return self.apply_files([DocumentFile(text)], is_dry=is_dry)

    def apply_files(self, files: Sequence[DocumentFile], *, is_dry: bool = False) -> list[ApplyStep]:
        """Create and change what the documents describe; returns a step for each, referenced things first.

        The files are one: their documents may refer to each other, and a fault of one is a fault of all. With `is_dry`,
        nothing of the user's is changed. If there is any fault, nothing of it is changed either. Applying files again
        changes nothing, so it takes no key. If they use what Aeon ships, a record that was never set up gets that.
        Raises ApplyError with every fault.
        """
        written = read_files(files, self._environ)
        steps, problems, applier = examine_documents(self._platform, self._user, with_short_calls(written))
        missing = [each for each in find_missing_scripts(self._platform, self._user, written) if each.rule != ELSEWHERE]
        raise_problems([str(problem) for problem in [*problems, *missing]])
        if not is_dry:
            applier.apply(steps)
        return steps

    def set_up(self) -> RecordSummary:
        """Load the default catalog, check its health, and delete values that nothing refers to any more."""
        platform, catalog = self._platform, self._platform.catalog
        defaults = load_default_catalog(platform)
        list(platform.health.run(DEFAULTS_OWNER, only_due=True))
        now = catalog.ledger.now()
        swept = datetime.fromisoformat(now) - _SWEEP_AGE
        catalog.secrets.sweep(swept.isoformat(timespec="microseconds"))
        platform.metrics.values.prune(now)
        return RecordSummary(
            platform.store.name,
            len(defaults),
            services=len(catalog.services.list_own(self._user, limit=_COUNTED)),
            secrets=len(catalog.secrets.list_own(self._user, limit=_COUNTED)),
            tools=len(catalog.tools.list_own(self._user, limit=_COUNTED)),
        )
