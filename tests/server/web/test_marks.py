"""The marks of an answer on its page and on that of what it was made from, in the page's language."""

from contextlib import ExitStack

import pytest
from tests.server.conftest import Site
from tests.server.web.test_things import said

from aeon.testing.llm import ScriptedAdapter

pytestmark = pytest.mark.server


def test_the_marks_of_an_answer_are_german_on_a_german_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with ExitStack() as closing:
        site = Site(tmp_path, ScriptedAdapter(["The dice show 4."] * 9), closing)
        service = site.workspaces.of("me").conversations
        asked = service.ask(None, "Roll 2d6 for me, please.").result
        while (made := service.answers.settle(asked.id)).state == "generating":
            pass
        assert made.marks
        me = site.browser("me")
        for path in (f"/conversations/{made.conversation_id}", f"/messages/{made.id}/why"):
            page = said(me.get(path, headers={"accept-language": "de"}))
            assert "doubtful" not in page, path
            assert "zweifelhaft" in page, path
