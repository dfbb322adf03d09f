"""Entities keep every source; the user's words win; merges are marks that are taken back (platform 17, 37)."""

import unicodedata

import pytest

from aeon.platform.errors import ConflictError, NotFoundError, RuleError
from aeon.platform.knowledge.entity_forms import NamedEntityChange, NewEntity
from aeon.platform.memory.recall import names_of


def test_a_found_entity_becomes_the_users_own_and_keeps_its_id_platform_37(known):
    known.tell("Tove lives in Linz.")
    found = known.entities.get(known.user, "tove")
    made = known.entities.add(NewEntity(name="Tove", category="Person", summary="A friend."), known.request())
    assert (made.id, made.category, made.category_by, made.summary) == (found.id, "Person", "user", "A friend.")
    with pytest.raises(ConflictError, match="already"):
        known.entities.add(NewEntity(name="TOVE"), known.request())


def test_a_name_is_found_by_its_beginning_its_id_and_in_any_case(known):
    known.tell("We met Tove Lindberg in Linz.")
    tove = known.entities.get(known.user, "Tove Lindberg")
    for name in ("tove", "TOVE LINDBERG", tove.id, tove.id[:8]):
        assert known.entities.get(known.user, name) == tove
    with pytest.raises(NotFoundError, match="Nothing is known of 'Jonas'"):
        known.entities.get(known.user, "Jonas")
    for near in ("lindberg", "Tove Lindbreg"):
        with pytest.raises(NotFoundError, match=f"Nothing is known of '{near}'. Did you mean 'Tove Lindberg'"):
            known.entities.get(known.user, near)
    known.tell("Tove Berg called.", "We saw Tove Berg.")
    with pytest.raises(NotFoundError, match="Several are known as 'tove': Tove Berg, Tove Lindberg"):
        known.entities.get(known.user, "tove")


def test_merged_entities_are_one_until_the_merge_is_taken_back_platform_37(known):
    known.tell("Tove lives in Linz.", "We met Tove Lindberg in Graz.")
    assert [each.name for each in known.entities.list_similar(known.user, known.entities.find(known.user, "Tove"))] == [
        "Tove Lindberg"
    ]
    kept = known.entities.merge("Tove Lindberg", "Tove", known.request())
    assert known.entities.get(known.user, "Tove") == kept
    assert known.believed("Tove") == {"Tove lives in Linz.", "We met Tove Lindberg in Graz."}
    assert "Tove" not in known.names()
    for pair in [("Tove Lindberg", "Tove"), ("Tove", "Tove Lindberg")]:
        with pytest.raises(ConflictError, match=f"'{pair[0]}' and '{pair[1]}' are one already"):
            known.entities.merge(*pair, known.request())
    known.entities.unmerge("Tove", known.request())
    assert known.believed("Tove Lindberg") == {"We met Tove Lindberg in Graz."}
    with pytest.raises(ConflictError, match="not merged"):
        known.entities.unmerge("Tove", known.request())
    known.entities.merge("Tove", "Tove Lindberg", known.request())
    assert known.entities.get(known.user, "Tove Lindberg").name == "Tove"


def test_a_name_cannot_be_merged_with_itself_under_whatever_spelling(known):
    known.tell("We met Tove Lindberg in Linz.")
    tove = known.entities.get(known.user, "Tove Lindberg")
    for same in ("Tove Lindberg", "tove", tove.id):
        with pytest.raises(RuleError, match="'Tove Lindberg' cannot be merged with itself"):
            known.entities.merge("Tove Lindberg", same, known.request())


def test_the_users_own_entity_is_the_one_that_stays_platform_37(known):
    known.entities.add(NewEntity(name="Tove Lindberg", category="Person"), known.request())
    known.tell("We saw Tovi in Linz.")
    assert known.entities.merge("Tovi", "Tove Lindberg", known.request()).name == "Tove Lindberg"


