"""Search in conversations, in both stores: what is found, by whom, where, and after whatever happens (platform 26)."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from aeon.platform.conversations.model import ConversationChange
from aeon.platform.exports.transfer import copy
from aeon.platform.search.message_index import DocumentPlace, remove_document
from aeon.platform.search.message_postings import SEGMENT
from aeon.platform.search.message_words import message_words
from aeon.platform.search.messages import MessageFilter, MessageSearch
from aeon.platform.store import DuplicateError
from aeon.testing.records import new_record

from .conftest import Talk

TEXTS = st.text(st.characters(), max_size=80)

ROWS = """
SELECT (SELECT count(*) FROM search_message_documents WHERE owner_id = :user)
     + (SELECT count(*) FROM search_message_words WHERE owner_id = :user)
     + (SELECT count(*) FROM search_message_terms WHERE owner_id = :user) AS n
"""
FORGET = "UPDATE alternatives SET content = NULL, forgotten_at = 'now' WHERE id = :id"


class Searching:
    """A user's conversations, and the search in them."""

    def __init__(self, talk):
        self.talk = talk
        self.index = MessageSearch(talk.store)

    def hits(self, text, limit=20, user=None, **only):
        return self.index.search(user or self.talk.user, text, MessageFilter(**only), limit)

    def ids(self, text, **only):
        return [hit.id for hit in self.hits(text, **only)]

    def fill(self, count, text="filling"):
        conversation = self.talk.conversation()
        message = self.talk.say(conversation, f"{text} 0")
        for n in range(1, count):
            self.talk.turns.edit(message.id, f"{text} {n}", self.talk.request())


@pytest.fixture
def searching(talk):
    return Searching(talk)


def test_titles_messages_and_answers_are_found(talk, searching):
    conversation = talk.conversation(title="Baking for guests")
    message = talk.say(conversation, "How much flour for 4 guests?")
    answer = talk.answer(message, "500 g of flour.")
    assert searching.ids("Flour") == [answer.id, message.id]
    assert set(searching.ids("guests")) == {conversation.id, message.id}
    title, hit = searching.hits("baking")[0], searching.hits("GUESTS?", conversation=conversation.id)[-1]
    assert (title.alternative_id, title.speaker, title.is_on_path) == (None, None, True)
    assert (hit.speaker, hit.title, hit.conversation_id) == ("user", "Baking for guests", conversation.id)
    assert [hit.snippet.text[start:end] for start, end in hit.snippet.marks] == ["guests"]


@pytest.mark.parametrize(
    ("text", "queries"),
    [
        ("Die Straße in Köln ist schön", ["KÖLN", "koln", "strasse", "STRASSE", "scho"]),
        ("The children's toys; e-mail", ["child", "CHILDREN", "toys", "mail"]),
        ("明日の東京都の天気", ["東京", "東京都", "天気", "京", "の"]),
        ("ＡＢＣ用のケース🍎", ["abc", "ケース", "用"]),
    ],
)
def test_texts_are_found_in_german_english_and_japanese(talk, searching, text, queries):
    message = talk.say(talk.conversation(), text)
    for query in queries:
        assert searching.ids(query) == [message.id], query
    assert searching.ids("京城") == searching.ids("nothing") == []


@settings(deadline=None, max_examples=40, suppress_health_check=list(HealthCheck))
@given(TEXTS)
@example("a" * 200)
@example("İı ǅ ﬁ ß ẞ \u0345 e\u0301\u200b")
def test_a_message_is_found_by_each_of_its_words(searching, text):
    talk = searching.talk
    conversation = talk.conversation()
    message = talk.say(conversation, f"{text}.")
    for word in set(message_words(message.content)):
        (hit,) = searching.hits(word, conversation=conversation.id)
        assert hit.id == message.id
        assert hit.snippet.marks


@settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
@given(st.text())
@example('"unclosed')
@example("a AND NOT (b OR *) NEAR/3 c:d ^e -f 'g' %_ \\")
@example("\0 x \ud83d \x1b[31m '; DROP TABLE search_message_terms; --")
@example("x" * 100_000)
def test_any_text_is_a_query(searching, text):
    if not searching.hits("lighthouse"):
        searching.talk.say(searching.talk.conversation(), "a lighthouse")
    assert isinstance(searching.hits(text), list)


def test_nothing_of_others_is_found(talk, searching):
    talk.say(talk.conversation(title="a secret title"), "a secret message")
    eve = talk.world.user("eve")
    assert searching.hits("secret", user=eve) == searching.hits("secret", user="nobody at all") == []
    assert len(searching.hits("secret")) == 2


