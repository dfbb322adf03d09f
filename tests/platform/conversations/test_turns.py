"""The tree of a conversation: appending, editing, switching, answering, forking (platform 11 to 13, 22, 23)."""

import pytest

from aeon.platform.conversations.model import ConversationChange
from aeon.platform.conversations.turns import EndedAnswer
from aeon.platform.errors import ConflictError, NotFoundError, ReferencedError, RuleError, VersionError
from aeon.platform.exports.transfer import export, load
from aeon.platform.ledger import MutationRequest
from aeon.platform.processes.repository import ProcessRepository
from aeon.testing.store.rows import insertion, row_of


def test_a_dialogue_is_a_path_that_ends_at_the_tip(talk):
    conversation = talk.conversation()
    first = talk.say(conversation, "How much flour for 4 guests?")
    talk.answer(first, "500 g")
    talk.answer(talk.say(conversation, "And for 12?"), "1.5 kg")
    assert talk.path(conversation) == ["How much flour for 4 guests?", "500 g", "And for 12?", "1.5 kg"]
    tree = talk.turns.tree(talk.user, conversation.id)
    assert [(each.turn.sequence, each.turn.speaker, each.turn.turn_type) for each in tree] == [
        (1, "user", "message"),
        (2, "agent", "message"),
        (3, "user", "message"),
        (4, "agent", "message"),
    ]


def test_an_edit_is_another_alternative_and_the_first_branch_comes_back_whole_platform_12(talk):
    conversation = talk.conversation()
    first = talk.say(conversation, "one")
    talk.answer(first, "answer to one")
    talk.answer(talk.say(conversation, "two"), "answer to two")
    edited = talk.turns.edit(first.id, "uno", talk.request())
    assert talk.path(conversation) == ["uno"]
    assert talk.turns.count_below(talk.user, first.id) == 3
    talk.answer(edited, "risposta")
    assert talk.path(conversation) == ["uno", "risposta"]
    talk.turns.activate(first.id, talk.request())
    assert talk.path(conversation) == ["one", "answer to one", "two", "answer to two"]
    siblings = talk.turns.list_siblings(talk.user, first.id)
    assert [(each.content, each.is_active) for each in siblings] == [("uno", False), ("one", True)]


def test_choosing_something_deep_switches_every_ancestor_to_the_root_platform_12(talk):
    conversation = talk.conversation()
    first = talk.say(conversation, "a")
    talk.answer(first, "b")
    deep = talk.answer(talk.say(conversation, "c"), "d")
    other = talk.turns.edit(first.id, "A", talk.request())
    talk.answer(other, "B")
    talk.turns.activate(deep.id, talk.request())
    assert talk.path(conversation) == ["a", "b", "c", "d"]
    assert not talk.get(other).is_active


def test_an_answer_to_what_is_not_shown_is_stale_and_made_again_only_when_asked_platform_12(talk):
    conversation = talk.conversation()
    first = talk.say(conversation, "4 guests")
    answer = talk.answer(first, "500 g")
    edited = talk.turns.edit(first.id, "12 guests", talk.request())
    assert talk.get(answer).cache_status == "stale"
    again = talk.turns.regenerate(answer.id, talk.executor, talk.request())
    assert (again.turn.id, again.responds_to_id, again.cache_status) == (answer.turn.id, edited.id, "generating")
    talk.end(again, "1.5 kg")
    assert talk.path(conversation) == ["12 guests", "1.5 kg"]
    assert talk.turns.append(conversation.id, "thanks", talk.request()).responds_to_id == again.id


def test_what_is_answered_again_stays_in_the_turn_that_answers_it_platform_23(talk):
    conversation = talk.conversation()
    first = talk.say(conversation, "a")
    answers = [talk.answer(first) for _ in range(3)]
    assert len({each.turn.id for each in answers}) == 1
    assert [each.sequence for each in answers] == [1, 2, 3]
    messages = [talk.say(conversation, after=answers[0].id) for _ in range(2)]
    assert len({each.turn.id for each in messages}) == 1


