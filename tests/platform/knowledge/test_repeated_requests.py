"""Changes of knowledge are done once for each key, and only of the version that was read (platform 20, 23, 28)."""

import pytest

from aeon.platform.errors import ConflictError, NotFoundError, VersionError
from aeon.platform.knowledge.entity_forms import NamedEntityChange, NewEntity
from aeon.platform.ledger import MutationRequest, RequestKey


@pytest.fixture
def keyed(known):
    """`keyed(name)`: a request with that key; `keyed(name, 3)` expects that version."""
    return lambda name, expected=None: MutationRequest(known.user, RequestKey(name), expected)


def test_a_repeated_request_gets_the_first_answer_and_changes_nothing_platform_20(known, keyed):
    known.tell("Tove lives in Linz.", "We met Tove Lindberg in Graz.")
    steps = [
        lambda: known.entities.add(NewEntity(name="Ida"), keyed("add")).id,
        lambda: known.entities.add(NewEntity(name="Tove", category="Person"), keyed("found")).id,
        lambda: known.entities.change("Ida", NamedEntityChange(summary="A friend."), keyed("change")).id,
        lambda: known.entities.merge("Tove Lindberg", "Tove", keyed("merge")).id,
        lambda: known.entities.unmerge("Tove Lindberg", keyed("unmerge")).id,
        lambda: known.facts.add("Ida rows.", known.entities.get(known.user, "Ida"), keyed("fact")).id,
    ]
    for step in steps:
        first = step()
        entries = known.world.catalog.ledger.chain_head(known.user)
        assert step() == first
        assert known.world.catalog.ledger.chain_head(known.user) == entries


def test_a_repeated_erasure_is_done_already_and_without_the_key_nothing_is_found_platform_28(known, keyed):
    known.tell("Tove lives in Linz.")
    tove = known.entities.get(known.user, "Tove").id
    known.entities.forget(tove, keyed("forget"))
    request = keyed("forget")
    assert known.entities.forget(tove, request).forgotten_at is not None
    assert request.key.is_replayed
    for change in (
        lambda: known.entities.forget(tove, known.request()),
        lambda: known.entities.get(known.user, tove),
        lambda: known.entities.change(tove, NamedEntityChange(name="Tova"), known.request()),
        lambda: known.entities.merge("Linz", tove, known.request()),
        lambda: known.entities.unmerge(tove, known.request()),
    ):
        with pytest.raises(NotFoundError):
            change()


def test_the_key_of_a_fact_is_for_its_text_and_what_it_is_about_platform_20(known, keyed):
    known.tell("Tove lives in Linz.")
    fact = known.facts.add("She rows.", known.entities.get(known.user, "Tove"), keyed("fact"))
    with pytest.raises(ConflictError, match="another request"):
        known.facts.add("She rows.", known.entities.get(known.user, "Linz"), keyed("fact"))
    known.facts.forget([fact.id], known.request())
    with pytest.raises(NotFoundError):
        known.facts.add("She rows.", known.entities.get(known.user, "Tove"), keyed("fact"))


def test_what_another_version_was_read_of_is_not_changed_platform_23(known, keyed):
    known.tell("Tove lives in Linz.", "We saw Ida in Graz.")
    known.entities.change("Tove", NamedEntityChange(summary="A friend."), keyed("one", 1))
    known.entities.merge("Ida", "Graz", known.request())
    for change in (
        lambda request: known.entities.change("Tove", NamedEntityChange(summary="Another."), request),
        lambda request: known.entities.merge("Tove", "Linz", request),
        lambda request: known.entities.unmerge("Graz", request),
        lambda request: known.entities.forget("Tove", request),
    ):
        with pytest.raises(VersionError):
            change(keyed("old", 7))
    assert known.entities.get(known.user, "Tove").summary == "A friend."
    assert known.entities.get(known.user, "Graz").name == "Ida"
    assert known.entities.get(known.user, "Linz").name == "Linz"


def test_a_fact_is_found_by_its_text_in_any_spelling(known):
    known.tell("Tove lives in Linz.")
    (fact,) = known.facts.list_with_text(known.user, "TOVE lives in linz")
    assert fact.text == "Tove lives in Linz."
    assert known.facts.list_with_text(known.user, "Tove lives in Graz.") == []
    known.facts.forget([fact.id], known.request())
    assert known.facts.list_with_text(known.user, "Tove lives in Linz.") == []
