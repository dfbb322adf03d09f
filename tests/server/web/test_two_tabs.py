"""Two tabs in one conversation: who writes where it has gone on already is told so."""

import re
from contextlib import ExitStack

import pytest
from tests.server.conftest import Site
from tests.server.web.test_things import hidden, post, said

from aeon.testing.llm import ScriptedAdapter

pytestmark = pytest.mark.server


@pytest.fixture
def me(tmp_path, monkeypatch):
    """A signed-in browser, whose model always says the same."""
    monkeypatch.chdir(tmp_path)
    with ExitStack() as closing:
        yield Site(tmp_path, ScriptedAdapter(["The Danube."] * 10), closing).browser("me")


def settled(me, address):
    """The page of a conversation whose last answer is complete."""
    while 'data-state="generating"' in (answer := me.get(address)).text:
        pass
    return answer


def test_the_second_tab_is_told_that_its_message_is_an_alternative(me):
    address = post(me, "/conversations", content="Which river?").headers["location"].partition("?")[0]
    tab = hidden(settled(me, address), "after")
    first = post(me, f"{address}/messages", content="How long is it?", after=tab).headers["location"]
    assert "beside" not in first
    assert "gone on elsewhere" not in said(settled(me, first))
    sent = {"key": "other", "content": "Where does it end?", "after": tab}
    second = me.post(f"{address}/messages", data=sent).headers["location"]
    assert me.post(f"{address}/messages", data=sent).headers["location"] == second, "sent twice, done once"
    page = settled(me, second)
    assert "This conversation had gone on elsewhere, such as in another tab" in said(page)
    other = re.search(r'id="beside">[^<]*<a href="(/messages/[^"]+)"', page.text)[1]
    branch = me.get(me.get(other).headers["location"])
    assert "How long is it?" in said(branch)
    assert "Where does it end?" not in said(branch)
    after = hidden(page, "after")
    third = post(me, f"{address}/messages", content="And its source?", after=after).headers["location"]
    assert "beside" not in third, "the branch goes on as usual"
    german = me.get(second, headers={"accept-language": "de"})
    assert "Den anderen Zweig ansehen" in said(german)


def test_an_address_with_a_message_that_is_not_there_is_not_found(me):
    address = post(me, "/conversations", content="Which river?").headers["location"].partition("?")[0]
    assert me.get(f"{address}?beside=nothing").status_code == 404
