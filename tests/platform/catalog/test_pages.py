"""One list of own and shared things, page by page (platform 2)."""

from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aeon.application.entities import EntityService
from aeon.platform.catalog.model import NewService, ServiceChange
from aeon.platform.errors import RuleError

EXAMPLES = count()
NAMES = st.text("aAbBä.-_09", min_size=1, max_size=3)
THINGS = st.lists(st.tuples(st.sampled_from(["me", "she"]), NAMES, st.booleans()), unique_by=lambda each: each[:2])


def services_of(world, user):
    return EntityService(world.catalog.services, user, NewService, ServiceChange)


def whole_list(services, limit, **wanted):
    page = services.list(limit=limit, **wanted)
    found = [*page.items]
    while page.next_cursor is not None:
        assert len(page.items) == limit
        page = services.list(limit=limit, after=page.next_cursor, **wanted)
        found += page.items
    return [(each.owner_id, each.name) for each in found]


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(THINGS, st.integers(1, 4), st.sampled_from(["own", "shared", "all"]), st.sampled_from(["", "a", "ä", "b0"]))
def test_pages_of_every_size_show_own_things_then_shared_ones_each_once(world, things, limit, owner, prefix):
    number = next(EXAMPLES)
    me, she = f"{world.user('me')}-{number}", f"{world.user('she')}-{number}"
    for user in (me, she):
        world.catalog.add_user(user)
    start = f"p{number}-{me[3:]}"  # other examples share things, too
    for who, name, is_shared in things:
        world.service(me if who == "me" else she, name=f"{start}{name}", shared=is_shared)
    own = sorted((me, f"{start}{name}") for who, name, _ in things if who == "me")
    shared = sorted((she, f"{start}{name}") for who, name, is_shared in things if who == "she" and is_shared)
    expected = [*(own if owner != "shared" else []), *(shared if owner != "own" else [])]
    shown = whole_list(services_of(world, me), limit, owner=owner, prefix=start + prefix)
    assert shown == [each for each in expected if each[1].startswith(start + prefix)]


def test_a_thing_that_is_added_or_removed_meanwhile_moves_no_other_to_another_page(world):
    me = world.user("me")
    for name in "bdf":
        world.service(me, name=name)
    services = services_of(world, me)
    page = services.list(owner="own", limit=2)
    world.service(me, name="a")
    services.remove("b")
    assert [each.name for each in services.list(owner="own", limit=2, after=page.next_cursor).items] == ["f"]


@pytest.mark.parametrize("cursor", ["", "x", "W10", "bnVsbA", "Wy1d", "WyJhIiwiYiIsImMiXQ", "ä"])
def test_a_text_that_is_no_cursor_is_refused(world, cursor):
    with pytest.raises(RuleError, match="is not a cursor of this list"):
        services_of(world, world.user("me")).list(after=cursor)


@pytest.mark.parametrize("limit", [0, -1, 1001])
def test_a_page_has_a_size(world, limit):
    with pytest.raises(RuleError, match="A page has 1 to 1000 items"):
        services_of(world, world.user("me")).list(limit=limit)
