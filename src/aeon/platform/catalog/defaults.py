"""The default catalog that Aeon ships for every record, applied like a user's file."""

from collections.abc import Mapping
from importlib.resources import files

from aeon.platform.catalog.apply import Applier, ApplyStep, DocumentKind
from aeon.platform.catalog.documents import CatalogDocument, read_documents
from aeon.platform.catalog.repository import DEFAULTS_OWNER
from aeon.platform.catalog.service import Catalog

_FILES = ("catalog.yaml", "itself.yaml", "processes.yaml")


def load_defaults(catalog: Catalog, extra_kinds: Mapping[str, DocumentKind]) -> list[ApplyStep]:
    """Applies this Aeon's defaults, and returns the steps that changed something.

    `extra_kinds` are the kinds outside the catalog, for the owner of the defaults.
    """
    catalog.add_user(DEFAULTS_OWNER)
    applier = Applier(catalog, DEFAULTS_OWNER, extra_kinds)
    steps = applier.plan(read_default_documents())
    applier.apply(steps)
    return [step for step in steps if step.action != "keep"]


def read_default_documents() -> list[CatalogDocument]:
    """Returns all default documents, referenced ones first."""
    folder = files("aeon.platform.defaults")
    return [each for name in _FILES for each in read_documents(folder.joinpath(name).read_text("utf-8"), {})]
