"""`aeon knowledge active`, `pin`, `hide`, `unpin` and `enrich` (platform 17 and 44)."""

import pytest

from aeon.testing.wire_rules import TextResponse

DESCRIBED = (
    '{"summary": "Tove is a carpenter in Linz.", "category": "Person", "domain": "professional", "status": "active", '
    '"sentiment": "neutral"}'
)


@pytest.fixture
def said(aeon, double, monkeypatch):
    """A conversation that mentions Tove and Linz; the server of its model."""
    monkeypatch.setenv("AEON_CONVERSATIONS_TITLES", "false")
    server = double(TextResponse("Nice."), TextResponse("Fish."), TextResponse(DESCRIBED))
    assert aeon("knowledge", "add", "Tove", "--summary", "My sister.").code == 0
    assert aeon("chat", "We saw Tove in Linz.").code == 0
    return server


def test_what_was_just_mentioned_is_active_and_the_next_answer_knows_it_platform_44(aeon, said):
    listed = aeon("knowledge", "active")
    assert listed.cells("NAME", "WHY") == [("Linz", "mentioned"), ("Tove", "mentioned")]
    aeon("chat", "-c", "last", "What should we eat?")
    assert "Tove: My sister." in str(said.requests[-1].body)
    why = aeon("conversation", "why", "last").cells("WHO", "TEXT")
    assert ("recalled", "Tove: My sister.") in why


def test_a_name_is_pinned_hidden_and_neither_again_platform_44(aeon, said):
    pinned = aeon("knowledge", "pin", "Linz", "--in", "last", "--no-facts", "--facets")
    assert "Linz is pinned in conversation" in pinned.err
    shown = aeon("knowledge", "active", "--json").json[0]
    assert (shown["name"], shown["state"], shown["includeFacets"], shown["includeRelationships"]) == (
        *("Linz", "pinned"),
        *(True, False),
    )
    assert aeon("knowledge", "hide", "Tove").code == 0
    assert aeon("knowledge", "active").cells("NAME", "WHY", "ANSWERS MAY KNOW") == [
        ("Linz", "pinned", "what it is, facets"),
        ("Tove", "hidden", "nothing"),
    ]
    aeon("chat", "-c", "last", "What should we eat?")
    assert "My sister" not in str(said.requests[-1].body)
    for name in ("Tove", "Linz", "Linz"):
        assert aeon("knowledge", "unpin", name).code == 0
    assert {each for (each,) in aeon("knowledge", "active").cells("WHY")} == {"mentioned"}
    assert aeon("knowledge", "pin", "Nobody").code == 2
    assert aeon("knowledge", "pin", "Tove", "--in", "nothing").code == 2


def test_oneself_is_no_name_that_is_pinned_changed_or_merged_platform_44(aeon, said):
    aeon("knowledge", "add", "Mexico")
    for argv in (
        ("pin", "me", "--in", "last"),
        ("hide", "Me"),
        ("unpin", "ich"),
        ("set", "me", "--summary", "a baker"),
        ("merge", "Tove", "moi"),
        ("forget", "myself", "--yes"),
        ("add", "me"),
        ("add", "I", "--summary", "a baker"),
        ("add", "The user"),
        ("set", "Mexico", "--name", "Ich"),
    ):
        refused = aeon("knowledge", *argv)
        assert refused.code == 2
        assert "is you yourself, and what is known of you stands under no name" in " ".join(refused.err.split()), argv
    assert aeon("knowledge", "add", "I", "I bake bread.").code == 0
    assert "I bake bread." in aeon("knowledge", "show", "me").out
    assert aeon("knowledge", "show", "Mexico").code == 0, "me is not the beginning of a name"


def test_what_one_says_of_oneself_reaches_the_answer_to_a_question_about_it_platform_16(aeon, said):
    aeon("chat", "I am allergic to nuts.")
    aeon("chat", "What am I allergic to?")
    assert "I am allergic to nuts." in str(said.requests[-1].body)


def test_what_the_user_makes_in_a_conversation_is_active_there_at_once_platform_44(aeon, said):
    assert aeon("knowledge", "add", "Ida", "--summary", "My boss.", "--in", "last").code == 0
    assert aeon("knowledge", "add", "Rune", "Rune sings.", "--in", "last").code == 0
    assert {("Ida", "yours"), ("Rune", "yours")} <= {*aeon("knowledge", "active").cells("NAME", "WHY")}
    aeon("chat", "-c", "last", "What should we eat?")
    assert "Ida: My boss." in str(said.requests[-1].body)
    assert "Rune sings." in str(said.requests[-1].body)


def test_a_name_is_described_from_what_was_said_of_it_platform_17(aeon, said):
    assert "two statements are needed" in aeon("knowledge", "enrich", "Tove").err
    aeon("chat", "Tove is a carpenter.")
    described = aeon("knowledge", "enrich", "Tove")
    assert "Tove, Person" in described.out
    assert "by the model, of 2 messages: Tove is a carpenter in Linz." in described.out
    assert "domain: professional; sentiment: neutral; status: active" in described.out
    assert aeon("knowledge", "set", "Tove", "--facet", "status=away, back", "--facet", "domain=").code == 0
    assert "status: away, back" in aeon("knowledge", "show", "Tove").out
    wrong = aeon("knowledge", "set", "Tove", "--facet", "status")
    assert (wrong.code, "is not a facet" in wrong.err) == (2, True)


def test_a_name_in_an_attached_file_is_known_and_an_unknown_one_says_what_to_do_platform_24_and_44(
    aeon, said, tmp_path
):
    notes = tmp_path / "notes.txt"
    notes.write_text("Ida Berg asks for more time. Rune agrees.\n")
    assert aeon("chat", "What is in it?", "--attach", str(notes)).code == 0
    assert aeon("knowledge", "pin", "Ida Berg").code == 0
    shown = aeon("knowledge", "show", "Ida Berg")
    assert "mentioned in 1 message(s), in an attached file of 1)" in shown.out
    assert "no fact is known of it" in shown.err
    (mention,) = aeon("knowledge", "show", "Ida Berg", "--json").json["mentions"]
    assert (mention["isInFile"], mention["source"]) == (True, "message")
    unknown = aeon("knowledge", "pin", "Rune")
    assert unknown.code == 2
    assert "aeon knowledge add" in unknown.err


def test_a_name_is_not_merged_with_itself_and_the_command_says_what_to_do_platform_37(aeon):
    assert aeon("knowledge", "add", "Tove").code == 0
    refused = aeon("knowledge", "merge", "Tove", "tove")
    assert refused.code == 2
    assert refused.err == "error: 'Tove' cannot be merged with itself.\nnext: Give two names that differ.\n"


def test_the_background_stops_describing_when_told_platform_38(aeon):
    shown = aeon("knowledge", "status", "--enrichment", "off")
    assert "enrichment: off" in shown.out
