"""The default catalog, for services that need something of it in a record that was never set up."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, cast

from aeon.base.json import Json, JsonObject
from aeon.bootstrap.platform import Platform
from aeon.platform.catalog.documents import ApplyError, CatalogDocument
from aeon.platform.catalog.repository import DEFAULTS_OWNER
from aeon.platform.episodes.background_runs import ENRICHING
from aeon.platform.errors import RuleError

if TYPE_CHECKING:
    from aeon.platform.catalog.apply import ApplyStep
    from aeon.platform.store import UnitOfWork

REPLY_TOOL: Final = "converse_with_tools"
"""The tool that answers in conversations unless another Process is chosen."""

NEWEST_TOOL: Final = ENRICHING
"""The tool that was added last: a record without it has the catalog of an older Aeon."""

_MOST_RACES: Final = 50
"""How often another process may have made one of the shipped things first."""

_NAMING: Final = frozenset({"service", "tool", "process"})
"""The fields of a document that name something."""


def ensure_default_tool(platform: Platform, name: str) -> None:
    """Load the default catalog unless the record has the tool of that name that Aeon ships. Raises StoreError."""
    if platform.catalog.tools.find_own(DEFAULTS_OWNER, name) is None:
        load_default_catalog(platform)


def load_default_catalog(platform: Platform) -> "list[ApplyStep]":
    """Load what Aeon ships, all of it or nothing, and return what changed. Raises StoreError.

    Where another process loads it at the same time, the one that is later begins again, and finds it there.
    """
    from aeon.platform.catalog.defaults import load_defaults
    from aeon.platform.processes.documents import ProcessDocuments
    from aeon.platform.processes.repository import ProcessRepository
    from aeon.platform.unit_store import UnitStore

    def load(unit: "UnitOfWork") -> "list[ApplyStep]":
        store = UnitStore(platform.store, unit)
        catalog = platform.catalog.on(store)
        processes = ProcessDocuments(catalog, ProcessRepository(store, catalog), DEFAULTS_OWNER)
        return load_defaults(catalog, {"Process": processes})

    races = 0
    while True:
        try:
            return platform.store.update(load)
        except (RuleError, ApplyError) as error:  # ApplyError: it saw a tool of another one, and not yet its service
            races += 1
            if (isinstance(error, RuleError) and error.rule != "name_unique") or races > _MOST_RACES:
                raise


def add_defaults(platform: Platform) -> None:
    """Add the default catalog and the built-in metrics now, so that no later reading adds them. Raises StoreError."""
    for tool in (REPLY_TOOL, NEWEST_TOOL):
        ensure_default_tool(platform, tool)
    _ = platform.metrics  # opening them adds the built-in ones


def names_what_ships(documents: Sequence[CatalogDocument]) -> bool:
    """Whether a document names a service, a tool or a Process that Aeon ships."""
    from aeon.platform.catalog.defaults import read_default_documents

    shipped = {each.name for each in read_default_documents()}
    return any(name in shipped for each in documents for name in _names_in(each.fields))


def _names_in(value: Json) -> Iterator[str]:
    if isinstance(value, list):
        for each in cast("list[Json]", value):
            yield from _names_in(each)
    elif isinstance(value, dict):
        for key, each in cast(JsonObject, value).items():
            if key in _NAMING and isinstance(each, str):
                yield each
            else:
                yield from _names_in(each)
