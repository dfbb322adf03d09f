"""The language of short texts."""

import pytest

from aeon.base.language import language_of, with_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("which of these boats is the oldest", "English"),
        ("Wie lange dauert die Fahrt?", "German"),
        ("Combien de temps dure le voyage ?", "French"),
        ("¿Cuánto dura el viaje?", "Spanish"),
        ("Quanto dura il viaggio per la città?", "Italian"),
        ("Hoe lang is de reis en waar is het station?", "Dutch"),
        ("42", None),
        ("", None),
    ],
)
def test_the_language_is_that_of_the_usual_words(text, language):
    assert language_of(text) == language


def test_only_another_language_than_english_is_named():
    assert with_language("which boat is this") == "which boat is this"
    assert with_language("Welches Boot ist das?") == "Welches Boot ist das?\nAnswer in German."
