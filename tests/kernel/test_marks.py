"""What a run says of its steps beside their status: marks and trust (core 17, core 19)."""

import pytest

from aeon.base.talk import DECLINE_PREFIX
from aeon.kernel.marks import MODEL_KNOWLEDGE_MARK, declined_mark, doubt_marks, is_trusted
from aeon.kernel.orchestrator import Orchestrator
from aeon.kernel.replay import replay
from aeon.kernel.state import restore_state
from aeon.observability.log import JsonlLog, read_log
from aeon.observability.records import ToolCall
from aeon.plan.models import Plan, PlanStep
from aeon.supervisor.answered_run import AnsweredRun
from aeon.testing.llm import ScriptedAdapter
from aeon.testing.plans import calc, call, plan, step
from aeon.tools.registry import ToolRegistry


def planned(*steps):
    return {"goal": "g", "steps": list(steps)}


def answered(request, *results, models=True, arguments=None, tool="t"):
    """A run whose steps `s0`, `s1`, ... called tools with these arguments and got these results."""
    brought = arguments or [{} for _ in results]
    steps = [PlanStep(step_id=f"s{n}", description="d", tool=tool, arguments=given) for n, given in enumerate(brought)]
    calls = [
        ToolCall(tool_name=tool, arguments=given, result=result, timestamp="2026-01-01T00:00:00Z", step_id=f"s{n}")
        for n, (given, result) in enumerate(zip(brought, results, strict=True))
    ]
    return AnsweredRun(request, steps, calls, {f"s{n}": result for n, result in enumerate(results)}, models, models)


def said_by_model(request, text):
    """A run whose only step the model answered."""
    return AnsweredRun(
        request, [PlanStep(step_id="s1", description="d", agent="llm")], [], {"s1": {"text": text}}, True, True
    )


# A tool that does not exist counts as no success (K2).


def test_the_words_of_a_model_that_says_it_mailed_are_not_trusted(run):
    made = Orchestrator(ScriptedAdapter(["The invoice was mailed."]), tool_registry=ToolRegistry())

    result = made.execute("Mail the invoice", Plan.model_validate(plan(step("a", "mail it", tool="send_mail"))))

    assert result["status"] == "completed"
    assert result["trusted"] is False
    assert result["marks"] == {
        "a": [
            "fallback: there is no tool 'send_mail'; no tool did anything, and the words are the model's own",
        ]
    }
    assert result["plan"]["steps"][0]["tool"] == "send_mail"


def test_a_fallback_is_told_that_no_tool_did_anything_and_later_thoughts_too(run):
    made = run([{"tool": None}, "It was mailed.", "ok"])

    made.execute("go", plan(step("a", "mail it", tool="send_mail"), step("b", "report", agent="llm")))

    fallback, report = made.model.requests[1].prompt, made.model.requests[2].prompt
    assert "nothing has been done" in fallback
    assert "Never say that something was done" in fallback
    assert "nothing was done; the model's own words: " in report


def test_a_missing_tool_fails_its_step_where_that_is_wanted():
    made = Orchestrator(ScriptedAdapter([]), tool_registry=ToolRegistry(), on_missing_tool="fail")

    result = made.execute("Mail it", Plan.model_validate(plan(step("a", "mail it", tool="send_mail"))))

    assert (result["status"], result["answer"]) == ("failed", None)
    assert "There is no tool 'send_mail'" in result["final_state"].errors[-1]["message"]


def test_marks_stand_in_result_state_event_and_log_and_outlive_replay_and_resume(run, tmp_path):
    log = tmp_path / "run.jsonl"
    made = run([{"tool": None}, "It was mailed."], log=log, ttl=1)
    result = made.execute("go", plan(step("a", "mail it", tool="send_mail"), calc("b", "1+1")))
    marks = result["marks"]
    assert result["status"] == "ttl_expired"
    assert result["trusted"] is False

    history = read_log(log)
    assert replay(history) == len(history.entries)
    assert restore_state(history).marks == marks

    made.orchestrator._log.close()
    again = Orchestrator(ScriptedAdapter([]), made.memory, made.registry, log=JsonlLog(log, after=history))
    resumed = again.resume(restore_state(history))
    assert (resumed["status"], resumed["answer"]) == ("completed", "2")
    assert resumed["marks"] == marks == resumed["final_state"].marks
    assert resumed["trusted"] is False
    assert made.events[-1].trusted is False


def test_a_repair_is_marked_and_takes_no_trust(run):
    made = run([call("echo", txt="hi"), call("echo", text="hi")])

    result = made.execute("say hi", plan(step("a", "say hi", tool="echo")))

    assert result["marks"] == {"a": ["repaired: tool_call_repair"]}
    assert result["trusted"] is True


