"""The default catalog: data that is applied like anybody's file."""

from importlib.resources import files

from aeon.platform.catalog.apply import Applier, Step
from aeon.platform.catalog.catalog import Catalog
from aeon.platform.catalog.documents import read_documents
from aeon.platform.catalog.shelf import DEFAULTS_OWNER


def load_defaults(catalog: Catalog) -> list[Step]:
    """Have the defaults there as this Aeon ships them, and say what that changed."""
    catalog.add_user(DEFAULTS_OWNER)
    applier = Applier(catalog, DEFAULTS_OWNER)
    steps = applier.plan(
        read_documents(files("aeon.platform.defaults").joinpath("catalog.yaml").read_text("utf-8"), {})
    )
    applier.carry_out(steps)
    return [step for step in steps if step.verb != "keep"]
