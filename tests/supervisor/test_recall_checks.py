"""A quoted value is doubted if the request is about something else, or compares and code finds another one (core 19)."""

from types import SimpleNamespace

import pytest

from aeon.supervisor.answer_checks import doubts_of

RENTS = "rent elm street: 940\nrent station: 895"
BLOOD = "own blood type: 0 negative\nwife birthday: 3 May"


def doubts(request, text, quoted):
    calls = [
        SimpleNamespace(tool_name="memory_recall", step_id="s1", arguments={}),
        SimpleNamespace(tool_name="quote_lines", step_id="answer", arguments={"text": text, "words": quoted}),
    ]
    results = {"s1": {"text": text}, "found": {"text": quoted}, "answer": {"text": quoted}}
    steps = [SimpleNamespace(step_id=each, tool=None) for each in ("s1", "found")]
    steps.append(SimpleNamespace(step_id="answer", tool="quote_lines"))
    return doubts_of(SimpleNamespace(request=request, steps=steps, calls=calls, results=results, is_planned=True))


@pytest.mark.parametrize(
    ("request_", "text", "quoted"),
    [
        ("which flat is cheaper, elm street or station?", RENTS, "rent station: 895"),
        ("which rent is higher?", RENTS, "rent elm street: 940"),
        ("what are both rents?", RENTS, RENTS),
        ("what blood type do i have", BLOOD, "own blood type: 0 negative"),
        ("my blood type, not that of my wife", BLOOD, "own blood type: 0 negative"),
        ("what blood type has my wife", BLOOD, "Cannot: the text does not say that."),
    ],
)
def test_a_value_that_the_request_speaks_of_is_not_doubted(request_, text, quoted):
    assert doubts(request_, text, quoted) == []


@pytest.mark.parametrize(
    ("request_", "text", "quoted", "reason"),
    [
        ("what blood type has my wife", BLOOD, "own blood type: 0 negative", "the request speaks of 'wife'"),
        ("which book did i like", BLOOD, "wife birthday: 3 May", "no name of the stored value"),
        ("which flat is cheaper?", RENTS, "rent elm street: 940", "is not the least"),
        ("which rent is higher?", RENTS, "rent station: 895", "is not the most"),
        ("which rent is larger?", RENTS, "rent station: 895", "is not the most"),
        ("what blood type has my older wife", BLOOD, "own blood type: 0 negative", "the request speaks of 'wife'"),
        ("welche Rent ist teurer?", RENTS, "rent station: 895", "is not the most"),
    ],
)
def test_another_value_is_doubted(request_, text, quoted, reason):
    assert any(reason in each for each in doubts(request_, text, quoted))
