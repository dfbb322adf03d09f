"""Two alternatives side by side: what they say differently, and what made them."""

from aeon.platform.conversations.comparison import compare_alternatives


def test_sentences_that_differ_are_marked_and_the_makers_named(talk):
    message = talk.say(talk.conversation())
    first = talk.answer(message, "Take flour. Add milk. Stir.", None)
    begun = talk.turns.regenerate(first.id, talk.process("another"), talk.request())
    second = talk.end(begun, "Take flour. Add water. Stir.", model="m2")
    compared = compare_alternatives(first, second)
    assert compared.lines == ["  Take flour.", "- Add milk.", "+ Add water.", "  Stir."]
    assert compared.is_one_turn
    assert {"executedBy", "model", "createdAt"} <= compared.differences.keys()
    assert "state" not in compared.differences


def test_an_answer_that_failed_has_no_sentences(talk):
    message = talk.say(talk.conversation())
    failed = talk.turns.begin_answer(message.id, talk.executor, talk.request())
    compared = compare_alternatives(message, talk.get(failed))
    assert (compared.is_one_turn, compared.lines) == (False, [f"- {message.content}"])
