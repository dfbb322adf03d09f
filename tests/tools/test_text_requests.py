"""Questions about the letters and words of a given text: read by code, counted by code, never by a model."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.base.errors import ToolError
from aeon.tools.said_results import say_result
from aeon.tools.stubs.text_operation import TextOperationTool
from aeon.tools.text_requests import TEXT_OPERATION, read_text_question

TOOL = TextOperationTool()


@pytest.mark.parametrize(
    ("request_", "answer"),
    [
        ("How many r's are in strawberry?", "3"),
        ("how many r in strawberry", "3"),
        ('How many Rs are there in the word "strawberry"?', "3"),
        ("how many times does the letter s appear in Mississippi", "4"),
        ("how many l's does parallel have", "3"),
        ("How many letters has the word Mississippi?", "11"),
        ("how many vowels are in education", "5"),
        ("count the vowels in banana please", "3"),
        ("how many words are in: the quick brown fox jumps", "5"),
        ('How many words are in the sentence "I like green tea"?', "4"),
        ("What is 'hello world' backwards?", "dlrow olleh"),
        ("please write hello backwards", "olleh"),
        ("Reverse the word stressed", "desserts"),
        ("Is racecar a palindrome?", "yes"),
        ('is "A man, a plan, a canal: Panama" a palindrome?', "yes"),
        ("Is banana a palindrome?", "no"),
        ("Sort these words alphabetically: pear, apple, fig and banana", "apple, banana, fig, pear"),
        ("sort pear, apple and fig alphabetically", "apple, fig, pear"),
        ("sort these numbers in descending order: 5, 12, 3", "12, 5, 3"),
        ("Sort: 10, 9, 100", "9, 10, 100"),
        ("put these in alphabetical order:\nZürich\nÄrger\nApfel", "Apfel\nÄrger\nZürich"),
        ("Wie viele Buchstaben hat Donaudampfschiff?", "16"),
        ("Wie viele r sind in Erdbeere?", "2"),
        ("Wie oft kommt der Buchstabe e in Erdbeere vor?", "4"),
        ("Ist Reliefpfeiler ein Palindrom?", "ja"),
        ("was ist Lager rückwärts", "regaL"),
        ("Sortiere alphabetisch: Birne, Apfel", "Apfel, Birne"),
        ("Combien de lettres dans le mot anticonstitutionnellement ?", "25"),
        ("¿Cuántas veces aparece la letra a en banana?", "3"),
        ("¿Cuántas letras tiene la palabra murciélago?", "10"),
    ],
)
def test_a_question_about_a_given_text_is_answered_by_code(request_, answer):
    arguments = TOOL.read_request(request_)
    assert TOOL.validate_input(**arguments)
    result = TOOL.invoke(**arguments)
    assert TOOL.validate_output(result)
    assert say_result(TEXT_OPERATION, result, request_) == answer


@pytest.mark.parametrize(
    "request_",
    [
        "How many letters are in the alphabet?",
        "How many letters are in the English alphabet?",
        "How many letters did Goethe write?",
        "How many letters do I have in my inbox?",
        "how many letters are in my name",
        "how many words does Hamlet have",
        "How many words are in the text I sent you?",
        "how many words should an abstract have",
        "how many m in km",
        "how many g in pound",
        "how many s are in a minute",
        "how many cups in a liter",
        "reverse engineering",
        "walk backwards",
        "sort the list by length: aa, b",
        "order my tasks: b, a",
        "Order: pizza, cola",
        "Sort these words: b, a. Put them into a table",
        "sort these: b, a and reverse them",
        "how many words are in: hello world? And how many letters?",
        "put the following in French: a, b",
        "sort: apple",
        "sort: apple, 3",
        "What is a palindrome?",
        "x" * 3000,
    ],
)
def test_what_needs_more_than_the_text_is_left_alone(request_):
    assert read_text_question(request_) is None
    assert not TOOL.suits(request_)


@given(st.text(max_size=40), st.text(min_size=1, max_size=3))
def test_the_operations_are_those_of_the_text(text, of):
    """Reversing twice gives the text; a text and its reverse make a palindrome; sorting keeps the items."""
    text = unicodedata.normalize("NFC", text)
    back = TOOL.invoke(operation="reverse", text=text)["result"]
    if unicodedata.normalize("NFC", back) == back and not (text and unicodedata.combining(text[0])):
        assert TOOL.invoke(operation="reverse", text=back)["result"] == text
    if any(each.isascii() and each.isalnum() for each in text) and text.isascii():
        assert TOOL.invoke(operation="is_palindrome", text=text + text[::-1])["result"] is True
    assert TOOL.invoke(operation="characters", text=text)["result"] == len(text)
    assert TOOL.invoke(operation="letters", text=text)["result"] <= len(text)
    assert 0 <= TOOL.invoke(operation="occurrences", text=text, of=of)["result"] <= len(text.casefold())


@given(st.lists(st.text("abcäz ", min_size=1, max_size=4).filter(str.strip), min_size=2, max_size=6))
def test_a_sorted_list_has_the_same_items_and_the_other_way_is_its_reverse(items):
    text = ", ".join(items)
    up, down = (TOOL.invoke(operation=each, text=text)["result"] for each in ("sort", "sort_descending"))
    assert sorted(up.split(", ")) == sorted(each.strip() for each in items)
    assert up.split(", ") == down.split(", ")[::-1]


def test_letters_with_marks_of_their_own_are_one_letter():
    decomposed = unicodedata.normalize("NFD", "é")
    assert TOOL.invoke(operation="letters", text=f"caf{decomposed}")["result"] == 4
    assert TOOL.invoke(operation="reverse", text="x\u0323y")["result"] == "yx\u0323"


def test_without_what_is_counted_there_is_a_clear_error():
    with pytest.raises(ToolError, match="given as `of`"):
        TOOL.invoke(operation="occurrences", text="x")