def test_a_run_of_tools_alone_has_no_marks(run):
    result = run([]).execute("go", plan(calc("a", "20+1"), calc("b", "{step.a.result} * 2")))

    assert (result["marks"], result["trusted"]) == ({}, True)


# What the model answers from its own knowledge, and what it declines (core 19).


def test_what_the_model_knows_by_itself_is_marked_and_trusted(run):
    result = run([planned(step("a", "say it", agent="llm")), "Canberra."]).execute("Capital of Australia?")

    assert (result["marks"], result["trusted"]) == ({"a": [MODEL_KNOWLEDGE_MARK]}, True)


def test_what_rests_on_a_tools_result_is_not_marked_as_the_models(run):
    made = run([planned(calc("a", "6*7"), step("b", "say it", agent="llm")), "It is 42."])

    assert made.execute("Say six times seven.")["marks"] == {}


def test_nothing_is_said_against_the_numbers_of_an_answer_that_was_declined_core_19(run):
    """A date is asked for, and a model that gives one without a tool is doubted; one that declines gave none."""
    made = run([planned(step("a", "find the weekday", agent="llm")), f"{DECLINE_PREFIX} I have no calendar."])

    assert made.execute("What weekday is 4 July 1976?")["marks"] == {"a": ["declined: I have no calendar."]}


def test_an_answer_that_says_what_is_missing_is_declined(run):
    made = run([planned(step("a", "ring", agent="llm")), f"{DECLINE_PREFIX} there is no tool\nthat can phone."])

    result = made.execute("Ring my dentist")

    assert result["marks"] == {"a": ["declined: there is no tool that can phone."]}
    assert result["trusted"] is False
    assert DECLINE_PREFIX in made.model.requests[1].system_prompt


# Doubtful answers: the cases that measurement found (K1, K8), and their good relatives.


@pytest.mark.parametrize(
    "answer",
    [{"found": []}, {"text": ""}, {"text": " \n"}, {"value": None}, {}, {"found": [], "count": 0}, {"a": {}, "b": []}],
)
@pytest.mark.parametrize("models", [True, False])
def test_an_empty_answer_is_doubtful_whoever_planned_it(answer, models):
    run = answered("What is the capital of France?", answer, models=models)
    assert doubt_marks(run) == ["doubtful: the answer is empty"]


@pytest.mark.parametrize("answer", [{"result": 0}, {"deleted": False}, {"text": "0"}, {"found": [{"n": 0}]}])
def test_nothing_is_an_answer_where_it_was_computed(answer):
    assert doubt_marks(answered("How many are left?", answer)) == []


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        ("Hello, who are you?", "Hello, who are you?"),
        ("Ring my dentist", "ring my  dentist."),
        ("Wie spät ist es in Zürich?", "WIE SPÄT IST ES IN ZÜRICH"),
    ],
)
def test_an_echo_of_the_request_is_doubtful(request_, text):
    assert doubt_marks(answered(request_, {"text": text})) == ["doubtful: the answer repeats the request"]


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        ("Schick meiner Mutter eine Nachricht", "Schick mir eine Nachricht."),
        ("Mein Zimmer ist kalt, mach die Heizung an", "Mach die Heizung an."),
        ("I'm hungry. Order me a pizza!", "Order me a pizza."),
        ("Envoie un message à ma mère", "Envoie un message à la mère."),
        (
            "Ich kann mich nicht entscheiden: Hund oder Katze? Was meinst du?",
            "Ich kann mich nicht entscheiden: Hund oder Katze?",
        ),
    ],
)
def test_an_order_that_is_said_again_with_another_word_or_without_its_beginning_is_doubtful(request_, text):
    assert doubt_marks(said_by_model(request_, text)) == ["doubtful: the answer repeats the request"]


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        ("The capital of France is called?", "The capital of France is called Paris."),
        ("The red car or the blue car?", "The blue car."),
        ("Make it polite: I'm late, call me back", "Call me back, please."),
        ("Say the last part: I'm cold, mach die Heizung an", "Mach die Heizung an."),
        ("Good morning, how are you today?", "How are you today?"),
        ("My cat had kittens", "Congratulations, my cat had kittens too"),
        ("Correct this. He go to school", "He goes to school."),
    ],
)
def test_what_only_shares_words_with_its_request_is_no_echo(request_, text):
    assert doubt_marks(said_by_model(request_, text)) == []