def test_what_is_off_the_path_is_found_and_said_and_nothing_is_switched(talk, searching):
    conversation = talk.conversation()
    first = talk.say(conversation, "walnut one")
    below = talk.answer(first, "walnut below")
    second = talk.turns.edit(first.id, "walnut two", talk.request())
    assert {hit.id: hit.is_on_path for hit in searching.hits("walnut")} == {
        first.id: False,
        below.id: False,
        second.id: True,
    }
    assert searching.ids("walnut", on_path=True) == [second.id]
    assert set(searching.ids("walnut", on_path=False)) == {first.id, below.id}
    path = talk.turns.path(talk.user, below.id)
    assert [each.id for each in path] == [first.id, below.id]
    assert talk.path(conversation) == ["walnut two"]
    talk.turns.activate(below.id, talk.request())
    assert set(searching.ids("walnut", on_path=True)) == {first.id, below.id}


def test_filters_let_through_what_they_say(talk, searching):
    old = talk.say(talk.conversation(tags=["work", 'a"b']), "pumpkin")
    later = talk.world.catalog.ledger.now()
    new = talk.say(talk.conversation(tags=["a"]), "pumpkin")
    talk.conversations.change(new.conversation_id, ConversationChange(status="archived"), talk.request())
    assert searching.ids("pumpkin") == [new.id, old.id]
    assert searching.ids("pumpkin", since=later) == searching.ids("pumpkin", status="archived") == [new.id]
    assert searching.ids("pumpkin", until=later) == searching.ids("pumpkin", status="active") == [old.id]
    assert searching.ids("pumpkin", tag="work") == searching.ids("pumpkin", tag='a"b') == [old.id]
    assert searching.ids("pumpkin", tag="a") == searching.ids("pumpkin", conversation=new.conversation_id) == [new.id]
    assert searching.ids("pumpkin", tag="b") == searching.ids("pumpkin", tag='"') == []
    assert searching.ids("pumpkin", tag="work", since=later) == []


def test_a_title_is_found_as_it_is_now_whoever_gave_it(talk, searching):
    conversation = talk.conversation()
    talk.say(conversation, "hello")
    assert talk.conversations.suggest_title(talk.user, conversation.id, "a zeppelin")
    assert not talk.conversations.suggest_title(talk.user, conversation.id, "a balloon")
    assert (searching.ids("zeppelin"), searching.ids("balloon")) == ([conversation.id], [])
    for title in ("an airship", "an airship", None):
        talk.conversations.change(conversation.id, ConversationChange(title=title), talk.request())
        assert (searching.ids("zeppelin"), searching.ids("airship")) == ([], [conversation.id] if title else [])


def test_what_waits_and_what_is_in_a_segment_is_found_alike(talk, searching):
    conversation = talk.conversation(title="a marmot")
    message = talk.say(conversation, "marmots and a marmot")
    before = searching.hits("marmot")
    assert {hit.id for hit in before} == {message.id, conversation.id}
    searching.fill(SEGMENT)
    assert talk.store.read("SELECT count(*) AS n FROM search_message_terms WHERE term = 'marmot'")[0]["n"] >= 1
    after = searching.hits("marmot")
    assert [hit._replace(score=0) for hit in after] == [hit._replace(score=0) for hit in before]
    talk.conversations.change(conversation.id, ConversationChange(title="a badger"), talk.request())
    assert searching.ids("marmot") == [message.id]
    assert searching.ids("badger") == [conversation.id]
    assert len(searching.hits("filling", limit=200)) == SEGMENT


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM search_message_indexes WHERE owner_id = :user",
        "DELETE FROM search_message_terms WHERE owner_id = :user",
        "DELETE FROM search_message_documents WHERE owner_id = :user",
        "DELETE FROM search_message_words WHERE owner_id = :user",
        "UPDATE search_message_terms SET postings = 'x' WHERE owner_id = :user",
        "UPDATE search_message_indexes SET form = form + 1 WHERE owner_id = :user",
        "UPDATE search_message_words SET words = 'x' WHERE owner_id = :user",
    ],
)
def test_an_index_that_was_deleted_or_damaged_is_built_again(talk, searching, damage):
    searching.fill(SEGMENT + 5, "otter")
    before = searching.hits("otter 7")
    talk.store.update(lambda unit: unit.write(damage, {"user": talk.user}))
    assert searching.hits("otter 7") == before
    assert searching.hits("otter 7") == before
    message = talk.say(talk.conversation(), "otter again")
    assert message.id in searching.ids("otter", limit=200)