def test_a_rename_keeps_facts_and_a_taken_name_is_refused(known):
    known.tell("We saw Tovi in Linz.")
    renamed = known.entities.change("Tovi", NamedEntityChange(name="Tove", summary="A friend."), known.request())
    assert (renamed.name, renamed.summary, renamed.version) == ("Tove", "A friend.", 2)
    assert known.believed("Tove") == {"We saw Tovi in Linz."}
    with pytest.raises(ConflictError, match="You have 'Linz' already"):
        known.entities.change("Tove", NamedEntityChange(name="Linz"), known.request())
    with pytest.raises(RuleError, match="no letters or digits"):
        known.entities.change("Tove", NamedEntityChange(name="!?"), known.request())


def test_a_forgotten_entity_keeps_its_id_alone_platform_28(known):
    known.tell("Tove lives in Linz.")
    tove = known.entities.get(known.user, "Tove")
    forgotten = known.entities.forget("Tove", known.request())
    assert (forgotten.id, forgotten.name, forgotten.forgotten_at is not None) == (tove.id, None, True)
    with pytest.raises(NotFoundError):
        known.entities.get(known.user, "Tove")
    assert known.names() == {"Linz"}
    known.tell("Tove is back.", "And so we saw Tove.")
    assert known.entities.get(known.user, "Tove").id != tove.id


def test_mentions_say_where_and_whether_it_is_on_screen_platform_35(known):
    (message,) = known.tell("We saw Tove in Linz.")
    known.turns.edit(message.id, "We saw Ida in Linz.", known.request())
    known.extract()
    (tove,) = known.entities.mentions(known.user, [known.entities.get(known.user, "Tove")])
    assert (tove.source.alternative_id, tove.source.is_visible) == (message.id, False)
    (ida,) = known.entities.mentions(known.user, [known.entities.get(known.user, "Ida")])
    assert ida.source.is_visible


def test_a_renamed_entity_is_still_meant_by_the_name_that_it_had_platform_17(known):
    known.tell("Bob Marsh lives in Hull.")
    bob = known.entities.change("Bob Marsh", NamedEntityChange(summary="my plumber"), known.request())
    known.entities.change(bob.id, NamedEntityChange(name="Robert Marsh"), known.request())
    known.tell("Bob Marsh has a van.")
    robert = known.entities.get(known.user, "Bob Marsh")
    assert (robert.id, robert.name, robert.summary) == (bob.id, "Robert Marsh", "my plumber")
    assert known.believed("Bob Marsh") == {"Bob Marsh lives in Hull.", "Bob Marsh has a van."}
    assert "Bob Marsh" not in known.names()
    assert [each.summary for each in known.entities.list_known(known.user, ["bob marsh"])] == ["my plumber"]


def test_an_entity_gets_a_former_name_back(known):
    bob = known.entities.add(NewEntity(name="Bob Marsh"), known.request())
    for name in ("Robert Marsh", "Rob Marsh", "Bob Marsh"):
        known.entities.change(bob.id, NamedEntityChange(name=name), known.request())
    for name in ("Robert Marsh", "Rob Marsh", "Bob Marsh"):
        assert known.entities.get(known.user, name).name == "Bob Marsh"
    assert {each.name for each in known.entities.list_all(known.user)} == {"Robert Marsh", "Rob Marsh", "Bob Marsh"}


def test_another_spelling_of_a_name_makes_no_second_one_and_a_former_name_can_be_freed(known):
    bob = known.entities.add(NewEntity(name="bob marsh"), known.request())
    known.entities.change(bob.id, NamedEntityChange(name="Bob Marsh"), known.request())
    assert len(known.entities.list_all(known.user)) == 1
    known.entities.change(bob.id, NamedEntityChange(name="Robert Marsh"), known.request())
    assert known.entities.unmerge("Bob Marsh", known.request()).id != bob.id
    assert known.entities.get(known.user, "Bob Marsh").name == "Bob Marsh"


def test_decomposed_and_composed_letters_name_the_same(known):
    decomposed = unicodedata.normalize("NFD", "My friend Zoë Brülé lives in Nîmes.")
    known.tell(decomposed)
    assert known.names() == {"Zoë Brülé", "Nîmes"}
    zoe = known.entities.get(known.user, "Zoë Brülé")
    assert known.entities.get(known.user, unicodedata.normalize("NFD", "Zoë Brülé")) == zoe
    assert names_of(unicodedata.normalize("NFD", "Where does Zoë live?")) == names_of("Where does Zoë live?")
