"""The page of all branches: what follows a message stands below it, before the next alternative."""

import re
from contextlib import ExitStack
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.server.conftest import Site
from tests.server.web.test_things import said

from aeon.server.web.tree import depth_first
from aeon.testing.llm import ScriptedAdapter

ANSWER = "The Danube."


@pytest.fixture
def served(tmp_path, monkeypatch):
    """A project whose model always says the same."""
    monkeypatch.chdir(tmp_path)
    with ExitStack() as closing:
        yield Site(tmp_path, ScriptedAdapter([ANSWER] * 20), closing)


def answered(service, answer):
    while (made := service.answers.settle(answer.result.id)).state == "generating":
        pass
    return made


@pytest.mark.server
def test_each_message_stands_below_what_it_responds_to(served):
    service = served.workspaces.of("me").conversations
    conversation = answered(service, service.ask(None, "Which river?")).conversation_id
    second = service.say(conversation, "Which sea?")
    answered(service, service.reply(second.id))
    answered(service, service.reply(service.say(conversation, "Which mountain?").id))
    answered(service, service.reply(service.edit(second.id, "Which lake?").id))
    page = served.browser("me").get(f"/conversations/{conversation}/tree")
    lines = re.findall(r'<li class="depth(\d+)".*?href="/messages/[^"]*" dir="auto">([^<]*)', page.text, re.DOTALL)
    assert lines == [
        ("1", "Which river?"),
        ("1", ANSWER),
        ("2", "Which sea?"),
        ("2", ANSWER),
        ("2", "Which mountain?"),
        ("2", ANSWER),
        ("2", "Which lake?"),
        ("2", ANSWER),
    ]
    assert "alternative 1 You Which sea?" in said(page)
    assert "alternative 2 You Which lake?" in said(page)


@given(st.lists(st.integers(0, 10**6), max_size=30), st.integers(0, 30))
def test_every_line_is_shown_once_directly_below_its_own_branch(choices, hidden):
    """`choices` are the parents of a random tree, of which a window does not have the first ones."""
    parents = [None, *(choice % place for place, choice in enumerate(choices, 1))]
    window = [SimpleNamespace(id=place, responds_to_id=parent) for place, parent in enumerate(parents)][hidden:]
    lines = list(depth_first(window))
    assert sorted(line.made.id for line in lines) == [each.id for each in window]
    branch = []
    for line in lines:
        parent = line.made.responds_to_id
        is_shown = parent is not None and parent >= hidden
        assert line.continues == (None if is_shown else parent)
        while branch and branch[-1] != parent:
            branch.pop()
        assert bool(branch) == is_shown
        branch.append(line.made.id)