def test_only_what_is_complete_or_stopped_is_continued_platform_22(talk):
    conversation = talk.conversation()
    message = talk.say(conversation)
    with pytest.raises(ConflictError, match="no answer yet"):
        talk.say(conversation)
    begun = talk.turns.begin_answer(message.id, talk.executor, talk.request())
    with pytest.raises(ConflictError, match="still being made"):
        talk.say(conversation)
    with pytest.raises(ConflictError, match="Only what is complete"):
        talk.turns.fork(begun.id, None, talk.request())
    assert talk.turns.end_answer(talk.user, begun.id, EndedAnswer(None, "the model is gone"))
    with pytest.raises(ConflictError, match="failed"):
        talk.say(conversation)
    assert talk.get(begun).content is None
    stopped = talk.turns.regenerate(begun.id, talk.executor, talk.request())
    assert talk.end(stopped, "half an ans", is_stopped=True).state == "stopped"
    assert talk.say(conversation, "go on").responds_to_id == stopped.id


def test_an_answer_ends_once(talk):
    begun = talk.turns.begin_answer(talk.say(talk.conversation()).id, talk.executor, talk.request())
    talk.end(begun, "first")
    assert not talk.turns.end_answer(talk.user, begun.id, EndedAnswer("second"))
    assert talk.get(begun).content == "first"


def test_the_process_that_was_chosen_last_is_preferred_and_executed_by_stays_platform_44(talk):
    conversation = talk.conversation()
    other = talk.process("others")
    message = talk.say(conversation)
    one, two = talk.answer(message), talk.answer(message, executor=other)
    assert talk.conversations.get(talk.user, conversation.id).default_process_id == other.process
    assert [talk.get(each).process_id for each in (one, two)] == [talk.executor.process, other.process]
    assert two.process_digest == other.digest


def test_a_fork_knows_its_origin_and_copies_nothing_platform_13(talk):
    conversation = talk.conversation(context_budget=4000)
    answer = talk.answer(talk.say(conversation))
    fork = talk.turns.fork(answer.id, "another try", talk.request())
    assert (fork.forked_from_id, fork.origin_turn_id, fork.origin_alternative_id) == (
        conversation.id,
        answer.turn.id,
        answer.id,
    )
    assert talk.turns.tree(talk.user, fork.id) == []
    first = talk.say(fork)
    assert (first.turn.sequence, first.responds_to_id) == (1, None)
    of_fork = talk.turns.fork(talk.answer(first).id, None, talk.request())
    assert of_fork.forked_from_id == fork.id
    assert [each.id for each in talk.conversations.list_forks(talk.user, conversation.id)] == [fork.id]


def test_a_new_turn_wakes_an_archived_conversation_and_a_switch_does_not(talk):
    conversation = talk.conversation()
    message = talk.say(conversation)
    answer = talk.answer(message)
    archived = ConversationChange(status="archived")
    talk.conversations.change(conversation.id, archived, talk.request())
    talk.turns.activate(message.id, talk.request())
    assert talk.conversations.get(talk.user, conversation.id).status == "archived"
    talk.say(conversation, after=answer.id)
    assert talk.conversations.get(talk.user, conversation.id).status == "active"


def test_the_same_key_says_it_once_platform_20(talk):
    conversation = talk.conversation()
    first = talk.say(conversation, "hello", key="k")
    assert talk.say(conversation, "hello", key="k").id == first.id
    with pytest.raises(ConflictError, match="Idempotency-Key"):
        talk.say(conversation, "another", key="k")
    assert len(talk.turns.tree(talk.user, conversation.id)) == 1


def test_a_mutation_of_another_version_is_told_what_is_there_platform_23(talk):
    conversation = talk.conversation()
    talk.answer(talk.say(conversation, expected=1))
    with pytest.raises(VersionError):
        talk.say(conversation, expected=1)


@pytest.mark.parametrize("content", ["", "  \n", "x" * 1_000_001])
def test_a_message_without_words_or_without_end_is_refused(talk, content):
    with pytest.raises(RuleError):
        talk.turns.append(talk.conversation().id, content, talk.request())


