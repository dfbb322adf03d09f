"""What a form that was refused leaves behind: its address, an empty editor; and an answer that was stopped."""

import re
import threading
from contextlib import ExitStack

import pytest
from tests.server.conftest import Site
from tests.server.web.test_things import hidden, post, said

from aeon.testing.llm import ScriptedAdapter

pytestmark = pytest.mark.server


def test_the_address_that_a_refused_form_leaves_leads_back(me, own):
    process = own.processes.get("greet").id
    again = me.get(f"/processes/{process}/runs")
    assert (again.status_code, again.headers["location"]) == (303, f"/processes/{process}")
    assert me.get("/processes/nothing/runs").status_code == 404
    assert me.get("/users/change").headers["location"] == "/users"


def test_an_empty_text_is_a_fault_in_the_editor_like_others(me, own):
    process = own.processes.get("greet").id
    edited = me.get(f"/processes/{process}/edit")
    version = hidden(edited, "version")
    for address in ("/processes/new", f"/processes/{process}/edit"):
        for then in ("save", "check"):
            answer = post(me, address, version=version, content="", then=then)
            assert answer.status_code == (422 if then == "save" else 200), address
            assert "Faults: 1 line 1: the text is not a mapping" in said(answer), address
            assert "<textarea" in answer.text
    assert "Faults: 1" in me.post("/processes/check", data={"content": ""}).text
    tool = own.tools.get("mine")
    answer = post(me, f"/tools/{tool.id}/edit", version=str(tool.version), content="")
    assert (answer.status_code, "<textarea" in answer.text) == (422, True)


class SilentModel(ScriptedAdapter):
    """A model that says nothing until it is let go."""

    def __init__(self):
        super().__init__(["Too late."])
        self.has_begun = threading.Event()
        self.goes_on = threading.Event()

    def complete(self, request, on_text=None):
        self.has_begun.set()
        assert self.goes_on.wait(20)
        return super().complete(request)


def test_an_answer_that_was_stopped_before_a_word_says_stopped_and_not_failed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with ExitStack() as closing:
        site = Site(tmp_path, SilentModel(), closing)
        me = site.browser("me")
        begun = post(me, "/conversations", content="What do they need?").headers["location"]
        assert site.model.has_begun.wait(20)
        answer = begun.rpartition("#")[2]
        post(me, f"/messages/{answer}/stop")
        page = me.get(begun)
        site.model.goes_on.set()
    article = page.text.partition(f'<article id="{answer}"')[2]
    assert re.search(r'class="mark warn">([^<]*)<', article)[1] == "stopped"
    assert "Nothing was written before it was stopped." in article
