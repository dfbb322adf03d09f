"""`aeon knowledge search`, and the stored tool that finds the same (platform 16)."""

import pytest
from tests.cli.conversations.test_chat import talk

__all__ = ["talk"]


@pytest.fixture
def said(talk, aeon):
    """The id of a message that was said."""
    _, chat = talk("Noted.")
    chat("The key lies under the blue stone.")
    return aeon("conversation", "tree", "last", "--json").json[0]["id"]


def test_words_find_what_was_said_with_its_message(aeon, said):
    found = aeon("knowledge", "search", "blue", "stone")
    assert found.code == 0
    assert f"message {said[:8]}" in found.out
    assert "    The key lies under the blue stone.\n" in found.out
    passage = aeon("knowledge", "search", "blue stone", "--json").json[0]
    assert passage["source"]["alternativeId"] == said
    assert aeon("knowledge", "search", "blue stone", "--budget", "1", "--json").json == []
    assert "nothing was found" in aeon("knowledge", "search", "submarine").err
    assert aeon("knowledge", "search", "blue stone", "--limit", "51").code == 2
    assert aeon("knowledge", "search", "blue stone", "--user", "ann", "--json").json == []


@pytest.mark.slow
@pytest.mark.server
def test_the_stored_tool_finds_it_for_its_caller_alone(aeon, said):
    """Aeon's own MCP server searches, as the user who calls."""
    aeon("init")
    mine = aeon("tool", "call", "knowledge_search", "--input", "text=blue stone", "--json")
    assert mine.code == 0, mine.err
    assert mine.json["output"]["passages"][0]["source"]["alternativeId"] == said
    hers = aeon("tool", "call", "knowledge_search", "--input", "text=blue stone", "--user", "ann", "--json")
    assert hers.json["output"]["passages"] == []