def test_any_other_text_is_kept_as_it_is(talk):
    text = "tab\there, \x1b[31mred, \u202eright, \ud83d lone, zero\u200bwidth"
    said = talk.say(talk.conversation(), text)
    assert said.content == text.replace("\ud83d", "\ufffd")


def test_nothing_of_others_is_seen_or_written(talk):
    conversation = talk.conversation()
    message = talk.say(conversation)
    stranger = MutationRequest(talk.world.user("eve"))
    for attempt in (
        lambda: talk.conversations.get(stranger.user, conversation.id),
        lambda: talk.turns.get(stranger.user, message.id),
        lambda: talk.turns.append(conversation.id, "x", stranger),
        lambda: talk.turns.edit(message.id, "x", stranger),
        lambda: talk.turns.activate(message.id, stranger),
        lambda: talk.turns.begin_answer(message.id, talk.executor, stranger),
        lambda: talk.turns.fork(message.id, None, stranger),
        lambda: talk.conversations.change(conversation.id, ConversationChange(title="x"), stranger),
    ):
        with pytest.raises(NotFoundError):
            attempt()
    assert talk.turns.path(stranger.user, message.id) == []
    assert talk.turns.tree(stranger.user, conversation.id) == []


def test_a_parent_in_another_conversation_is_not_found(talk):
    answer = talk.answer(talk.say(talk.conversation()))
    with pytest.raises(NotFoundError, match="This conversation has no"):
        talk.say(talk.conversation(), after=answer.id)


def test_answers_are_not_edited_and_messages_not_regenerated(talk):
    message = talk.say(talk.conversation())
    answer = talk.answer(message)
    with pytest.raises(RuleError, match="your own messages"):
        talk.turns.edit(answer.id, "x", talk.request())
    with pytest.raises(RuleError, match="Only an answer"):
        talk.turns.regenerate(message.id, talk.executor, talk.request())
    with pytest.raises(RuleError, match="not an answer"):
        talk.turns.begin_answer(answer.id, talk.executor, talk.request())


def test_a_process_that_answered_cannot_be_deleted_and_is_told_by_whom_it_is_used(talk):
    conversation = talk.conversation(title="Pancakes")
    talk.answer(talk.say(conversation))
    talk.answer(talk.say(conversation), executor=talk.process("later"))
    processes = ProcessRepository(talk.store, talk.world.catalog)
    with pytest.raises(ReferencedError, match="still used by Pancakes") as refused:
        processes.remove(talk.executor.process, talk.request())
    assert "Disable it" in refused.value.advice


@pytest.mark.parametrize(
    ("table", "column", "told"),
    [
        ("summaries", "process_id", "Pancakes"),
        ("introspections", "process_id", "note "),
        ("entities", "enriched_by", "Zoë"),
    ],
)
def test_a_process_that_wrote_a_summary_a_note_or_of_an_entity_cannot_be_deleted(talk, table, column, told):
    message = talk.say(talk.conversation(title="Pancakes"))
    process = talk.process("writes").process
    ids = {"id": f"{table} of {talk.user}", "owner_id": talk.user, column: process}
    if table == "summaries":
        ids |= {"conversation_id": message.conversation_id, "last_turn_id": message.turn.id}
        ids |= dict.fromkeys(("first_alternative_id", "last_alternative_id"), message.id)
    row = row_of(table, **ids)
    talk.store.update(lambda unit: unit.write(insertion(table, row), row))
    with pytest.raises(ReferencedError, match=f"still used by {told}") as refused:
        ProcessRepository(talk.store, talk.world.catalog).remove(process, talk.request())
    assert "Disable it" in refused.value.advice


@pytest.mark.slow
def test_a_deep_tree_and_its_forks_are_copied_whole_whatever_their_ids(talk, new_store):
    conversation = talk.conversation()
    for _ in range(12):
        answer = talk.answer(talk.say(conversation))
    for _ in range(12):
        answer = talk.answer(talk.say(talk.turns.fork(answer.id, None, talk.request())))
    first = talk.turns.path(talk.user, answer.id)[0]
    talk.turns.edit(first.id, "another", talk.request())
    exported, copied = list(export(talk.store)), new_store()
    load(copied, exported)
    assert list(export(copied)) == exported
