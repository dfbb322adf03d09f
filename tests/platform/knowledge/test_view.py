"""What one user knows, seen from one place: on screen, or on the path to a message (platform 22, 35)."""

import pytest

from aeon.platform.conversations.erasing import ErasureRepository, ErasureTarget
from aeon.platform.episodes.writing import episode_id
from aeon.platform.knowledge.entities import NamedEntityChange
from aeon.platform.knowledge.facts import ON_SCREEN, Viewpoint
from aeon.platform.knowledge.view import KnowledgeViewReader

LINZ, GRAZ = "Tove lives in Linz.", "Tove lives in Graz."


@pytest.fixture
def views(known):
    return KnowledgeViewReader(known.store, known.facts, known.entities)


def texts(view):
    return [each.content for each in view.episodes]


def test_platform_22_only_what_is_on_screen_is_in_the_view(known, views):
    conversation = known.conversation()
    left = known.say(conversation, LINZ)
    known.extract()
    known.turns.edit(left.id, GRAZ, known.request())
    known.extract()
    view = views.read(known.user)
    assert texts(view) == [GRAZ]
    assert [each.text for each in view.facts] == [GRAZ]
    assert {episode for episode, _ in view.mentions} == {view.episodes[0].id}
    known.turns.activate(left.id, known.request())
    assert [each.text for each in views.read(known.user).facts] == [LINZ]


def test_platform_35_a_path_counts_in_place_of_what_is_on_screen(known, views):
    conversation = known.conversation()
    left = known.say(conversation, LINZ)
    known.turns.edit(left.id, GRAZ, known.request())
    (elsewhere,) = known.tell("Ida lives in Wels.")
    place = views.place_of(known.user, episode_id(left.id))
    assert place.viewpoint == Viewpoint(conversation.id, [left.id])
    view = views.read(known.user, place.viewpoint)
    assert texts(view) == [LINZ, elsewhere.content]
    assert {each.text for each in view.facts} == {LINZ, elsewhere.content}


def test_the_newest_messages_before_one_are_those_of_its_path(known, views):
    conversation, said = known.conversation(), []
    for n in range(7):
        said += [message := known.say(conversation, f"message {n}"), known.answer(message)]
    last = known.say(conversation, LINZ)
    known.turns.edit(said[-2].id, "another branch", known.request())
    place = views.place_of(known.user, episode_id(last.id))
    assert place.previous == [episode_id(each.id) for each in said[-10:]]
    assert len(place.viewpoint.path) == 15


def test_a_note_is_seen_with_what_is_on_screen(known, views):
    known.facts.add(LINZ, None, known.request())
    (note,) = views.read(known.user).episodes
    assert (note.source, note.content) == ("note", LINZ)
    assert views.place_of(known.user, note.id) == (ON_SCREEN, ())


def test_a_rejected_fact_is_not_in_the_view(known, views):
    known.tell(LINZ)
    (fact,) = known.about("Tove")
    known.facts.decide(fact.id, "rejected", known.request())
    assert views.read(known.user).facts == []


def changes(known):
    """Everything that changes what a user can see, by its name."""
    message = known.say(known.conversation(), LINZ)
    yield "a message"
    known.extract()
    yield "an extraction"
    known.turns.edit(message.id, GRAZ, known.request())
    yield "another branch"
    known.extract()
    yield "another extraction"
    known.turns.activate(message.id, known.request())
    yield "the branch before"
    known.facts.decide(known.about("Tove")[0].id, "confirmed", known.request())
    yield "a decision"
    known.facts.decide(known.about("Tove")[0].id, "rejected", known.request())
    yield "another decision"
    known.entities.change(known.entities.find(known.user, "Tove").id, NamedEntityChange(name="Ida"), known.request())
    yield "a name"
    known.entities.merge("Ida", "Linz", known.request())
    yield "a merge"
    known.entities.unmerge("Linz", known.request())
    yield "no merge"
    known.facts.forget([known.about("Ida")[0].id], known.request())
    yield "a forgotten fact"
    known.entities.forget(known.entities.find(known.user, "Ida").id, known.request())
    yield "a forgotten name"
    ledger = known.world.catalog.ledger
    erasures = ErasureRepository(known.store, ledger, known.world.catalog.new_id)
    erasures.begin(ErasureTarget(known.user, message.conversation_id, message.id), known.request())
    yield "a forgotten message"


def test_the_stamp_changes_with_every_change_and_is_the_same_without_one(known, views):
    before = views.stamp(known.user)
    for change in changes(known):
        stamp = views.stamp(known.user)
        assert stamp != before, change
        assert views.stamp(known.user) == stamp == views.read(known.user).stamp
        before = stamp


def test_users_of_two_records_are_two_owners(known, views):
    assert views.owner(known.user).endswith(f"/{known.user}")
    assert views.owner(known.user) != views.owner("another")