@pytest.mark.parametrize("text", ["hello", "I am Aeon.", "Ring my dentist at noon"])
def test_an_answer_that_shares_words_with_the_request_is_none(text):
    assert doubt_marks(answered("Say: hello, ring my dentist", {"text": text})) == []


def test_an_echo_that_a_person_planned_is_what_he_wanted():
    assert doubt_marks(answered("hello", {"text": "hello"}, models=False)) == []


@pytest.mark.parametrize(
    "request_",
    [
        "Quand il est 9:00 à Lyon, quelle heure est-il ici ?",
        "What time is it on Mars?",
        "The film starts at 20:15. When does it end?",
        "Wann kommt der Zug an?",
    ],
)
def test_a_number_is_no_clock_time(request_):
    """The model computed 9 - 9, and answered 0."""
    doubt = "doubtful: the request asks for a time, and the answer is a number"
    assert doubt in doubt_marks(answered(request_, {"result": 0}))
    assert doubt not in doubt_marks(answered(request_, {"result": "17:00"}))
    assert doubt not in doubt_marks(answered("What does it cost when I buy 3?", {"result": 0}))


@pytest.mark.parametrize(
    "request_",
    [
        "The warranty was 2 years from 9 October 2024. Is it over on 1 September 2026?",
        "Does it end before 17:00?",
        "I have 30 euros. Can I buy 4 at 8 each?",
        "Der Film beginnt um 20:15. Ist er um 22:00 zu Ende?",
    ],
)
def test_an_amount_or_a_time_is_neither_yes_nor_no(request_):
    """The model computed how long it was, and answered 692 days."""
    doubt = "doubtful: the request asks for yes or no, and the answer is neither"
    assert doubt in doubt_marks(answered(request_, {"result": 692}, tool="date_math"))
    assert doubt in doubt_marks(answered(request_, {"result": "17:00"}, tool="date_math"))
    assert doubt not in doubt_marks(answered(request_, {"result": 365, "leap_year": "yes"}, tool="date_math"))


@pytest.mark.parametrize(
    "request_",
    [
        "What is 4 times 173?",
        "Can you add 2 to 690?",
        "It is 9:00. Is it 8 or 9 hours to 17:00?",
        "I was there at 9:00. Do tell me how long it was until 12:00?",
        "When does it end?",
    ],
)
def test_other_questions_ask_for_an_amount(request_):
    assert not any("yes or no" in doubt for doubt in doubt_marks(answered(request_, {"result": 692}, tool="date_math")))


def test_a_computed_result_that_nothing_uses_is_doubtful():
    """Sqrt(1764) + 8 % of 250 -> 17.84 (K8)."""
    calls = [{"expression": "sqrt(1764)"}, {"expression": "250 * 0.08 - 2.16"}]
    run = answered("sqrt(1764) + 8 % of 250", {"result": 42.0}, {"result": 17.84}, arguments=calls)

    assert doubt_marks(run) == [
        "doubtful: the answer does not use the result of step 's0'",
        "doubtful: it was computed with 2.16, which neither the request nor a result has",
    ]


def test_what_units_are_of_each_other_needs_no_source():
    """5 foot 11 is 71 inches."""
    calls = [{"expression": "5 * 12 + 11"}, {"expression": "{step.s0.result} * 2.54"}]
    run = answered("What is 5 foot 11 in centimetres?", {"result": 71}, {"result": 180.34}, arguments=calls)
    assert doubt_marks(run) == []
    wrong = [calls[0], {"expression": "71 * 2.45"}]
    run = answered("What is 5 foot 11 in centimetres?", {"result": 71}, {"result": 173.95}, arguments=wrong)
    assert doubt_marks(run) == ["doubtful: it was computed with 2.45, which neither the request nor a result has"]


@pytest.mark.parametrize(
    ("first", "later"),
    [
        ({"result": 42.0}, {"expression": "{step.s0.result} + 20"}),
        ({"result": 42.0}, {"expression": "42 + 20"}),
        ({"found": [{"key": "city", "value": "Zürich"}]}, {"place": "zürich", "count": 20}),
    ],
)
def test_a_result_that_a_later_call_refers_to_or_got_is_used(first, later):
    assert doubt_marks(answered("add 20", first, {"result": 62}, arguments=[{}, later])) == []


