"""Whether a value was given: as a whole word or number, in English and German, never as a part of another (core 18)."""

import pytest

from aeon.base.errors import SupervisorError
from aeon.supervisor.models import Supervisor
from aeon.supervisor.numerals import find_numbers
from aeon.supervisor.repair_context import KnownValues, RepairContext
from aeon.testing.llm import ScriptedAdapter
from aeon.testing.plans import call


@pytest.mark.parametrize(
    ("text", "leaf"),
    [
        ("to bob@x.org.", "bob@x.org"),
        ("call it “Night Owls”", "night owls"),
        ("Bob's book", "Bob"),
        ("read /tmp/notes.txt now", "notes.txt"),
        ("red, green and blue", "green"),
        ("is it true?", True),
        ("Nein, danke", False),
        ("at 3.5 percent", 3.5),
        ("1.234,50 Euro", 1234.5),
        ('set it to ""', ""),
        ("für fünf Personen", 5),
        ("what is 2 + 3?", "2 + 3"),
    ],
)
def test_a_whole_word_or_number_is_said(text, leaf):
    assert KnownValues([text]).contains(leaf)


@pytest.mark.parametrize(
    ("text", "leaf"),
    [
        ("the owl", "e"),
        ("notbob@x.org", "bob@x.org"),
        ("bob@x.org.evil.com", "bob@x.org"),
        ("in 2026", 26),
        ("3.14", 14),
        ("1,234", 234),
        ("version 1.2.3", 2),
        ("step s1", 1),
        ("untrue", True),
        ("I know", False),
        ("Eine E-Mail schreiben", 1),
        ("the well-known owl", "known"),
        ("nothing", ""),
        ("dreist", 3),
    ],
)
def test_a_part_of_a_word_or_number_is_not(text, leaf):
    assert not KnownValues([text]).contains(leaf)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("zwölf", {12}),
        ("zwoelf", {12}),
        ("ein Hundert", {100}),
        ("hunderteins", {101}),
        ("neunhundertneunundneunzig", {999}),
        ("zweitausendsechsundzwanzig", {2026}),
        ("eine Million", {1_000_000}),
        ("drei Millionen", {3, 3_000_000}),
        ("one hundred and twenty", {120}),
        ("1,2,3", {1, 2, 3}),
        ("-5 und 7", {-5, 7}),
        ("2e3", {2000}),
    ],
)
def test_numbers_in_digits_and_words(text, numbers):
    assert numbers <= find_numbers(text)


@pytest.mark.parametrize("text", ["x" * 1_000_000, "two and " * 20_000, " " * 1_000_000])
def test_a_long_text_is_searched_in_bounded_time(text):
    assert find_numbers(text) <= {2}


def test_the_published_method_takes_its_context_as_text_core_18():
    schema = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
    made = Supervisor(ScriptedAdapter([call("t", q="owls")] * 3))

    assert made.repair_tool_call(call("t"), schema, context="find owls") == call("t", q="owls")
    with pytest.raises(SupervisorError, match="invents nothing"):
        made.repair_tool_call(call("t"), schema, context="find howls")


def test_an_empty_context_shows_nothing():
    assert RepairContext().as_prompt() == ""
    assert RepairContext().values() == []
