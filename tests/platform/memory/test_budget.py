"""Why an alternative of a path does not enter a prompt."""

from tests.platform.conversations.conftest import Talk

from aeon.platform.conversations.erasing import ErasureRepository, ErasureTarget
from aeon.platform.conversations.turns import EndedAnswer
from aeon.platform.memory.budget import PathEntry, reason_left_out


def test_an_answer_without_a_text_is_left_out_for_its_own_reason(store):
    talk = Talk(store)
    conversation = talk.conversation()
    begun = talk.turns.begin_answer(talk.say(conversation).id, talk.executor, talk.request())

    def reason():
        return reason_left_out(PathEntry(talk.get(begun), 0, is_reference=False))

    assert reason() == "generating"
    talk.turns.end_answer(talk.user, begun.id, EndedAnswer(None, "the model failed"))
    assert reason() == "failed"
    ledger = talk.world.catalog.ledger
    erasures = ErasureRepository(talk.store, ledger, talk.world.catalog.new_id)
    erasures.begin(ErasureTarget(talk.user, conversation.id, begun.id), talk.request())
    assert reason() == "erased"
