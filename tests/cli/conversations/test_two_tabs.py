"""Two processes in one conversation at once: one active alternative of each turn, and both see it (platform 12, 19, 22)."""

import threading

import pytest
from tests.cli.platform.conftest import background, until

from aeon.application.project import Project
from aeon.platform.errors import VersionError
from aeon.testing.wire_rules import TextResponse

__all__ = ["background"]

pytestmark = [pytest.mark.server, pytest.mark.slow, pytest.mark.timeout(300)]

ROUNDS = 10


class Held:
    """A whole answer, sent once the server is released."""

    def __init__(self, text):
        self.text = text

    def play(self, exchange):
        exchange.wait_for_release()
        TextResponse(self.text).play(exchange)


@pytest.fixture(params=["sqlite", "postgresql"])
def record(request, aeon, monkeypatch):
    if request.param == "postgresql":
        monkeypatch.setenv("AEON_STORE_ADDRESS", request.getfixturevalue("postgres_server").create_database())
        assert aeon("store", "migrate").code == 0


@pytest.fixture
def asked(record, aeon, double):
    """`asked(*later)`: what the model answers later; a question is answered, and their alternatives are returned."""

    def begin(*later):
        server = double("First.", *later)
        assert aeon("chat", "Which?", "--no-tools").out == "First.\n"
        return server, *aeon("conversation", "show", "last", "--json").json["path"]

    return begin


def tree(aeon):
    """The alternatives by turn; exactly one of each turn is active."""
    by_turn = {}
    for each in aeon("conversation", "tree", "last", "--json").json:
        by_turn.setdefault(each["turnId"], []).append(each)
    for alternatives in by_turn.values():
        assert sum(each["isActive"] for each in alternatives) == 1
        assert [each["sequence"] for each in alternatives] == list(range(1, len(alternatives) + 1))
    return list(by_turn.values())


def path(aeon):
    return [each["content"] for each in aeon("conversation", "show", "last", "--json").json["path"]]


def test_an_answer_is_regenerated_twice_at_once(asked, aeon, background):
    """Each gets its own answer; the one that was begun last is visible."""
    server, _, answer = asked(Held("Second."), Held("Third."))
    tabs = [background("conversation", "regenerate", answer["id"]) for _ in range(2)]
    until(lambda: len(server.requests) == 3, lambda: tabs[0].err + tabs[1].err)
    server.release()
    assert [each.waited() for each in tabs] == [0, 0]
    assert sorted(each.process.stdout.read() for each in tabs) == ["Second.\n", "Third.\n"]
    _, answers = tree(aeon)
    assert [each["state"] for each in answers] == ["complete"] * 3
    assert path(aeon) == ["Which?", answers[2]["content"]]


def test_a_message_is_edited_while_its_answer_is_being_made(asked, aeon, background):
    """The answer ends on the branch where it began, and is not visible."""
    server, _, answer = asked(Held("Second."), "Blue.")
    tab = background("conversation", "regenerate", answer["id"])
    until(lambda: len(server.requests) == 2, lambda: tab.err)
    edited = aeon("conversation", "edit", answer["respondsTo"], "Which colour?")
    assert (edited.code, edited.out) == (0, "Blue.\n"), edited.err
    server.release()
    assert tab.waited() == 0, tab.err
    assert tab.process.stdout.read() == "Second.\n"
    assert path(aeon) == ["Which colour?", "Blue."]
    assert sorted(each["content"] for turn in tree(aeon) for each in turn) == sorted(
        ["Which?", "Which colour?", "First.", "Second.", "Blue."]
    )


def test_another_answer_is_switched_to_while_one_is_being_made(asked, aeon, background):
    server, _, answer = asked(Held("Second."))
    tab = background("conversation", "regenerate", answer["id"])
    until(lambda: len(server.requests) == 2, lambda: tab.err)
    assert aeon("conversation", "switch", answer["id"]).code == 0
    server.release()
    assert tab.waited() == 0, tab.err
    assert path(aeon) == ["Which?", "First."]
    assert [each["content"] for each in tree(aeon)[1]] == ["First.", "Second."]


def test_a_second_message_waits_for_the_answer_that_another_process_makes(asked, aeon, background):
    server, _, _ = asked(Held("Second."), Held("Third."))
    first = background("chat", "And then?", "-c", "last", "--no-tools")
    until(lambda: len(server.requests) == 2, lambda: first.err)
    second = background("chat", "And at last?", "-c", "last", "--no-tools")
    second.says("is waited for")
    server.release()
    assert (first.waited(), second.waited()) == (0, 0), first.err + second.err
    assert second.process.stdout.read() == "Third.\n"
    assert path(aeon)[2:] == ["And then?", "Second.", "And at last?", "Third."]


def change(conversations, id_, **request):
    conversations.change(id_, {"title": "Another"}, **request)


def say(conversations, id_, **request):
    conversations.say(id_, "Which?", **request)


def edit(conversations, id_, **request):
    conversations.edit(conversations.path(id_)[0].id, "Which one?", **request)


def activate(conversations, id_, **request):
    conversations.activate(conversations.path(id_)[0].id, **request)


def race(act, tabs, id_, expected):
    """Let all act at once; return what became of it, that which was done first."""
    outcomes, barrier = [], threading.Barrier(len(tabs))

    def run(tab):
        barrier.wait()
        try:
            act(tab.conversations, id_, expected_version=expected)
            outcomes.append("done")
        except VersionError as conflict:
            outcomes.append(conflict.message)

    threads = [threading.Thread(target=run, args=(tab,)) for tab in tabs]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return sorted(outcomes, key="done".__ne__)


@pytest.mark.usefixtures("record")
@pytest.mark.parametrize("act", [change, say, edit, activate])
def test_of_two_who_expect_the_same_version_one_gets_a_conflict(act):
    with Project.open() as one, Project.open() as other:
        for number in range(ROUNDS):
            made = one.conversations.create(f"Round {number}")
            if act in (edit, activate):
                one.conversations.say(made.id, "Which?")
            expected = one.conversations.get(made.id).version
            first, second = race(act, (one, other), made.id, expected)
            assert (first, f"now has version {expected + 1}" in second) == ("done", True), second
            assert [tab.conversations.get(made.id).version for tab in (one, other)] == [expected + 1] * 2
