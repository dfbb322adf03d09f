"""Lists are of exactly one's own, in exact order, whatever the names are (platform 2, decision 24)."""

from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aeon.platform.errors import RuleError

ALIKE = ("ann", "Ann", "ANN", "änn", "ann b", "an", "ann.x")
EXAMPLES = count()
NAMES = st.text("aAbBzZäÄß .-_09", min_size=1, max_size=4).filter(lambda name: name == name.strip())


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(ALIKE), NAMES), unique=True, max_size=14))
def test_everybody_is_shown_his_own_page_by_page_and_nothing_else(world, pairs):
    number = next(EXAMPLES)
    users = {alike: f"{world.user(alike)}-{number}" for alike in ALIKE}
    for user in users.values():
        world.catalog.add_user(user)
    for alike, name in pairs:
        world.service(users[alike], name=name)
    for alike, user in users.items():
        expected = sorted(name for whose, name in pairs if whose == alike)
        assert [each.name for each in world.catalog.services.list_own(user)] == expected
        assert pages(world, user) == expected


def pages(world, user):
    found, after = [], ""
    while page := world.catalog.services.list_own(user, after=after, limit=2):
        found += [each.name for each in page]
        after = found[-1]
    return found


def test_what_is_shared_is_listed_in_exact_order(world):
    owner, other = world.user("owner"), world.user("other")
    names = ["b", "B", "a", "Z", "ä", "a b", "A.b"]
    made = {world.service(owner, name=name, shared=True).id: name for name in names}
    found, after = [], ("", "")
    while page := world.catalog.services.list_shared(other, after=after, limit=3):
        found += [each.name for each in page if each.id in made]
        after = (page[-1].name, page[-1].id)
    assert found == sorted(names)


@pytest.mark.parametrize("user", ["", " ann", "ann ", "a\nb", "x" * 201])
def test_what_cannot_be_told_apart_is_no_user(world, user):
    with pytest.raises(RuleError, match="is not a valid user name"):
        world.catalog.add_user(user)


@pytest.mark.parametrize("name", [" x", "x ", "x\t"])
def test_what_cannot_be_told_apart_is_no_name(world, name):
    with pytest.raises(RuleError, match="name"):
        world.service(world.user("ann"), name=name)