@pytest.mark.parametrize(
    ("result", "text", "is_used"),
    [
        ({"result": 714}, "The product is 714.", True),
        ({"result": 714}, "The product is 712.", False),
        ({"result": 3.14159}, "About 3.14.", True),
        ({"result": 1234.5}, "It is 1,234.50 euros.", True),
        ({"result": 42}, "It is forty-two.", True),
        ({"value": "light blue"}, "Your favourite colour is blue.", True),
        ({"value": "blue"}, "You have no favourite colour.", False),
        ({"text": "long " * 40}, "A summary of it.", True),
        ({"stored": True}, "Done.", True),
        ({"path": "/home/ann/out.md", "bytes": 12}, "Written.", True),
    ],
)
def test_a_models_answer_says_what_was_computed_for_it(result, text, is_used):
    steps = [
        PlanStep(step_id="a", description="d", tool="t", arguments={"path": "out.md"}),
        PlanStep(step_id="b", description="d", agent="llm"),
    ]
    call_ = ToolCall(
        tool_name="t", arguments={"path": "out.md"}, result=result, timestamp="2026-01-01T00:00:00Z", step_id="a"
    )
    run = AnsweredRun("say it", steps, [call_], {"a": result, "b": {"text": text}}, True, True)

    assert bool(doubt_marks(run)) is not is_used


def test_steps_that_a_person_put_beside_each_other_are_his_business(run):
    result = run([]).execute("go", plan(calc("a", "1+1"), calc("b", "2+2")))

    assert result["trusted"] is True


def test_a_models_words_about_a_plan_by_hand_are_checked_too(run):
    result = run(["It is 712."]).execute("go", plan(calc("a", "42*17"), step("b", "say it", agent="llm")))

    assert result["marks"]["b"] == ["doubtful: the answer does not use the result of step 'a'"]
    assert result["trusted"] is False


def test_a_wrong_plan_for_a_plain_question_is_not_trusted(run):
    """K1: planned as memory_search, the answer is an empty list."""
    step_ = step("a", "find it", tool="memory_search", arguments={"prefix": "capital of France"})
    result = run([planned(step_)]).execute("What is the capital of France?")

    assert result["status"] == "completed"
    assert result["marks"] == {"a": ["doubtful: the answer is empty"]}


def test_doubts_of_a_long_plan_are_found_in_one_pass():
    """A thousand results that nothing uses took 5 s, every one held against all later steps."""
    run = answered("go", *[{"result": n + 0.5} for n in range(3000)], arguments=[{"n": 0}] * 3000)

    assert len(doubt_marks(run)) == 2999


@pytest.mark.parametrize("mark", ["fallback: x", "doubtful: x", "declined: x"])
def test_one_such_mark_takes_the_trust(mark):
    assert is_trusted({"a": ["repaired: x"], "b": [MODEL_KNOWLEDGE_MARK]})
    assert not is_trusted({"a": ["repaired: x"], "b": [mark]})


# Numbers that come from nowhere, or go nowhere.


@pytest.mark.parametrize(
    ("request_", "expression", "result", "reason"),
    [
        ("6.5 litres per 100 km: how much for 380 km?", "6.5 * 380", 2470, "no step uses 100 of the request"),
        ("I make 18.5 an hour, and work 36 hours", "18.5 * 35", 647.5, "no step uses 36 of the request"),
        ("Three friends share 87 euros and a tip of 9", "87 + 9", 96, "no step uses 3 of the request"),
        ("Vier Leute teilen sich 3 Pizzen zu je 9,60", "3 * 9.60", 28.8, "no step uses 4 of the request"),
        ("Two people share 3 pizzas at 9.60", "3 * 9.60", 28.8, "no step uses 2 of the request"),
        ("How much is a quarter of 348 minus 17?", "348 - 17", 331, "no step uses 'quarter' of the request"),
        ("I double 35 and take 10 away", "35 - 10", 25, "no step uses 'double' of the request"),
        (
            "what is left of 2030?",
            "2030 + 27",
            2057,
            "it was computed with 27, which neither the request nor a result has",
        ),
        (
            "what is the code of my locker?",
            "27 * 1",
            27,
            "it was computed with 27, which neither the request nor a result has",
        ),
        ("the meter read 4655, now 4820. how much is that?", "4655 - 4820", -165, "the result is less than 0"),
        ("pot a has 4, pot b has 5, which one has more?", "4 - 5", -1, "does not ask for a number"),
    ],
)
def test_a_number_that_does_not_fit_the_request_is_doubtful_core_19(request_, expression, result, reason):
    run = answered(request_, {"result": result}, arguments=[{"expression": expression}])

    assert any(reason in mark for mark in doubt_marks(run)), doubt_marks(run)
    assert doubt_marks(run._replace(is_planned=False, is_written=False)) == [], "a user's own plan is the user's"


