"""Answers whose makers die, readers elsewhere, and a worker that takes answers up (platform 10, 22)."""

import re
import signal
import threading

import httpx2
import pytest
from tests.cli.platform.conftest import background, until

from aeon.application.project import Project
from aeon.testing.wire_rules import StalledResponse, TextResponse

__all__ = ["background"]

pytestmark = [pytest.mark.server, pytest.mark.slow]

WHOLE = "Flour, eggs, milk and a pinch of salt."


def newest(aeon):
    return aeon("conversation", "show", "last", "--json").json["path"][-1]


def test_a_worker_takes_up_the_answer_of_a_killed_chat_and_writes_it(aeon, double, background):
    server = double(StalledResponse(WHOLE), TextResponse(WHOLE))
    chat = background("chat", "What do pancakes need?")
    until(lambda: len(server.requests) == 1)
    assert newest(aeon)["state"] == "generating"
    assert chat.ends(signal.SIGKILL) == -signal.SIGKILL
    worker = background("serve", "worker")
    worker.says("is adopted")
    until(lambda: newest(aeon)["state"] == "complete")
    assert newest(aeon)["content"] == WHOLE
    assert worker.ends(signal.SIGTERM) == 0


def test_reading_says_that_the_maker_of_an_answer_is_gone_and_changes_nothing(aeon, double, background):
    server = double(StalledResponse(WHOLE))
    chat = background("chat", "What do pancakes need?")
    until(lambda: len(server.requests) == 1)
    made, place = newest(aeon)["id"][:8], newest(aeon)["conversationId"][:8]
    assert "gone" not in aeon("conversation", "show", "last").err
    assert chat.ends(signal.SIGKILL) == -signal.SIGKILL
    for ended in (aeon("conversation", "show", "last"), aeon("conversation", "tree", "last")):
        assert "its maker is gone" in ended.out
        assert "generating" not in ended.out
        told = " ".join(ended.err.split())
        assert f"note: the maker of the answer {made} is gone" in told
        assert f"aeon chat -c {place} or a worker goes on with it; or end it: aeon conversation stop {made}" in told
    assert newest(aeon)["state"] == "generating"
    assert aeon("conversation", "stop", made).code == 0
    assert "gone" not in aeon("conversation", "show", "last").err


def test_a_reader_elsewhere_gets_the_pieces_while_they_are_made_and_the_rest_at_the_end(aeon, double, background):
    """The reader begins when half of the answer is there; it takes the answer up when its maker is killed."""
    server = double(StalledResponse(WHOLE), TextResponse(WHOLE))
    chat = background("chat", "What do pancakes need?")
    until(lambda: len(server.requests) == 1)
    with Project.open() as project:
        conversations = project.conversations
        follower = conversations.follow(conversations.find_alternative("last").id)
        pieces = iter(follower)
        shown = [next(pieces)]
        assert WHOLE.startswith(shown[0])
        assert chat.process.poll() is None
        chat.ends(signal.SIGKILL)
        shown += pieces
        assert ("".join(shown), follower.result.state) == (WHOLE, "complete")


def test_stopping_from_elsewhere_keeps_what_was_written_and_ends_the_run(aeon, double, background):
    server = double(StalledResponse(WHOLE))
    chat = background("chat", "What do pancakes need?")
    until(lambda: len(server.requests) == 1)
    with Project.open() as project:
        conversations = project.conversations
        answer = conversations.find_alternative("last")
        next(iter(conversations.follow(answer.id)))
        stopped = conversations.stop(answer.id)
        assert stopped.state == "stopped"
        assert stopped.content
        assert WHOLE.startswith(stopped.content)
        server.release()
        assert chat.waited() == 1


def test_two_people_who_follow_one_answer_both_get_all_of_it(aeon, double):
    double(TextResponse(WHOLE))
    with Project.open() as project, Project.open() as other:
        asked = project.conversations.ask(None, "What do pancakes need?")
        seen = []
        reader = threading.Thread(target=lambda: seen.append("".join(other.conversations.follow(asked.result.id))))
        reader.start()
        assert "".join(asked) == WHOLE
        reader.join(30)
        assert seen == [WHOLE]


def ask_at(server, aeon):
    """Begin an answer in a new conversation at a server."""
    address = re.search(r"localhost:\d+", server.process.stdout.readline())[0].replace("localhost", "127.0.0.1")
    token = aeon("serve", "token", "create", "program").out.strip()
    headers = {"authorization": f"Bearer {token}"}
    with httpx2.Client(base_url=f"http://{address}/api/v1", headers=headers, trust_env=False) as client:
        place = client.post("/conversations", json={}).json()["id"]
        message = client.post(f"/conversations/{place}/messages", json={"content": "What do pancakes need?"}).json()
        assert client.post(f"/messages/{message['id']}/answers", json={}).status_code == 202


def test_a_server_that_ends_writes_the_answer_that_it_lets_end(aeon, double, background):
    model = double(StalledResponse(WHOLE), TextResponse(WHOLE))
    server = background("serve", "--port", "0")
    server.says("open this link")
    ask_at(server, aeon)
    until(lambda: len(model.requests) == 1)
    server.process.send_signal(signal.SIGTERM)
    server.says("drains: takes no new job or run")
    model.release()
    assert server.waited() == 0
    with Project.open() as project:
        made = project.conversations.find_alternative("last")
    assert (made.state, made.content) == ("complete", WHOLE)


@pytest.mark.parametrize("view", ["show", "tree"])
def test_an_answer_that_nobody_has_written_is_shown_as_its_run_has_made_it(aeon, double, view):
    double(TextResponse(WHOLE))
    with Project.open() as project:
        begun = project.conversations.ask(None, "What do pancakes need?").result
        project.runs.settle(begun.run_id)
        assert project.conversations.alternative(begun.id).state == "generating"
    shown = aeon("conversation", view, "last")
    assert WHOLE in shown.out
    assert "gone" not in shown.out + shown.err
    assert newest(aeon)["state"] == "complete"


def test_an_idle_worker_names_what_a_script_has_begun(aeon, double, background):
    server = double(TextResponse(WHOLE), {"title": "Pancakes"})
    assert aeon("chat", "What do pancakes need?").code == 0
    worker = background("serve", "worker")
    until(lambda: aeon("conversation", "show", "last", "--json").json["title"] == "Pancakes")
    assert len(server.requests) == 2
    assert worker.ends(signal.SIGTERM) == 0
