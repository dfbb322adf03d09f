"""Solutions in lines with dates and times, read as steps of the date tool and the calculator."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.kernel.orchestrator import Orchestrator
from aeon.memory.kv_store import InMemoryKVStore
from aeon.testing.llm import ScriptedAdapter
from aeon.testing.plans import plan, step
from aeon.tools.dated_requests import DATE_INSTRUCTIONS, asks_dated_solution
from aeon.tools.function import tool
from aeon.tools.registry import ToolRegistry
from aeon.tools.stubs import builtin_tools
from aeon.tools.worked_dates import read_dated_solution

REQUEST = "The talk is at 2:45 pm, the way takes 50 minutes and parking 10 minutes. When must I leave?"
SOLUTION = (
    "Both take 50 minutes + 10 minutes = 60 minutes.\nI must leave at 2:45 pm - 60 minutes = 2:25 pm.\nAnswer: 2:25 pm"
)


def calls(text, request=""):
    steps = read_dated_solution(text, request)
    return steps and [step["arguments"] for step in steps]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (SOLUTION, [{"durations": ["50 minutes", "10 minutes"]}, {"start": "2:45 pm", "add": "-{step.s1.result}"}]),
        (
            "Sie läuft ab dem 17. März 2025 + 24 Monate = 17. März 2027.",
            [{"start": "dem 17. März 2025", "add": "24 Monate"}],
        ),
        (
            "They take 3 * 25 = 75 minutes.\nThey end at 14:30 + 75 minutes = 15:45.\nAnswer: 15:45",
            [{"expression": "3 * 25"}, {"start": "14:30", "add": "{step.s1.result} minutes"}],
        ),
        (
            "It is open from 9:30 until 18:15 = 8:45.\nWithout the break 8:45 - 1 hour = 7:45.\nAnswer: 7 hours 45 minutes",
            [{"start": "9:30", "until": "18:15"}, {"durations": ["{step.s1.result}", "-1 hour"]}],
        ),
        (
            "9:30 until 18:15 = 8 hours 45 minutes\nThe pay is 8.75 * 12 = 105 euros.\nAnswer: 105",
            [{"start": "9:30", "until": "18:15"}, {"expression": "{step.s1.hours} * 12"}],
        ),
        (
            "10 November 2026 until 24 November 2026 = 14 days\n14 * 0.30 = 4.20\nAnswer: 4.20 euros",
            [{"start": "10 November 2026", "until": "24 November 2026"}, {"expression": "{step.s1.result} * 0.30"}],
        ),
        (
            "10 May 2026 until 24 May 2026 = 14 days\n1 June 2026 + 14 days = 15 June 2026",
            [
                {"start": "10 May 2026", "until": "24 May 2026"},
                {"start": "1 June 2026", "add": "{step.s1.result} days"},
            ],
        ),
        (
            "2 hours 15 minutes + 1 hour 50 minutes = 4 hours 5 minutes\n20:00 - 4 hours 5 minutes = 15:55",
            [
                {"durations": ["2 hours 15 minutes", "1 hour 50 minutes"]},
                {"start": "20:00", "add": "-{step.s1.result}"},
            ],
        ),
        ("3 hours and 25 minutes + 17:52 = 21:17", [{"start": "17:52", "add": "3 hours 25 minutes"}]),
        ("6:30 - (2 hours + 5 minutes) = 4:25", [{"start": "6:30", "add": "-2 hours -5 minutes"}]),
        ("6:30 - (2 hours - 5 minutes) = 4:35", [{"start": "6:30", "add": "-2 hours 5 minutes"}]),
        (
            "8 hours 30 minutes - 2 * 20 minutes = 7:50",
            [{"durations": ["8 hours 30 minutes", "-20 minutes", "-20 minutes"]}],
        ),
        ("20:00 - 4 hours 5 minutes = 15:55", [{"start": "20:00", "add": "-4 hours -5 minutes"}]),
        ("8:07 + 12 minutes minus 3 minutes = 8:16", [{"start": "8:07", "add": "12 minutes -3 minutes"}]),
        (
            "- 10:25 + 8 hours = 18:25\n- 18:25 + 40 minutes = 18:65\n\nIt lands at 18:65.",
            [{"start": "10:25", "add": "8 hours"}, {"start": "{step.s1.result}", "add": "40 minutes"}],
        ),
        ("20 July 1969 + 0 days = Sunday\nAnswer: Sunday", [{"start": "20 July 1969", "add": "0 days"}]),
        (
            r"\[ 2 \text{ March 2026} + 42 \text{ days} = 20 \text{ March 2026} \]",
            [{"start": "2 March 2026", "add": "42 days"}],
        ),
        (
            "The next leaves 12 minutes after 8:07, which is 8:29.\nAnswer: 8:29",
            [{"start": "8:07", "add": "12 minutes"}],
        ),
        ("That is 3 days before 4 May 2026: 30 April 2026", [{"start": "4 May 2026", "add": "-3 days"}]),
        ("Adding 100 minutes to 15:15 gives us 16:15.", [{"start": "15:15", "add": "100 minutes"}]),
        ("Subtracting 20 minutes from 15:15 gives 14:15.", [{"start": "15:15", "add": "-20 minutes"}]),
        ("3 May 2026 14:00 + 30 hours = 4 May 2026 20:00", [{"start": "3 May 2026 14:00", "add": "30 hours"}]),
    ],
)
def test_the_calculations_of_a_solution_are_steps_of_the_date_tool(text, read):
    assert calls(text) == read


@pytest.mark.parametrize(
    ("text", "request_", "read"),
    [
        ("It is 6:55 - 23:20 = 4 hours.", "I slept from 23:20 to 6:55", {"start": "23:20", "until": "6:55"}),
        ("It is 9:30 - 18:15 = 8 hours.", "open from 9:30 to 18:15", {"start": "9:30", "until": "18:15"}),
        ("18:15 - 9:30 = 8 hours", "from half past nine", {"start": "9:30", "until": "18:15"}),
        (
            "2 March + 42 days = 20 March 2026",
            "It starts on 2 March 2026.",
            {"start": "2 March 2026", "add": "42 days"},
        ),
        ("9:00 until 5:00 = 8 hours", "from 9 am to 5 pm", {"start": "9 am", "until": "5 pm"}),
        ("6:00 + 8 hours = 14:00", "at 6 am and at 6 pm", {"start": "6:00", "add": "8 hours"}),
    ],
)
def test_what_a_solution_leaves_open_is_taken_from_the_request(text, request_, read):
    """A minus between two times, a date without its year, a time without its half of the day."""
    assert calls(text, request_) == [read]


@pytest.mark.parametrize(
    "text",
    [
        "It leaves at 8:19.\nAnswer: 8:19",
        "The answer is 8:07 + 12 minutes = 8:19.\nAnswer: 9:00",
        "3 * 25 = 75 minutes\nAnswer: 75",
        "8:07 + some minutes = 8:19",
        "8:15 - 35 - 40 = 7:00",
        "It is 1 May - 30 = 1 April",
        "32 May 2026 + 3 days = 4 June 2026",
        "",
        "x" * 5000,
        "8:07 + 1 minute = 8:08\n" * 60,
    ],
)
def test_a_text_without_a_dated_calculation_of_its_answer_is_no_solution(text):
    assert read_dated_solution(text, "") is None


WORDS = [
    "8:07",
    "24 May 2026",
    "12 minutes",
    "2 days",
    "+",
    "-",
    "=",
    "until",
    "after",
    "Answer:",
    "\n",
    "pm",
    "7",
    "*",
    "s1",
]


@given(st.one_of(st.text(), st.lists(st.sampled_from(WORDS)).map(" ".join)))
def test_any_text_is_read_or_not_and_never_fails(text):
    steps = read_dated_solution(text, text)
    assert steps is None or all(step["tool"] in ("date_math", "calculator") for step in steps)


@pytest.mark.parametrize(
    "request_",
    [
        REQUEST,
        "A bus comes every 12 minutes, the last one left at 8:07. When does the next one leave?",
        "Die Garantie läuft 24 Monate ab dem 17. März 2025. Wann läuft sie ab?",
        "I slept from 23:20 to 6:55, how much sleep did I get?",
        "It is quarter past three. What time will it be in 100 minutes?",
        "The book was due on 10 May 2026 and came back on 24 May 2026. What do I owe at 30 cents a day?",
    ],
)
def test_a_request_with_two_dates_times_or_lengths_is_worked_out(request_):
    assert offer(request_).working == DATE_INSTRUCTIONS


@pytest.mark.parametrize(
    "request_",
    [
        "When does the shop open on 24 December?",
        "Write an invitation for 24 May 2026 at 18:00, and say when it ends.",
        "Remember that the talk is at 14:00 and takes 2 hours. When does it end?",
        "How long do 2 kg of potatoes boil?",
        "How many minutes are in 3 hours and 20 minutes?",
        "What time is it in Lima when it is 9:00 in Rome, local time, after 3 hours?",
    ],
)
def test_other_requests_are_not(request_):
    assert not asks_dated_solution(request_)


def offer(request, *more):
    return ToolRegistry([*builtin_tools(InMemoryKVStore()), *more], plans_always=False).offer(request)


@tool
def timetable(line: str) -> str:
    """Tell when a line runs."""
    return line


def test_a_tool_of_the_user_keeps_the_planner():
    assert offer(REQUEST, timetable).working is None


def executed(*replies, request=REQUEST):
    """The result of the request, and the model that was asked."""
    registry = ToolRegistry(builtin_tools(InMemoryKVStore()), plans_always=False)
    model = ScriptedAdapter(replies)
    return Orchestrator(model, None, registry).execute(request), model


def test_it_is_worked_out_in_lines_and_computed_core_19():
    result, model = executed(SOLUTION)

    assert (result["answer"], result["trusted"]) == ("13:45", True), "and not 2:25 pm, as the model computed"
    assert model.requests[0].system_prompt == DATE_INSTRUCTIONS


def test_a_time_that_a_solution_leaves_out_or_invents_is_doubtful_core_19():
    result, _ = executed("50 minutes + 10 minutes = 60 minutes\n15:00 - 60 minutes = 14:00\nAnswer: 14:00")

    assert not result["trusted"]
    assert result["marks"]["s2"] == [
        "doubtful: it was computed with 15:00, which neither the request nor a result has",
        "doubtful: no step uses 2:45 pm of the request",
    ]


def test_a_solution_without_a_calculation_is_repaired_into_a_plan_core_9():
    arguments = {"start": "2:45 pm", "add": "-50 minutes -10 minutes"}
    result, model = executed("You must leave early.", plan(step("s1", "leave", tool="date_math", arguments=arguments)))

    assert result["answer"] == "13:45"
    assert len(model.requests) == 2


def test_no_number_is_taken_out_of_a_clock_time():
    """A model took 35 and 40 off 8:15, and the calculator off 15."""
    arguments = {"start": "2:45 pm", "add": "-50 minutes -10 minutes"}
    made = plan(step("s1", "leave", tool="date_math", arguments=arguments))
    result, model = executed("I must leave at 2:45 - 50 - 10 = 1:45.", made)
    assert (result["answer"], len(model.requests)) == ("13:45", 2)


def test_a_length_that_looks_like_a_time_of_the_request_is_not_doubted():
    """8:30 until 17:00 is 8:30."""
    request = "I work from 8:30 to 17:00 with a break of 45 minutes. How long do I work?"
    text = "8:30 until 17:00 = 8 hours 30 minutes\n8 hours 30 minutes - 45 minutes = 7 hours 45 minutes"
    result, _ = executed(text, request=request)
    assert result["results"]["s2"]["result"] == "7:45"
    assert result["trusted"], result["marks"]