@pytest.mark.parametrize(
    ("request_", "expression", "result"),
    [
        ("15 percent of 2800 for a year", "2800 * 0.15 * 12", 5040),
        ("a coat of 90 at 30% off", "90 * 0.7", 63),
        ("450 minutes in hours", "450 / 60", 7.5),
        ("wie viel sind drei viertel von 260", "260 * 3 / 4", 195),
        ("6,5 km fünfmal die Woche, vier Wochen", "6.5 * 5 * 4", 130),
        ("is it the 3rd or the 5th, and what is 2 * 21?", "2 * 21", 42),
        ("3 degrees less than -5, how many are that?", "-5 - 3", -8),
        ("how many minutes are two and a half hours?", "2.5 * 60", 150),
        ("wie viele Minuten sind zweieinhalb Stunden?", "2.5 * 60", 150),
        ("Three friends share 87 euros and a tip of 9", "(87 + 9) / 3", 32),
        ("half of 96 and a quarter of 20", "96 * 0.5 + 20 / 4", 53),
        ("two thirds of 900", "900 * 2 / 3", 600),
        ("double 35, then share it among 4", "35 * 2 / 4", 17.5),
        ("eine halbe Stunde und zwei Stunden, in Minuten", "0.5 * 60 + 2 * 60", 150),
        ("ten dozen eggs minus 7", "10 * 12 - 7", 113),
        ("Two tasks take 45 and 50 minutes. How long are both?", "45 + 50", 95),
    ],
)
def test_a_number_with_a_source_is_not_doubtful(request_, expression, result):
    marks = doubt_marks(answered(request_, {"result": result}, arguments=[{"expression": expression}]))

    assert [mark for mark in marks if "less than 0" not in mark] == []


def test_arithmetic_that_code_reads_otherwise_is_doubtful_core_19():
    """15 * 23 plus 7 was planned as (15 + 23) + 7 by a small model: each number is there, and the answer is wrong."""
    wrong = answered("What is 15 * 23 plus 7?", {"result": 45}, arguments=[{"expression": "(15 + 23) + 7"}])
    right = answered("What is 15 * 23 plus 7?", {"result": 352}, arguments=[{"expression": "15 * 23 + 7"}])

    assert doubt_marks(wrong) == ["doubtful: code reads 15 * 23 + 7 in the request, and no result is 352"]
    assert doubt_marks(right) == []


