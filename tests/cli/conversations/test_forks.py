"""Forks: what they continue from is seen in the chat, in `show` and in exports, also before they have a message."""

import pytest

from aeon.application.project import Project
from aeon.base.errors import InputError


@pytest.fixture
def forked(aeon):
    """A conversation with one message, and its fork, which has none and is the last conversation; their ids."""
    with Project.open() as project:
        service = project.conversations
        made = service.create("Rivers")
        message = service.say(made.id, "Which river flows through Vienna?")
        return made.id, service.fork(message.id).id


def test_the_chat_shows_what_a_fork_continues_from(forked, slash):
    origin, fork = forked
    for line in ("/show", f"/open {fork}"):
        shown = slash(line)
        assert "before the fork: you: Which river flows through Vienna?" in shown
        assert "the fork has no message of its own yet" in shown
    slash(f"/open {origin}")
    assert "now in its fork" in slash("/fork 1")
    assert "before the fork: you: Which river" in slash("/show")


@pytest.mark.parametrize(
    "line", ["/regenerate", "/edit", "/edit 1 x", "/alternatives", "/why", "/retry", "/stop", "/fork"]
)
def test_what_needs_a_message_says_what_the_fork_continues_from(forked, slash, line):
    origin, _ = forked
    with pytest.raises(InputError) as refused:
        slash(line)
    said = f"The fork has no message of its own yet; it continues from message 1 of {origin[:8]}."
    assert str(refused.value) == f"{said} Write a message, or go back with /open {origin[:8]}."


def test_show_says_that_a_fork_has_no_message_of_its_own_yet(forked, aeon):
    shown = aeon("conversation", "show", forked[1])
    assert "before the fork: you: Which river flows through Vienna?" in shown.err
    assert "the fork has no message of its own yet" in shown.err


def test_markdown_of_a_fork_has_what_it_continues_from_under_a_heading(forked, aeon):
    def lines():
        text = aeon("conversation", "export", forked[1], "--format", "markdown").out
        return [line.partition(" · ")[0] for line in text.splitlines() if line[:1] in {"#", ">"} or "own yet" in line]

    before = ["## What it continues from", "### User", "> Which river flows through Vienna?", "## The fork"]
    assert lines()[1:] == [*before, "It has no message of its own yet."]
    with Project.open() as project:
        project.conversations.say(forked[1], "And through Cologne?")
    assert lines()[1:] == [*before, "### [1] User", "> And through Cologne?"]
