"""A computed value is doubted if the request asks two things, or for the time of several days (core 19)."""

from types import SimpleNamespace

import pytest

from aeon.supervisor.question_checks import question_doubts

SPAN = ("date_math", {"start": "8:15", "until": "16:45"})


def doubts(request, *calls, tool="date_math", is_planned=True):
    made = [SimpleNamespace(tool_name=name, arguments=arguments) for name, arguments in calls or [SPAN]]
    steps = [SimpleNamespace(tool=tool)]
    return question_doubts(SimpleNamespace(request=request, calls=made, steps=steps, is_planned=is_planned))


@pytest.mark.parametrize(
    "request_",
    [
        "The bus is there at 7:15 and the ferry sails at 8:05. How long do I wait, and when does it sail?",
        "How old was she then and in which year does she turn 90?",
        "How many hours do I pay for, and until what time could I stay?",
        "Who gets there first, and by how much?",
        "What is 20 % of 80? And what is 30 % of 50?",
        "Wie alt war er bei ihrer Geburt und wie alt war er an ihrem 18. Geburtstag?",
        "Combien de jours, et quand est-ce fini ?",
    ],
)
def test_core_19_one_value_does_not_answer_two_questions(request_):
    assert doubts(request_) == ["the request asks two things, and the answer is one value"]


@pytest.mark.parametrize(
    "request_",
    [
        "On what day and at what time do I take the 5th dose?",
        "An welchem Tag und um wie viel Uhr ist das?",
        "How many weeks and days are there from 1 March 2026 to 14 May 2026?",
        "A film, which starts at 20:15 and which lasts 2 hours: when does it end?",
        "How long is it from 9:00 to 11:30 and back?",
        "What is the difference between 9:05 and 11:50?",
        "Wann ist Ostern 2027?",
    ],
)
def test_one_question_is_one_question(request_):
    assert doubts(request_) == []


@pytest.mark.parametrize(
    "request_",
    [
        "I work Monday to Thursday from 8:15 to 16:45. How many hours is that per week?",
        "I work Mon-Fri 8:15 to 16:45, how many hours a week?",
        "Ich arbeite montags bis freitags von 8:15 bis 16:45 Uhr. Wie viele Stunden sind das pro Woche?",
        "An drei Tagen arbeite ich von 8:15 bis 16:45 Uhr. Wie viele Stunden sind das insgesamt?",
        "The shop is open every day from 8:15 to 16:45. How many hours in a week?",
    ],
)
def test_core_19_the_time_of_one_day_is_not_that_of_several(request_):
    assert doubts(request_) == ["the request is about several days, and nothing was multiplied"]
    assert doubts(request_, SPAN, ("calculator", {"expression": "8.5 * 5"}), tool="calculator") == []
    assert doubts(request_, SPAN, ("date_math", {"durations": ["8:30", "8:30", "8:30"]})) == []


@pytest.mark.parametrize(
    "request_",
    [
        "I work Monday to Friday from 8:15 to 16:45. How long is a day of work?",
        "I work 40 hours from Monday to Friday and 5 hours on Saturday. How many hours a week?",
        "On Monday I work from 8:15 to 16:45. How many hours is that in total?",
    ],
)
def test_a_single_day_and_a_sum_of_hours_are_not_doubted(request_):
    assert doubts(request_) == []


def test_what_the_model_wrote_and_what_a_user_planned_are_not_checked_here():
    request = "Who gets there first, and by how much?"

    assert doubts(request, tool=None) == []
    assert doubts(request, is_planned=False) == []
