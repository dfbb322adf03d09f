"""`aeon knowledge notes` and `aeon knowledge summaries`, and what commands about answers show of both."""

import pytest

from aeon.application.project import Project
from aeon.testing.wire_rules import TextResponse


def said(text):
    """A message or an answer of 40 words."""
    return f"{text} {'word ' * 38}"


@pytest.fixture
def long_talk(aeon, double, monkeypatch):
    """A conversation of 12 exchanges with a small budget, which the model has summed up; the server."""
    monkeypatch.setenv("AEON_CONVERSATIONS_TITLES", "false")
    answers = [TextResponse(said(f"Answer {n}."), counts_usage=False) for n in range(12)]
    server = double(*answers, *[TextResponse(f"They decided on Heron {n}.") for n in range(10)], TextResponse("Heron."))
    with Project.open() as project:
        conversations = project.conversations
        place = conversations.create(context_budget=700)
        for n in range(12):
            list(conversations.ask(place.id, said(f"Decision {n} is Heron?"), process="reply_plain"))
        conversations.summaries.finish(place.id, 20)
    return server


def test_summaries_are_listed_shown_repaired_and_deleted(aeon, long_talk):
    listed = aeon("knowledge", "summaries", "list", "last")
    (first, *_) = listed.cells("ID", "LEVEL", "STATE")
    assert first[1:] == ("1", "made by the model")
    shown = aeon("knowledge", "summaries", "show", first[0])
    assert shown.out == "They decided on Heron 0.\n"
    assert "made of messages: " in shown.err
    run = aeon("knowledge", "summaries", "show", first[0], "--json").json["runId"]
    assert f"aeon log show {run}" in " ".join(shown.err.split())
    assert "compress" in aeon("log", "show", run).out
    assert aeon("knowledge", "summaries", "repair", first[0], "They decided on Egret.").code == 0
    again = aeon("knowledge", "summaries", "show", first[0])
    assert again.out == "They decided on Egret.\n"
    assert "before its repair: They decided on Heron 0." in again.err
    assert "add --yes" in aeon("knowledge", "summaries", "delete", first[0]).err
    assert aeon("knowledge", "summaries", "delete", first[0], "--yes").code == 0
    assert aeon("knowledge", "summaries", "list", "last").cells("STATE")[0] == ("deleted",)
    assert "was deleted" in aeon("knowledge", "summaries", "repair", first[0], "x").err
    assert aeon("knowledge", "summaries", "show", "nothing").code == 2


def test_memory_and_why_show_summaries_and_notes(aeon, long_talk):
    assert aeon("knowledge", "notes", "enable").code == 0
    aeon("knowledge", "notes", "add", "I build Heron.")
    last = aeon("conversation", "show", "last", "--json").json["path"][-2]["id"]
    shown = aeon("conversation", "memory", last)
    rows = shown.cells("WHO", "TEXT")
    assert rows[1] == ("note", "I build Heron.")
    assert rows[2][0].startswith("summary 1 of ")
    assert rows[2][1] == "They decided on Heron 0."
    assert "left out" not in shown.err
    (summary, *_) = aeon("knowledge", "summaries", "list", "last").cells("ID")
    with Project.open() as project:
        conversations = project.conversations
        answer = conversations.ask(conversations.find("last").id, "What is it?", process="reply_plain")
        assert "".join(answer)
    why = aeon("conversation", "why", "last")
    assert ("note", "I build Heron.") in why.cells("WHO", "TEXT")
    assert any(who.startswith("summary 1 of ") for who, _ in why.cells("WHO", "TEXT"))
    assert summary[0] in [cell for (cell,) in why.cells("ID")]
    prompt = aeon("conversation", "why", "last", "--prompt").out
    assert "<<<notes\n- I build Heron.\n>>>notes" in prompt
    assert "<<<summary\nThey decided on Heron 0." in prompt
    aeon("conversation", "forget", "last", "--yes")
    assert "something that it was made from was erased" in aeon("conversation", "why", answer.result.id).err


def test_summaries_can_be_switched_off(aeon, long_talk):
    assert "no longer summed up" in aeon("knowledge", "summaries", "disable").err
    assert "summaries enable" in " ".join(aeon("knowledge", "summaries", "list", "last").err.split())
    with Project.open() as project:
        conversations = project.conversations
        place = conversations.find("last")
        assert conversations.summaries.begin(place.id) is None
    assert "are summed up" in aeon("knowledge", "summaries", "enable").err


def test_notes_are_added_listed_deleted_and_kept_in_the_history(aeon):
    listed = aeon("knowledge", "notes", "list")
    assert "add one with: aeon knowledge notes add TEXT" in listed.err
    assert "aeon knowledge notes enable" in listed.err
    assert "position 0" in aeon("knowledge", "notes", "add", "I am a vegetarian.").err
    assert aeon("knowledge", "notes", "add", "Answer in French.", "--position", "0").code == 1
    assert "position 1" in aeon("knowledge", "notes", "add", "Answer in French.").err
    assert aeon("knowledge", "notes", "list").cells("POSITION", "BY", "NOTE") == [
        ("0", "you", "I am a vegetarian."),
        ("1", "you", "Answer in French."),
    ]
    assert aeon("knowledge", "notes", "delete", "0", "--yes").code == 0
    assert aeon("knowledge", "notes", "list").cells("POSITION", "NOTE") == [("0", "Answer in French.")]
    history = aeon("knowledge", "notes", "history")
    assert [row[1] for row in history.cells("UNTIL", "NOTE")] == ["I am a vegetarian.", "Answer in French."]
    assert history.cells("UNTIL")[1] == ("in use",)
    assert aeon("knowledge", "notes", "delete", "7", "--yes").code == 2
    assert "note" in aeon("knowledge", "notes", "disable").err


def test_a_sentence_is_not_written_down_as_a_name(aeon):
    wrong = aeon("knowledge", "add", "Mara Lindqvist lives in Bergen.")
    assert wrong.code == 2
    assert "is a fact, not a name" in wrong.err
    assert "aeon knowledge add NAME FACT" in " ".join(wrong.err.split())
    for name in ("Dr. Mara Lindqvist", "The Walt Disney Co.", "Who Framed Roger Rabbit?"):
        assert aeon("knowledge", "add", name).code == 0
