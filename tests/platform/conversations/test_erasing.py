"""Erasing in the record, in both stores: what goes with a text, what stays, and who may (platform 28)."""

import pytest
from tests.platform.conversations.traces import places_of

from aeon.base.json import canonical_json
from aeon.platform.conversations import queries
from aeon.platform.conversations.attachments import AttachmentRepository, NewAttachment
from aeon.platform.conversations.erasing import ErasureTarget
from aeon.platform.conversations.model import NewConversation
from aeon.platform.conversations.turns import EndedAnswer
from aeon.platform.errors import ConflictError, NotFoundError, RuleError
from aeon.platform.ledger import MutationRequest
from aeon.platform.search.messages import MessageSearch
from aeon.platform.store import InvariantError
from aeon.testing.store.rows import insertion, row_of


def manifest(talk, answer, entries, **copies):
    """Keep a manifest of an answer with these entries, with what it copies."""
    listed = [{"alternative": each.id, "tokens": 1} for each in entries]
    text = canonical_json({"entries": listed, "system": {"text": "Answer.", "tokens": 1}, **copies})
    add_manifest(talk, answer, text)


def add_manifest(talk, answer, text):
    row = row_of("manifests", alternative_id=answer.id, text=text)
    talk.store.update(lambda unit: unit.write(insertion("manifests", row), row))


def test_of_one_message_all_copies_go_and_its_place_stays_platform_28(talk, erasures, marker):
    conversation = talk.conversation()
    message = talk.say(conversation, f"the {marker} flies")
    answer = talk.answer(message, "It does.")
    manifest(talk, answer, [message], prompts=[{"text": marker}], toolCalls=[{"result": marker}])
    talk.conversations.suggest_title(talk.user, conversation.id, f"On the {marker}")
    again = talk.say(conversation, "And then?")
    last = talk.answer(again, "It lands.")
    manifest(talk, last, [message, answer, again], prompts=[{"text": marker}])
    assert places_of(talk.store, marker) >= {"alternatives.content", "conversations.title", "manifests.text"}
    target = ErasureTarget(talk.user, conversation.id, message.id)
    extent = erasures.measure(target)
    assert (extent.messages, extent.answers, extent.below, extent.forks, extent.generating) == (1, 0, 3, 0, [])
    erasures.begin(target, talk.request())
    assert places_of(talk.store, marker) == set()
    erased = talk.get(message)
    assert (erased.content, erased.forgotten_by, erased.state) == (None, talk.user, "complete")
    assert erased.forgotten_at is not None
    assert erased._replace(content=message.content, forgotten_at=None, forgotten_by=None) == message
    assert talk.path(conversation) == [None, "It does.", "And then?", "It lands."]
    assert MessageSearch(talk.store).search(talk.user, "flies") == []
    assert len(MessageSearch(talk.store).search(talk.user, "lands")) == 1


def test_attached_files_go_when_no_other_message_has_them_platform_28(talk, erasures, marker):
    files = AttachmentRepository(talk.store)
    conversation = talk.conversation()
    text = f"about {marker}"
    attached = NewAttachment(f"{marker}.txt", "text/plain", text.encode(), text)
    message = talk.turns.append(conversation.id, "Read it.", talk.request(), attachments=[attached])
    entry = {"alternative": message.id, "attachments": [{"n": 1, "name": attached.name, "digest": attached.digest}]}
    answer = talk.answer(message, "It does.")
    text = canonical_json({"entries": [entry]})
    add_manifest(talk, answer, text)
    edited = talk.turns.edit(message.id, "Read it well.", talk.request())
    first = ErasureTarget(talk.user, conversation.id, message.id)
    assert erasures.measure(first).files == 1
    erasures.begin(first, talk.request())
    (gone,) = files.of(talk.user, [message.id])[message.id]
    (kept,) = files.of(talk.user, [edited.id])[edited.id]
    assert (gone.name, gone.digest, gone.size, gone.is_erased) == (None, None, len(attached.content), True)
    assert files.content(talk.user, kept.digest) == attached.content
    assert places_of(talk.store, marker) == {"attachments.name"}, "of the edited message"
    assert places_of(talk.store, attached.digest) == {"attachments.digest", "attachments.text_digest", "blobs.digest"}
    erasures.begin(ErasureTarget(talk.user, conversation.id, edited.id), talk.request())
    assert places_of(talk.store, marker) == places_of(talk.store, attached.digest) == set()
    with pytest.raises(NotFoundError):
        files.content(talk.user, attached.digest)


def test_an_answer_goes_with_its_marks_and_pieces_and_nothing_is_written_of_it_later_platform_28(
    talk, erasures, marker
):
    conversation = talk.conversation()
    message = talk.say(conversation)
    begun = talk.turns.begin_answer(message.id, talk.executor, talk.request())
    talk.store.update(
        lambda unit: [
            unit.write(queries.ADD_MAKER, {"id": begun.id, "token": "t"}),
            unit.write(queries.ADD_PIECE, {"id": begun.id, "n": 1, "text": marker, "token": "t"}),
        ]
    )
    target = ErasureTarget(talk.user, conversation.id, begun.id)
    with pytest.raises(ConflictError, match="being made"):
        erasures.begin(target, talk.request())
    answer = talk.end(begun, f"a {marker}", marks=[f"doubtful: {marker}"])
    erasures.begin(target, talk.request())
    kept = {"id": answer.id, "digest": "d", "at": "now", "text": f'{{"prompts":["{marker}"]}}'}
    talk.store.update(lambda unit: unit.write(queries.KEEP_MANIFEST, kept))  # by a maker that woke up late
    assert places_of(talk.store, marker) == set()
    assert talk.get(answer).marks == []


