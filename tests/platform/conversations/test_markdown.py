"""A conversation as Markdown: what must be known of an answer stands beside it (platform 12, core 17)."""

import pytest

from aeon.platform.conversations.markdown import markdown_of


@pytest.fixture
def shown(talk):
    """`shown(conversation)`: the headings of its messages, with all branches."""

    def headings(conversation):
        found = talk.conversations.get(talk.user, conversation.id)
        alternatives = talk.turns.tree(talk.user, conversation.id)
        return [line for line in markdown_of(found, alternatives, None, "all", {}) if line.startswith("### ")]

    return headings


def test_an_answer_that_code_doubts_or_a_limit_cut_off_says_so(talk, shown):
    conversation = talk.conversation()
    begun = talk.turns.begin_answer(talk.say(conversation).id, talk.executor, talk.request())
    talk.end(begun, "Half", marks=["doubtful: it is in another language"], usage={"finishReason": "length"})
    assert shown(conversation)[1].endswith("(cut off, doubtful)")


def test_an_answer_to_a_message_that_is_not_visible_any_more_is_stale(talk, shown):
    conversation = talk.conversation()
    message = talk.say(conversation)
    talk.answer(message)
    talk.turns.edit(message.id, "another", talk.request())
    assert next(line for line in shown(conversation) if "stale" in line).startswith("### [3] Assistant")
