"""Several mutations in one unit of work are committed together or not at all (platform 19)."""

import pytest

from aeon.platform.catalog.model import NewService
from aeon.platform.ledger import MutationRequest
from aeon.platform.unit_store import UnitStore

ENDPOINT = {"type": "object", "required": ["endpoint"], "properties": {"endpoint": {"type": "string"}}}
SERVICE = {"type": "rest_api", "protocol": "http", "connectionSchema": ENDPOINT}


class CutError(Exception):
    """What ends a unit of work in the middle."""


def two_services(world, unit, user):
    """The catalog within a unit, after two services of a user were added in it."""
    catalog = world.catalog.on(UnitStore(world.store, unit))
    for name in ("first", "second"):
        catalog.services.add(NewService.parsed({**SERVICE, "name": name}), MutationRequest(user))
    return catalog


def names_of(catalog, user):
    return sorted(each.name for each in catalog.services.list_own(user))


def test_mutations_are_committed_together_with_their_audit_entries(world):
    ann = world.user("ann")

    within = world.store.update(lambda unit: names_of(two_services(world, unit, ann), ann))

    assert within == names_of(world.catalog, ann) == ["first", "second"]
    assert [entry["action"] for entry in world.catalog.ledger.audit_log(ann)] == ["service.create"] * 2
    assert world.catalog.ledger.verify_audit_log(ann) is None


def test_of_a_unit_that_ends_in_the_middle_nothing_is_left(world):
    ann = world.user("ann")

    def cut(unit):
        two_services(world, unit, ann)
        raise CutError

    with pytest.raises(CutError):
        world.store.update(cut)

    assert names_of(world.catalog, ann) == []
    assert list(world.catalog.ledger.audit_log(ann)) == []
    assert world.store.update(lambda unit: names_of(two_services(world, unit, ann), ann)) == ["first", "second"]
