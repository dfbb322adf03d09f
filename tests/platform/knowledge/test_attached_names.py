"""Names in attached files are known by their messages; what a file says is not a statement (platform 24, 28, 35, 36)."""

import pytest
from tests.platform.conversations.test_attachments import text_file

from aeon.platform.conversations.attachments import NewAttachment
from aeon.platform.conversations.erasing import ErasureRepository, ErasureTarget
from aeon.platform.episodes.writing import episode_id
from aeon.platform.knowledge.attached_names import MAX_CHARACTERS, MAX_NAMES, find_attached_names
from aeon.platform.knowledge.extraction import ExtractionResult
from aeon.platform.knowledge.facts import FoundFact

NOTES = "Attendees: Ida Berg, Jonas Weber\n\n- Budget: Ida Berg asks for 4000 EUR.\n- Tove lives in Linz.\n"


def notes(text=NOTES, name="notes.txt", media_type="text/plain"):
    return text_file(text, name, media_type)


def attach(known, *files, text="Please read this.", conversation=None):
    place = conversation or known.conversation()
    said = known.turns.append(place.id, text, known.request(), attachments=files)
    known.extract()
    return said


def mentions(known, name):
    found = known.entities.mentions(known.user, [known.entities.get(known.user, name)])
    return [(each.source.alternative_id, each.is_in_file, each.source.is_visible) for each in found]


def test_a_name_of_several_words_is_known_with_the_message_as_its_source(known):
    said = attach(known, notes())
    assert known.names() == {"Ida Berg", "Jonas Weber"}, "single words are headings as often as names"
    assert mentions(known, "Ida Berg") == [(said.id, True, True)]


def test_a_file_states_nothing_platform_36(known):
    attach(known, notes("Ida Berg lives in Linz. I am allergic to nuts."))
    assert known.about("Ida Berg") == []
    assert known.facts.list_own(known.user) == []
    entity = known.entities.get(known.user, "Ida Berg")
    assert known.descriptions.material(known.user, entity) is None


def test_a_name_in_a_file_does_not_stand_beside_what_the_message_names_platform_17(known):
    attach(known, notes(), text="Tove lives in Linz. Tove works for Kendra.")
    material = known.descriptions.material(known.user, known.entities.get(known.user, "Tove"))
    assert {*material.neighbours} == {"Linz", "Kendra"}


def test_a_single_word_is_mentioned_if_the_user_knows_it(known):
    known.tell("Tove lives in Linz.")
    said = attach(known, notes())
    assert (said.id, True, True) in mentions(known, "Tove")


def test_what_the_message_names_itself_is_its_own_mention(known):
    said = attach(known, notes(), text="We met Ida Berg.")
    assert mentions(known, "Ida Berg") == [(said.id, False, True)]


def test_names_of_a_file_are_active_in_the_conversation_platform_44(known):
    place = known.conversation()
    said = attach(known, notes(), conversation=place)
    found = known.active.list_on(known.user, [place.id], [said.id])
    assert [each.entity.name for each in found] == ["Ida Berg", "Jonas Weber"]


def test_the_branch_on_screen_decides_platform_35(known):
    said = attach(known, notes())
    kept = known.turns.edit(said.id, "And now?", known.request())
    other = known.turns.edit(
        said.id, "And now?", known.request(), [notes("We met Rune Dahl.", "other.md", "text/markdown")]
    )
    known.extract()
    assert mentions(known, "Rune Dahl") == [(other.id, True, True)]
    assert {each[2] for each in mentions(known, "Ida Berg")} == {False}
    known.turns.activate(kept.id, known.request())
    assert sorted(mentions(known, "Ida Berg")) == sorted([(said.id, True, False), (kept.id, True, True)])


def test_forgetting_the_message_erases_the_names_of_its_files_platform_28(known):
    attach(known, notes("We met Jonas Weber."))
    said = attach(known, notes())
    erasures = ErasureRepository(known.store, known.world.catalog.ledger, known.world.catalog.new_id)
    erasures.begin(ErasureTarget(known.user, said.conversation_id, said.id), known.request())
    assert known.names() == {"Jonas Weber"}
    rows = known.store.read("SELECT name FROM mentions WHERE episode_id = :id", {"id": episode_id(said.id)})
    assert rows == []


@pytest.mark.parametrize(
    "file",
    [
        notes("name,city\nIda Berg,Linz\n", "people.csv", "text/csv"),
        notes('{"name": "Ida Berg"}', "people.json", "application/json"),
        notes("class Ida Berg: pass", "people.py"),
        NewAttachment("dot.png", "image/png", b"\x89PNG\r\n\x1a\nIda Berg", None),
    ],
    ids=["table", "data", "source", "image"],
)
def test_only_prose_is_read(known, file):
    attach(known, file)
    assert known.names() == set()


def test_the_text_of_a_pdf_is_read(known):
    attach(known, NewAttachment("a.pdf", "application/pdf", b"%PDF-1.7 ...", "We met Ida Berg.\fThe end."))
    assert known.names() == {"Ida Berg"}


def test_only_the_beginning_of_a_file_is_read_in_whole_sentences(known):
    filler = "\u00fc\U0001f9e1 and so on. " * MAX_CHARACTERS
    attach(known, notes(f"We met Ida Berg. {filler} We met Jonas Weber."))
    assert known.names() == {"Ida Berg"}
    long = "x" * (MAX_CHARACTERS - 30)
    attach(known, notes(f"{long}. We met Rune Dahl and Kaja Lindqvist."))
    assert known.names() == {"Ida Berg"}, "a sentence that does not fit is left out"


def test_there_are_not_more_names_than_a_message_may_have():
    letters = "abcdefghijklmnopqrstuvwxyz"
    text = " ".join(f"We met Ida B{each}rg." for each in letters)
    assert len(find_attached_names([text, text], {})) == MAX_NAMES


def test_whoever_reads_the_message_the_names_of_its_files_are_found(known):
    known.turns.append(known.conversation().id, "Tove rows.", known.request(), attachments=[notes()])
    (waiting,) = known.queue.list_waiting(known.user)
    known.queue.finish(known.user, waiting, ExtractionResult(["Tove"], [FoundFact("Tove rows.", "tove")], "model"))
    assert known.names() == {"Tove", "Ida Berg", "Jonas Weber"}


def test_a_file_does_not_say_how_the_user_writes_words(known):
    attach(known, notes("We saw the Castle there. It is the Castle of Ida Berg."))
    assert known.queue.word_cases(known.user, ["castle"]).get("castle", (0, 0))[0] == 0


def test_another_user_does_not_know_the_names_of_a_file_platform_2(known):
    attach(known, notes())
    bob = known.world.user("bob")
    assert known.entities.list_most_mentioned(bob) == []