@pytest.mark.parametrize("piece", ["x", " ", "roll ", "which is more ", "1 ", "two and "])
def test_the_checks_of_a_long_text_take_bounded_time(piece):
    """20,000 blanks in an answer took minutes; a long word without a digit, too."""
    text = piece * (100_000 // len(piece))

    doubt_marks(answered(text, {"result": text}, arguments=[{"expression": "1 + 1"}]))


@pytest.mark.parametrize(("value", "is_doubted"), [(12.5, False), (127, True)])
def test_a_conversion_of_a_number_that_the_request_does_not_have_is_doubtful_core_19(value, is_doubted):
    """The model made 127 stone of 12 stone 7."""
    given = {"value": value, "from": "stone", "to": "kg"}
    run = answered(
        "12 stone 7 is 12.5 stone, and how many kg?", {"result": 80}, arguments=[given], tool="convert_units"
    )
    doubt = f"doubtful: it was computed with {value}, which neither the request nor a result has"
    assert (doubt in doubt_marks(run)) == is_doubted


@pytest.mark.parametrize(
    ("request_", "is_doubted"),
    [
        ("Ich stand von 11 bis 16 Uhr. Was muss ich zahlen?", False),
        ("Was kostet das, 5 Stunden zu 2,20?", False),
        ("Was sind 5 mal 2,20?", False),
        ("Was it more than 5 times 2?", True),
        ("Was Anna older than 5?", True),
        ("Was the sum of 5 and 6 odd?", True),
    ],
)
def test_a_question_in_german_for_what_is_no_question_for_yes_or_no_core_19(request_, is_doubted):
    run = answered(request_, {"result": 11}, arguments=[{"expression": "5 * 2.20"}], tool="calculator")
    doubt = "doubtful: the request asks for yes or no, and the answer is neither"
    assert (doubt in doubt_marks(run)) == is_doubted


@pytest.mark.parametrize(
    ("request_", "result", "is_doubted"),
    [
        ("A wall of 3.2 m by 2.4 m, tiles of 20 cm. How many tiles?", 0.0192, True),
        ("14 guests, three share a pizza. How many pizzas do I need?", 4.67, True),
        ("Wie viele Busse brauche ich für 130 Kinder mit 50 Plätzen?", 2.6, True),
        ("14 guests, three share a pizza. How many pizzas do I need?", 5.0, False),
        ("How many hours are 90 minutes?", 1.5, False),
        ("How many atoms are that?", 10**400, False),
        ("How many cups are in 3 pints?", 6.1, False),
        ("How many eggs per day is 10 a week?", 1.43, False),
        ("How many goals on average in 4 games with 5 goals?", 1.25, False),
        ("How many times larger is 5 than 2?", 2.5, False),
        ("Wie viele Kilometer sind 5 Meilen?", 8.05, False),
        ("How many euros are left of 20 after 5.50?", 14.5, False),
    ],
)
def test_a_part_of_a_thing_is_no_answer_to_how_many_things_core_19(request_, result, is_doubted):
    run = answered(request_, {"result": result}, arguments=[{"expression": "1"}], tool="calculator")
    doubt = "doubtful: the request asks for a number of things, and the result is not whole"
    assert (doubt in doubt_marks(run)) == is_doubted


SALE = "Ein Pulli kostet 64 Euro, erst 25 % runter, dann nochmal 10 % auf den neuen Preis. Was kostet er?"


@pytest.mark.parametrize(
    ("request_", "expression", "is_doubted"),
    [
        (SALE, "48 * 1.1", True),
        (SALE, "48 * (1 + 0.10)", True),
        (SALE, "48 * (1 - 0.10)", False),
        ("A coat of 80 euros is 20% off. What is the price?", "80 * 1.2", True),
        (SALE, "48 * 0.9", False),
        ("A coat of 80 euros is 20% off, plus 19% VAT. What is the price?", "64 * 1.19", False),
        ("What is 80 and 10 percent of it?", "80 * 1.1", False),
    ],
)
def test_a_percentage_that_is_taken_off_is_not_added_core_19(request_, expression, is_doubted):
    run = answered(request_, {"result": 52.8}, arguments=[{"expression": expression}], tool="calculator")
    is_named = any("takes the percentage off" in each for each in doubt_marks(run))
    assert is_named == is_doubted


def test_a_number_beyond_every_float_is_an_answer_core_19():
    """`aeon run "What is 10^400?"` ended as a defect of Aeon, with an OverflowError."""
    run = answered("What is 10^400?", {"result": 10**400}, arguments=[{"expression": "10^400"}], tool="calculator")
    assert doubt_marks(run) == []


def test_an_amount_of_two_parts_is_used_as_one_core_19():
    weight = {"value": 175, "from": "pounds", "to": "kilos"}
    asked = "My grandad always says he weighs 12 stone 7. What's that in kilos?"
    run = answered(asked, {"result": 79.4, "unit": "kilos"}, arguments=[weight], tool="convert_units")
    assert doubt_marks(run) == []
    wrong = answered(asked, {"result": 1}, arguments=[{**weight, "value": 127}], tool="convert_units")
    assert "doubtful: it was computed with 127, which neither the request nor a result has" in doubt_marks(wrong)


def test_a_date_in_digits_is_no_number_that_was_computed_with_core_19():
    given = {"start": "22.8.1944", "until": "1.8.2020"}
    age = {"result": "75 years 11 months 10 days"}
    run = answered("Oma, geboren am 22.8.1944 - wie alt war sie am 1.8.2020?", age, arguments=[given], tool="date_math")
    assert doubt_marks(run) == []


def alone(request, answer):
    """A run that code planned as one step by the model."""
    steps = [PlanStep(step_id="s1", description="answer the request", agent="llm")]
    return AnsweredRun(request, steps, [], {"s1": {"text": answer}}, True, True)


@pytest.mark.parametrize(
    ("request_", "answer"),
    [
        ("A walk of 12 km at 4 km/h, how long is that?", "It takes 3 hours."),
        ("how many weeks is that, 98 days?", "There are 4 weeks and 2 days."),
        ("Wie lange brauche ich für 300 km bei 100 km/h?", "Du brauchst drei Stunden."),
        ("What weekday is 4 July 1976?", "A Monday."),
        ("I pay 12 euros each month, how much is that in a year?", "144 euros."),
        ("Ein dreiviertel Liter Wasser, wieviele Esslöffel zu je 15 ml sind das?", "1 Esslöffel"),
    ],
)
def test_what_the_model_computed_without_a_tool_is_doubtful_core_19(request_, answer):
    """A small model took 98 days for 4 weeks and 2 days, and only "from the model" was said."""
    assert doubt_marks(alone(request_, answer)) == ["doubtful: the model computed it by itself"]


@pytest.mark.parametrize(
    ("request_", "answer"),
    [
        ("How much flour do I need for pancakes for 4 guests?", "About 250 g of flour."),
        ("How long do 2 kg of potatoes boil?", "About 25 minutes."),
        ("Wie viel Wasser brauche ich für 500 g Reis?", "Etwa einen Liter, also 1000 ml."),
        ("When did the Berlin Wall fall?", "In 1989."),
        ("How high is the Zugspitze?", "2,962 m."),
        ("How many of them are 5 km long?", "I cannot see them."),
        ("Who won in 2014?", "Germany won 1 to 0."),
    ],
)
def test_what_the_model_knows_is_not_doubtful_core_19(request_, answer):
    assert doubt_marks(alone(request_, answer)) == []


@pytest.mark.parametrize("request_", ["which is more, 3/8 or 0.4", "Was ist länger: 5 km oder 3 Meilen?"])
def test_a_number_does_not_say_which_of_two_is_more_core_19(request_):
    marks = doubt_marks(answered(request_, {"result": -0.025}, arguments=[{"expression": "3/8 - 0.4"}]))

    assert "doubtful: the request does not ask for a number" in marks


def test_a_clock_time_that_was_added_as_a_duration_is_doubtful_core_19():
    request = "My shift started at 6:40 and I left at 15:10, how long was it?"
    durations = {"durations": ["6:40", "15:10"]}

    assert "doubtful: 6:40 is a clock time, and was added as a duration" in doubt_marks(
        answered(request, {"result": "21:50"}, arguments=[durations])
    )
    assert doubt_marks(answered("Add 6:40 and 15:10", {"result": "21:50"}, arguments=[durations])) == []


def about_a_text(request, text, answer):
    """A run in which a tool read a text, and the model answered from it."""
    steps = [
        PlanStep(step_id="r", description="read", tool="t", arguments={}),
        PlanStep(step_id="a", description=request, agent="llm", arguments={"text": "{step.r.text}"}),
    ]
    return AnsweredRun(request, steps, [], {"r": {"text": text}, "a": {"text": answer}}, False, True)


def test_what_a_model_counted_or_sorted_by_itself_is_doubtful_core_19():
    marks = doubt_marks(about_a_text("Sort these names", "Wanda, Boris", "Wanda, Boris"))

    assert marks == ["doubtful: the model counted or sorted by itself"]
    assert doubt_marks(about_a_text("Who is there?", "Wanda, Boris", "Wanda, Boris")) == []


def test_an_answer_in_another_language_is_doubtful_unless_a_translation_was_asked_for_core_19():
    text = "Der Baum ist auf das Gleis gefallen, und die Züge stehen still."
    answer = "A tree fell on the track, and the trains are not running."

    marks = doubt_marks(about_a_text("Fass den Text bitte kurz zusammen", text, answer))

    assert marks == ["doubtful: the request is in German, the answer in English"]
    assert doubt_marks(about_a_text("Fass den Text bitte auf Englisch zusammen", text, answer)) == []
    assert doubt_marks(about_a_text("What happened to the trains?", text, answer)) == []


def test_one_number_is_no_answer_to_a_request_for_every_part_core_19():
    def shared_out(request):
        steps = [PlanStep(step_id="s", description="d", tool="calculator", arguments={"expression": "250 * 2 / 5"})]
        return AnsweredRun(request, steps, [], {"s": {"result": 100}}, True, True)

    asked = "Split 250 euros in the ratio 2 to 3"
    doubt = "doubtful: the request asks for every part, and the answer is one number"
    assert doubt in doubt_marks(shared_out(asked))
    assert doubt not in doubt_marks(shared_out(f"{asked}. What is the smaller part?"))


@pytest.mark.parametrize(
    ("request_", "answer", "marks"),
    [
        (
            "How many vowels has the second word of this sentence?",
            "2",
            ["doubtful: the model counted letters by itself"],
        ),
        ("Wie viele Silben hat Donaudampfschiff?", "5", ["doubtful: the model counted letters by itself"]),
        ("How many letters are in the English alphabet?", "26", []),
        ("Who wrote how many letters to Milena?", "Franz Kafka wrote many.", []),
        ("Who painted the Mona Lisa?", "Leonardo da Vinci.", []),
        ("Who wrote the Moonlight Sonata?", "Ludwig van Beethoven", []),
        (
            "Who is at the door?",
            "Il cane è nella casa.",
            ["doubtful: the request is in English, the answer in Italian"],
        ),
    ],
)
def test_letters_that_the_model_counted_are_doubtful_and_a_name_is_in_no_language_core_19(request_, answer, marks):
    assert doubt_marks(alone(request_, answer)) == marks


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("Cannot: I have no access to that.", "declined: I have no access to that."),
        ("CANNOT: phone", "declined: phone"),
        ("Can't: I have no access to that.", "declined: I have no access to that."),
        ("I have no access to that.", "declined: the model does not say what is missing"),
        ("Cannot:", "declined: the model does not say what is missing"),
        ("I have no access to that. But the answer is 42.", None),
        ("You cannot: it is closed.", None),
    ],
)
def test_a_decline_is_known_also_without_its_prefix(text, mark):
    assert declined_mark(text, "Call Ann.") == mark


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I cannot provide an out-of-office reply on January 5th.",
        "I'm sorry, but I can\u2019t assist with that.",
        "Sorry, I can't help with that. Please ask somebody else.",
        "I cannot access your calendar.",
        "As an AI language model, I don't have access to real-time data.",
        "I'm sorry, but as an AI language model, I do not have access to your boss's last e-mail.",
        "Unfortunately, I am unable to directly access files.",
        "Es tut mir leid, aber ich kann dir dabei nicht helfen.",
        "Leider kann ich diese E-Mail nicht schreiben.",
        "Désolé, mais je ne peux pas vous aider.",
        "Je ne peux pas vous aider avec cela.",
        "No puedo ayudarte con eso.",
        "Ich kann dir dabei leider nicht helfen.",
        "Lo siento, pero no puedo ayudarte con eso.",
        "I'm sorry, but I can't cheer you up.",
    ],
)
def test_a_refusal_in_the_models_own_words_is_a_decline_core_19(text):
    """A small model refused to write an out-of-office reply, and the run looked right."""
    assert declined_mark(text, "Write me an out-of-office reply") == f"declined: {text.split('. ')[0].rstrip('.')}"


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        ("Write to Bob that I can't provide the report", "I'm sorry, but I cannot provide the report."),
        ("How do I decline an invitation?", "I'm sorry, but I can't help with that day."),
        ("My cat died", "I'm sorry to hear that. I can't imagine how you feel."),
        ("Write a note to my landlord", "Dear Mr Weber, I cannot access the cellar."),
        ("What is a closure?", "Unfortunately, closures are often badly explained. I cannot provide more. A. B. C. D."),
        ("Write a chorus", "I cannot help falling in love with you"),
        ("Schreib eine Absage", "Leider kann ich dir dabei nicht helfen."),
    ],
)
def test_words_that_are_wanted_or_part_of_a_text_are_no_refusal(request_, text):
    assert declined_mark(text, request_) is None


