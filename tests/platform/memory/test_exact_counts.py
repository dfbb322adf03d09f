"""Prompts by exact counts: each message once, only what was counted, and the sum that the model will report."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.platform.conversations.conftest import Talk

from aeon.llm.interface import TokenCounts
from aeon.platform.memory.working_memory import MemoryService, ReplyForm
from aeon.testing.records import new_record

_TEXTS = st.lists(st.sampled_from(["Hi.", "word " * 30, "word " * 300]), min_size=1, max_size=8)

_FORGET = "UPDATE alternatives SET content = NULL, forgotten_at = :at WHERE id = :id"


@pytest.fixture(scope="module")
def remembering(tmp_path_factory):
    store = new_record(tmp_path_factory.mktemp("record"))
    talk = Talk(store)
    yield talk, MemoryService(store, talk.conversations, talk.turns)
    store.close()


def counting(request):
    """A model for which each character is a token, and the beginning of an answer 7 more."""
    texts = [request.system_prompt or "", *(each.text for each in request.history), request.prompt]
    return TokenCounts("characters", (*map(len, texts[:-1]), len(texts[-1]) + 7))


def shape(context):
    return ReplyForm("Be brief.", max_tokens=10, temperature=0.0, context=context)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(_TEXTS, st.sets(st.integers(0, 6)), st.integers(60, 4000))
def test_each_message_stands_once_and_the_sum_is_what_the_model_counts_platform_24(remembering, texts, erased, context):
    """Some messages on the path were erased."""
    talk, memory = remembering
    conversation, said = talk.conversation(), []
    for number, text in enumerate(texts):
        message = talk.say(conversation, text)
        said.append(message.id)
        if number < len(texts) - 1:
            said.append(talk.answer(message, "An answer.").id)
    for number in erased:
        if number < len(said) - 1:
            forgotten = {"id": said[number], "at": talk.world.clock.now()}
            talk.store.update(lambda unit, row=forgotten: unit.write(_FORGET, row))
    found = memory.assemble(talk.user, said[-1], shape(context), counting)
    entered = [each.alternative.id for each in found.entries]
    left = [each.entry.alternative.id for each in found.left_out]
    assert sorted([*entered, *left]) == sorted(said)
    assert entered == [each for each in said if each in entered], "in the order of the path"
    assert found.tokens == sum(counting(shape(context).request(found.entries)).messages)
    assert found.counter == ("characters", "exact")
    assert found.tokens <= found.budget or entered == [said[-1]]


def test_what_nobody_can_count_any_more_is_estimated(remembering):
    talk, memory = remembering
    message = talk.say(talk.conversation(), "Hi.")
    found = memory.assemble(talk.user, message.id, shape(1000), lambda _request: None)
    assert found.counter.kind == "estimate"