def test_a_text_that_was_written_past_the_index_is_found(talk, searching):
    begun = talk.turns.begin_answer(talk.say(talk.conversation()).id, talk.executor, talk.request())
    talk.store.update(
        lambda unit: unit.write(
            "UPDATE alternatives SET content = 'a walrus', state = 'complete', ended_at = 'now' WHERE id = :id",
            {"id": begun.id},
        )
    )
    assert searching.ids("walrus") == [begun.id]


@pytest.mark.parametrize("closes", [False, True])
def test_a_forgotten_text_leaves_nothing_in_the_index_platform_28(talk, searching, closes):
    message = talk.say(talk.conversation(), "xylophone, xylophone and zither")
    other = talk.say(talk.conversation(), "zither")
    if closes:
        searching.fill(SEGMENT)

    def forget(unit):
        unit.write(FORGET, {"id": message.id})
        remove_document(unit, talk.user, DocumentPlace(message.conversation_id, message.id), message.content)

    talk.store.update(forget)
    of_user = {"user": talk.user}
    terms = talk.store.read(
        "SELECT term FROM search_message_terms WHERE owner_id = :user AND term = 'xylophone'", of_user
    )
    words = talk.store.read("SELECT words FROM search_message_words WHERE owner_id = :user", of_user)
    assert terms == [row for row in words if "xylophone" in row["words"]] == []
    (state,) = talk.store.read("SELECT behind FROM search_message_indexes WHERE owner_id = :user", of_user)
    assert state == {"behind": 0}
    assert searching.ids("xylophone zither") == [other.id]
    before = searching.hits("zither filling")
    searching.index.rebuild(talk.user)
    assert searching.hits("zither filling") == before


def test_what_was_forgotten_past_the_index_is_not_found(talk, searching):
    message = talk.say(talk.conversation(), "a gazebo")
    assert searching.ids("gazebo") == [message.id]
    talk.store.update(lambda unit: unit.write(FORGET, {"id": message.id}))
    assert searching.ids("gazebo") == []


def test_a_message_whose_index_cannot_be_written_is_not_there(talk, searching):
    conversation = talk.conversation()
    talk.answer(talk.say(conversation, "first"))
    there = "INSERT INTO search_message_documents VALUES (:user, 3, 'another', 'another')"
    talk.store.update(lambda unit: unit.write(there, {"user": talk.user}))
    with pytest.raises(DuplicateError):
        talk.say(conversation, "second")
    assert len(talk.path(conversation)) == 2
    assert searching.ids("first second", on_path=True) == [talk.turns.tree(talk.user, conversation.id)[0].id]


def test_writers_at_once_leave_the_index_whole(talk, searching):
    """Messages, answers and titles of one user, in conversations of their own and in a common one."""
    common = talk.conversation()
    talk.answer(talk.say(common, "plover"))

    def write(number):
        own = talk.conversation(title=f"plovers {number}")
        for n in range(12):
            talk.answer(talk.say(own, f"plover {number} {n}"), f"plover answer {number} {n}")
            talk.turns.edit(talk.turns.tree(talk.user, common.id)[0].id, f"plover {number} {n}", talk.request())
            talk.conversations.change(own.id, ConversationChange(title=f"plovers {number} {n}"), talk.request())

    with ThreadPoolExecutor(4) as writers:
        list(writers.map(write, range(4)))
    (state,) = talk.store.read("SELECT behind FROM search_message_indexes WHERE owner_id = :user", {"user": talk.user})
    assert state == {"behind": 0}
    before = searching.hits("plover", limit=1000)
    assert len(before) == 4 * (12 * 3 + 1) + 1
    searching.index.rebuild(talk.user)
    assert searching.hits("plover", limit=1000) == before


def everything(search, user):
    return [search.search(user, query, limit=100) for query in ("osprey", "ospreys 3", "東京", "nest osp")]


def test_a_copy_in_another_store_finds_the_same(new_store, tmp_path):
    """Also from SQLite to PostgreSQL, where that is the store under test."""
    source, target = new_record(tmp_path), new_store()
    talk = Talk(source)
    talk.conversation(title="ospreys")
    message = talk.say(talk.conversation(), "an osprey in 東京")
    for n in range(SEGMENT):
        talk.turns.edit(message.id, f"osprey {n} 東京都" if n % 3 else f"{n} nests of ospreys", talk.request())
    talk.say(talk.conversation(), "an osprey")
    talk.answer(message, "no osprey")
    before = everything(MessageSearch(source), talk.user)
    assert [bool(hits) for hits in before] == [True] * 4
    copy(source, target)
    assert everything(MessageSearch(target), talk.user) == before
    assert MessageSearch(target).rebuild(talk.user) == SEGMENT + 4
    assert everything(MessageSearch(target), talk.user) == before
    source.close()
