"""Requests for a translation: the model is shown the text alone, and an answer in another language is doubtful."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.base.translations import read_translation
from aeon.llm.instructions import TRANSLATION_SYSTEM_PROMPT, answer_prompt


@pytest.mark.parametrize(
    ("request_", "text", "target"),
    [
        ("translate to german: the meeting is on thursday at 3", "the meeting is on thursday at 3", "German"),
        ("Please translate the following sentence into French:\nI am hungry.", "I am hungry.", "French"),
        ("how do you say 'good morning' in Polish?", "good morning", "Polish"),
        ('Translate "Hello, Bob" to Spanish', "Hello, Bob", "Spanish"),
        ("translate from English to Dutch: it's late", "it's late", "Dutch"),
        ("übersetz ins englische: ich habe den zug verpasst", "ich habe den zug verpasst", "English"),
        ("Übersetze mir bitte den Satz ins Englische: Hallo Welt", "Hallo Welt", "English"),
        ("Übersetze bitte \u201eGuten Morgen\u201c auf Italienisch", "Guten Morgen", "Italian"),
        ("Wie sagt man 'Danke' auf Türkisch?", "Danke", "Turkish"),
        ("traduis en espagnol : où est la gare", "où est la gare", "Spanish"),
        ("Comment dit-on « bonjour » en allemand ?", "bonjour", "German"),
        ("traduce al francés: muchas gracias", "muchas gracias", "French"),
        ("¿Cómo se dice 'gracias' en alemán?", "gracias", "German"),
    ],
)
def test_the_text_and_the_language_of_a_translation_are_read(request_, text, target):
    """Shown "traduis en espagnol : où est la gare", a small model answered that the station is in Spain."""
    assert read_translation(request_) == (text, target)
    assert answer_prompt(request_) == (text, TRANSLATION_SYSTEM_PROMPT.format(language=target))


@pytest.mark.parametrize(
    "request_",
    [
        "translate this file to german",
        "What does 'hola' mean?",
        "translate to klingon: hi",
        "Translate into German: ",
        "Is German hard to learn?",
        "Translate the song to German and tell me who wrote it",
        "translate to german: " + "x" * 12_000,
    ],
)
def test_anything_else_is_no_translation_that_code_reads(request_):
    assert read_translation(request_) is None


@given(st.text())
def test_any_text_is_read_or_not(text):
    read_translation(f"translate to german: {text}")
    read_translation(text)
