"""What Aeon ships for every record: data that is applied like a user's file."""

from collections.abc import Mapping
from importlib.resources import files

from aeon.platform.catalog.apply import Applier, ApplyStep, DocumentKind
from aeon.platform.catalog.documents import CatalogDocument, read_documents
from aeon.platform.catalog.repository import DEFAULTS_OWNER
from aeon.platform.catalog.service import Catalog

_FILES = ("catalog.yaml", "itself.yaml", "processes.yaml")


def load_defaults(catalog: Catalog, further: Mapping[str, DocumentKind]) -> list[ApplyStep]:
    """Have the defaults there as this Aeon ships them, and say what that changed.

    `further` are the kinds besides the catalog's, as the owner of the defaults makes them.
    """
    catalog.add_user(DEFAULTS_OWNER)
    applier = Applier(catalog, DEFAULTS_OWNER, further)
    steps = applier.plan(read_default_documents())
    applier.apply(steps)
    return [step for step in steps if step.action != "keep"]


def read_default_documents() -> list[CatalogDocument]:
    """Every default, in the order in which one may refer to another."""
    folder = files("aeon.platform.defaults")
    return [each for name in _FILES for each in read_documents(folder.joinpath(name).read_text("utf-8"), {})]