def test_a_failure_may_quote_what_was_said_and_goes_too_platform_28(talk, erasures, marker):
    conversation = talk.conversation()
    message = talk.say(conversation)
    begun = talk.turns.begin_answer(message.id, talk.executor, talk.request())
    talk.turns.end_answer(talk.user, begun.id, EndedAnswer(None, f"cannot read {marker}"))
    erasures.begin(ErasureTarget(talk.user, conversation.id, begun.id), talk.request())
    assert places_of(talk.store, marker) == set()
    assert talk.get(begun).failure == "erased"


@pytest.mark.parametrize("size", [2, 520])
def test_a_whole_conversation_goes_with_title_and_tags_and_other_users_keep_theirs_platform_28(
    talk, erasures, marker, size
):
    other = talk.world.user("eve")
    conversation = talk.conversation(title=f"About {marker}", tags=[marker])
    message = talk.say(conversation, marker)
    for n in range(size - 1):
        talk.turns.edit(message.id, f"{marker} {n}", talk.request())
    tip = talk.conversations.get(talk.user, conversation.id).tip_id
    fork = talk.turns.fork(tip, None, talk.request())
    below = talk.answer(talk.say(fork, "In the fork."), "Yes.")
    theirs = MutationRequest(other)
    kept = talk.turns.append(talk.conversations.create(NewConversation(), theirs).id, "keepsake", theirs)
    target = ErasureTarget(talk.user, conversation.id)
    extent = erasures.measure(target)
    assert (extent.messages, extent.forks, extent.below, extent.has_title_or_tags) == (size, 1, 2, True)
    erasures.begin(target, talk.request())
    assert places_of(talk.store, marker) == set()
    assert erasures.measure(target).is_empty
    assert talk.get(below).content == "Yes."
    assert talk.turns.get(other, kept.id).content == "keepsake"
    assert len(MessageSearch(talk.store).search(talk.user, "fork")) == 1
    assert len(talk.turns.tree(talk.user, conversation.id, limit=1000)) == size


def test_after_erasing_the_tree_goes_on_but_an_erased_message_is_not_answered_platform_28(talk, erasures):
    conversation = talk.conversation()
    message = talk.say(conversation)
    answer = talk.answer(message)
    erasures.begin(ErasureTarget(talk.user, conversation.id, message.id), talk.request())
    assert talk.say(conversation, "on").responds_to_id == answer.id
    with pytest.raises(ConflictError, match="was erased"):
        talk.turns.regenerate(answer.id, talk.executor, talk.request())
    written = talk.turns.edit(message.id, "in its place", talk.request())
    assert talk.answer(written).content
    with pytest.raises(InvariantError):
        talk.store.update(
            lambda unit: unit.write("UPDATE alternatives SET content = 'back' WHERE id = :id", {"id": message.id})
        )


def test_an_operator_gives_a_reason_and_both_have_it_in_their_logs_platform_28(talk, erasures):
    operator = talk.world.user("operator")
    conversation = talk.conversation()
    message = talk.say(conversation)
    target = ErasureTarget(talk.user, conversation.id, message.id)
    for reason in (None, " ", "x" * 1001):
        with pytest.raises(RuleError, match="reason"):
            erasures.begin(target, MutationRequest(operator), reason)
    erasures.begin(target, MutationRequest(operator), "a court says so")
    for user in (talk.user, operator):
        *_, last = talk.world.catalog.ledger.audit_log(user)
        assert (last["action"], last["actorId"], last["subject"]) == ("conversation.redact", operator, conversation.id)
        assert "a court says so" in last["details"]
    assert talk.get(message).forgotten_by == operator


def test_what_is_left_is_listed_until_it_has_ended_and_a_repeated_request_erases_once_platform_28(talk, erasures):
    conversation = talk.conversation()
    message = talk.say(conversation)
    begun = talk.turns.begin_answer(message.id, talk.executor, talk.request())
    talk.turns.set_run(talk.user, begun.id, "run-of-it")
    talk.end(begun)
    target = ErasureTarget(talk.user, conversation.id, message.id)
    for _ in range(2):
        erasures.begin(target, talk.request("once"))
    (left,) = [each for each in erasures.list_open() if each.owner == talk.user]
    assert left.runs == ["run-of-it"], "its inputs may have the message"
    for _ in range(2):
        erasures.end(left.id)
    assert [each for each in erasures.list_open() if each.owner == talk.user] == []


def test_what_is_not_the_owners_is_not_found_platform_2(talk, erasures):
    conversation = talk.conversation()
    other = talk.world.user("eve")
    with pytest.raises(NotFoundError):
        erasures.begin(ErasureTarget(other, conversation.id), MutationRequest(other))
