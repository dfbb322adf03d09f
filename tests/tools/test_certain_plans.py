"""Plans that code makes without a model, and the offer of tools by the words of a request (core 19)."""

import pytest

from aeon.memory.kv_store import InMemoryKVStore
from aeon.tools.interface import Tool
from aeon.tools.registry import ToolRegistry
from aeon.tools.stubs import builtin_tools


def registry(plans_always=False, **stored):
    memory = InMemoryKVStore()
    for key, value in stored.items():
        memory.write(key, value)
    return ToolRegistry(builtin_tools(memory), plans_always=plans_always)


@pytest.mark.parametrize(
    "request_",
    [
        "Which town has the tallest cathedral?",
        "Wer hat die Buchpresse erfunden?",
        "hi there, nice to see you",
        "Translate into Italian: see you at the harbour",
        "Order a bouquet for my aunt.",
        "Suggest two titles",
    ],
)
def test_a_request_that_no_tool_suits_is_answered_by_the_model_in_one_step_core_19(request_):
    offer = registry().offer(request_)

    assert offer.plan == {
        "goal": request_,
        "steps": [{"step_id": "s1", "description": "answer the request", "agent": "llm"}],
    }
    assert registry(plans_always=True).offer(request_).plan is None, "a kernel without this setting asks its planner"


@pytest.mark.parametrize(
    ("request_", "tool", "arguments"),
    [
        ("What is 9 ft in m?", "convert_units", {"value": 9, "from": "ft", "to": "m"}),
        ("12 stone in kilos", "convert_units", {"value": 12, "from": "stone", "to": "kilos"}),
        ("half a litre in millilitres pls", "convert_units", {"value": 0.5, "from": "litre", "to": "millilitres"}),
        ("ein halber Liter in Milliliter", "convert_units", {"value": 0.5, "from": "Liter", "to": "Milliliter"}),
        ("what is a mile in km", "convert_units", {"value": 1, "from": "mile", "to": "km"}),
        ("2 US gallons in litres", "convert_units", {"value": 2, "from": "gallons", "to": "litres"}),
        ("convert 3/4 cup to millilitres", "convert_units", {"value": 0.75, "from": "cup", "to": "millilitres"}),
        (
            "Wie viele Kilometer pro Stunde sind 20 m/s?",
            "convert_units",
            {"value": 20, "from": "m/s", "to": "Kilometer pro Stunde"},
        ),
        ("What is 15 * 23 plus 7?", "calculator", {"expression": "15 * 23 + 7"}),
        ("What time is it?", "now", {}),
        ("What year is it?", "now", {}),
        ("Welchen Monat haben wir gerade?", "now", {}),
        ("Welches Jahr haben wir?", "now", {}),
        ("¿Qué día es hoy?", "now", {}),
        ("que hora es", "now", {}),
        ("a cuántos estamos", "now", {}),
        ("Quel jour sommes-nous ?", "now", {}),
        ("il est quelle heure", "now", {}),
        ("Quelle est la date d'aujourd'hui ?", "now", {}),
        ("Che giorno è oggi?", "now", {}),
        ("Hoe laat is het?", "now", {}),
        ("12! / 10!", "exact", {"expression": "12! / 10!"}),
    ],
)
def test_a_request_that_one_tool_reads_as_a_whole_needs_no_planner(request_, tool, arguments):
    plan = registry().offer(request_).plan

    assert plan is not None
    assert [(step["tool"], step["arguments"]) for step in plan["steps"]] == [(tool, arguments)]


@pytest.mark.parametrize(
    "request_",
    ["¿Qué día es el 5 de mayo?", "quel jour est le 14 juillet ?", "¿Qué hora es en Lima?", "que dia es navidad"],
)
def test_another_day_or_place_is_not_taken_for_the_present(request_):
    assert "now" not in str(registry().offer(request_).plan)


@pytest.mark.parametrize(
    "request_",
    [
        "Remember 15 * 23 plus 7",
        "What is 4 plus 5, and why?",
        "A pen costs 3 and a book 8. What do 2 of each cost?",
        "Remember my tram, and what it costs",
    ],
)
def test_what_needs_thought_is_planned_by_the_model(request_):
    assert registry().offer(request_).plan is None


def test_a_tool_of_the_user_is_always_planned_with():
    class Mine(Tool):
        name = "mine"
        description = "Do it."
        input_schema = output_schema = {"type": "object"}

        def invoke(self, **kwargs):
            return kwargs

    tools = registry()
    tools.register(Mine())
    assert tools.offer("hi there").plan is None


@pytest.mark.parametrize(
    ("request_", "stored", "hint"),
    [
        ("when does my tram leave?", {"tram": "at nine", "bus": "at ten"}, {"key": "tram"}),
        ("Wie hoch war gleich meine Miete?", {"miete": 700}, {"key": "miete"}),
        ("which boats are there?", {"boat_red": 1, "boat_blue": 2}, None),
        ("I paid 20 of the loan, what is left?", {"loan": 90}, None),
    ],
)
def test_a_stored_value_is_offered_to_requests_that_speak_of_it(request_, stored, hint):
    offer = registry(**stored).offer(request_)

    assert "memory_read" in [tool["name"] for tool in offer.tools]
    assert offer.hints.get("memory_read") == hint


@pytest.mark.parametrize(
    "request_",
    [
        "Who wrote the longest letter?",
        "How do I keep bread fresh?",
        "Which store sells nails?",
        "Is a key a note in music?",
    ],
)
def test_memory_is_not_offered_for_a_word_that_only_looks_like_it(request_):
    assert registry(tram="at nine").offer(request_).extra == []


@pytest.mark.parametrize(
    "request_",
    [
        "Remember my tram: 4",
        "Save 42 as answer",
        "Merk dir meinen Namen: Kim",
        "Note that Kim likes tea",
        "Add 2 and 3, and keep it",
    ],
)
def test_memory_is_offered_to_keep_something(request_):
    assert "memory_write" in [tool["name"] for tool in registry().offer(request_).extra]


def test_memory_is_not_offered_to_requests_about_other_things():
    names = [tool["name"] for tool in registry(tram="at nine").offer("what is the sum of 3 and 4").tools]

    assert names == ["calculator"]
