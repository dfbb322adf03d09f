"""Questions about stored values: a model says which ones answer them, and code quotes those or computes with them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.base.errors import ToolError
from aeon.memory.kv_store import InMemoryKVStore
from aeon.tools.memory_requests import is_lookup, keys_about, words_beside
from aeon.tools.quoted_lines import QuoteLinesTool, find_lines
from aeon.tools.registry import ToolRegistry
from aeon.tools.stubs import builtin_tools

CODES = "locker code: 4711\ndoor code: 2209\ndoctor: comes on 5 May\nfood: no nuts, no eggs"


def plan_for(request, **stored):
    memory = InMemoryKVStore()
    for key, value in stored.items():
        memory.write(key, value)
    return ToolRegistry(builtin_tools(memory), plans_always=False).offer(request).plan


def tools_of(plan):
    return None if plan is None else [step.get("tool") or step["agent"] for step in plan["steps"]]


@pytest.mark.parametrize(
    ("request_", "stored"),
    [
        ("What is my locker code?", {"locker_code": 1, "door_code": 2}),
        ("whats my sisters birthday again?", {"sister_birthday": "3 May", "mother_birthday": "2 May"}),
        ("tell me my door code please", {"door code": 2}),
        ("Wie heißt mein Hund nochmal?", {"hund": "Waldi"}),
    ],
)
def test_the_value_of_a_key_is_read_without_a_model(request_, stored):
    assert tools_of(plan_for(request_, **stored)) == ["memory_read"]


@pytest.mark.parametrize(
    ("request_", "stored", "keys"),
    [
        ("where does my aunt live these days?", {"aunt_address": "a", "aunt_phone": "b", "car": "c"}, ["aunt_address", "aunt_phone"]),
        ("Was mag mein Bruder Jan gern?", {"bruder_essen": "Reis", "jan_bruder": "ja"}, ["jan_bruder", "bruder_essen"]),
        ("what was the thing i told you yesterday", {"car": "red", "city": "Graz"}, ["car", "city"]),
    ],
)  # fmt: skip
def test_a_model_finds_the_line_and_code_quotes_it(request_, stored, keys):
    plan = plan_for(request_, **stored)

    assert tools_of(plan) == ["memory_recall", "llm", "quote_lines"]
    assert plan["steps"][0]["arguments"] == {"keys": keys}
    assert request_ in plan["steps"][1]["description"]


@pytest.mark.parametrize(
    "request_",
    ["rent, gas and phone together, what am i paying?", "What do I pay for rent and gas in total?"],
)
def test_a_number_that_follows_from_stored_values_is_computed(request_):
    assert tools_of(plan_for(request_, rent=900, gas=80, phone=20)) == ["memory_recall", "llm", "calculate_from_text"]


@pytest.mark.parametrize("request_", ["show me everything you have saved about me", "List all you've stored, my notes"])
def test_a_list_of_everything_needs_no_model(request_):
    assert tools_of(plan_for(request_, city="Graz", car="red")) == ["memory_recall"]


@pytest.mark.parametrize(
    "request_",
    [
        "What do you remember?",
        "what do you still know about me",
        "What have I saved?",
        "What did you note down?",
        "what's in your memory?",
        "Show me my notes",
        "Was hast du dir gemerkt?",
        "Was habe ich dir alles gesagt?",
        "Was ist gespeichert?",
        "Woran erinnerst du dich?",
    ],
)
def test_a_question_for_the_whole_memory_needs_no_model_even_if_it_is_empty(request_):
    assert plan_for(request_, city="Graz", car="red")["steps"][0]["arguments"] == {"keys": ["car", "city"]}
    assert plan_for(request_)["steps"][0]["arguments"] == {"keys": []}
    recall = ToolRegistry(builtin_tools(InMemoryKVStore())).get("memory_recall")
    assert recall.invoke(keys=[]) == {"text": "Nothing is stored yet."}


@pytest.mark.parametrize("request_", ["What do you remember about the war?", "What do you know about whales?"])
def test_a_question_about_something_is_none_for_the_whole_memory(request_):
    plan = plan_for(request_, city="Graz")
    assert plan is None or "memory_recall" not in tools_of(plan)


@pytest.mark.parametrize(
    "request_",
    [
        "I paid 20 of my loan, what is left?",
        "change my loan to a smaller one",
        "Remember my loan",
        "Which loan is usual in Spain?",
        "Write a letter about my loan to the bank",
        "Email the bank about my loan",
        "What is the news about loans like mine?",
        "Explain to me how my loan works",
    ],
)
def test_what_takes_more_than_reading_is_planned_by_a_model(request_):
    assert plan_for(request_, loan=90) is None


@pytest.mark.parametrize("request_", ["Suggest a name for my dog", "What's a good name for my dog?"])
def test_talk_is_no_question_about_a_stored_value(request_):
    assert tools_of(plan_for(request_, name="Kim")) == ["llm"]


def test_too_much_is_left_to_a_planner():
    assert plan_for("what did i tell you", **{f"note {number}": "x" for number in range(60)}) is None
    assert plan_for("what did i tell you", **{f"note {number}": "x" * 900 for number in range(9)}) is None


@pytest.mark.parametrize("words", ["Cannot: the text does not say that.", "Cannot: I have no access to that."])
def test_a_question_that_no_stored_value_answers_is_declined_as_one(words):
    told = QuoteLinesTool().invoke(text=CODES, words=words)["text"]
    assert told == ("Cannot: nothing is stored about that." if "the text" in words else words)


def test_recalled_values_are_lines_and_a_missing_one_is_an_error():
    memory = InMemoryKVStore()
    memory.write("locker_code", "47\n11")
    tool = ToolRegistry(builtin_tools(memory)).get("memory_recall")

    assert tool.invoke(keys=["locker_code"]) == {"text": "locker code: 47 11"}
    with pytest.raises(ToolError, match="'door'"):
        tool.invoke(keys=["locker_code", "door"])


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        ("locker code: 4711", ["locker code: 4711"]),
        ("4711", ["locker code: 4711"]),
        ('- "2209"\n- "4711"', ["locker code: 4711", "door code: 2209"]),
        ("Your locker has the code 4711.", ["locker code: 4711"]),
        ("5 May", ["doctor: comes on 5 May"]),
        ("NO NUTS, no eggs", ["food: no nuts, no eggs"]),
        ("471", []),
        ("Yes.", []),
        ("", []),
    ],
)
def test_words_name_the_lines_whose_values_they_have(words, lines):
    assert find_lines(CODES, words) == lines


@given(st.text(max_size=40), st.lists(st.text(min_size=1, max_size=12), max_size=5))
def test_what_is_quoted_are_lines_of_the_text_whatever_a_model_says(words, values):
    text = "\n".join(f"k{number}: {' '.join(value.split())}" for number, value in enumerate(values))

    assert set(find_lines(text, words)) <= set(text.splitlines())


def test_words_that_name_no_line_are_an_error():
    with pytest.raises(ToolError, match="none of the stored values: 9999"):
        QuoteLinesTool().invoke(text=CODES, words="9999")


def test_words_are_alike_up_to_an_ending():
    assert keys_about("Was kosten die Geschenke?", ["geschenk oma", "auto"]) == ["geschenk oma"]
    assert keys_about("a car", ["carpet"]) == []
    assert is_lookup("tell me my door code", "door_code")
    assert not is_lookup("which door code is longer", "door_code")


def test_words_that_only_other_keys_have_are_beside_the_matter():
    keys = ["wife birthday", "own blood type"]

    assert words_beside("what blood type has my wife", keys, ["own blood type"]) == ["wife"]
    assert words_beside("my blood type, not that of my wife", keys, ["own blood type"]) == []