@pytest.mark.parametrize(
    ("request_", "text", "reason"),
    [
        ("Wie heißt mein Vermieter?", "Ihr Vermieter ist [Name des Vermieters].", "[Name des Vermieters]"),
        ("Who is my dentist?", "Your dentist is [Dentist's Name].", "[Dentist's Name]"),
        ("Write a letter to my landlord", "Dear [Landlord's Name],", None),
        ("What does [Note] mean?", "[Note] is a remark.", None),
        ("How do I link in Markdown?", "Write [Text](address) or [text].", None),
        ("Give me a list in Python", 'Use ["A", "B"] or [1, 2].', None),
    ],
)
def test_a_placeholder_in_place_of_an_answer_is_doubtful_core_19(request_, text, reason):
    marks = doubt_marks(said_by_model(request_, text))
    assert marks == ([f"doubtful: the answer has a placeholder: {reason}"] if reason else [])


@pytest.mark.parametrize("request_", ["Roll 3d6 for me", "Flip a coin", "Wirf zwei Würfel", "Pick a random number"])
def test_what_chance_decides_is_doubtful_if_nothing_was_drawn_core_19(request_):
    """A small model planned "Roll 3d6" as 3 * 6 + 1 + 1 + 1, and its answer was 21."""
    computed = answered(request_, {"result": 5}, arguments=[{"expression": "2 + 3"}])
    drawn = answered(request_, {"total": 5}, arguments=[{"notation": "3d6"}])
    doubt = "doubtful: the request asks for chance, and nothing was drawn by chance"

    assert doubt in doubt_marks(computed)
    assert doubt not in doubt_marks(drawn)


@pytest.mark.parametrize("request_", ["What is a random walk?", "Give the odds of a six", "Erkläre den Zufall"])
def test_a_question_about_chance_asks_for_no_draw(request_):
    marks = doubt_marks(answered(request_, {"result": 5}, arguments=[{"expression": "2 + 3"}]))
    assert not [mark for mark in marks if "chance" in mark]
