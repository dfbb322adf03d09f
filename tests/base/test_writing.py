"""Requests for a text or a program are answered with one: neither declined nor planned with the files of the folder."""

import pytest

from aeon.base.writing import asks_for_code, asks_for_text, is_rewriting, is_translation
from aeon.llm.instructions import ANSWER_SYSTEM_PROMPT, TALK_SYSTEM_PROMPT, WRITING_SYSTEM_PROMPT, answer_prompt


@pytest.mark.parametrize(
    "request_",
    [
        "Write me a short out-of-office reply, back on 5 January",
        "draft an email to my boss about a day off",
        "Turn this into a haiku: the train was late again",
        "make this more polite: give me my money back",
        "Fix the grammar: he dont likes apples",
        "Shorten this: " + "The way was long. " * 100,
        "Schreib mir eine Einladung zum Grillen",
        "Formuliere das höflicher: Komm sofort her",
        "Écris une invitation pour un pique-nique",
        "Redacta un correo para pedir un día libre",
        "tweet about the new shop of our bakery",
        "short complaint to my landlord: the heating is broken",
        "birthday wish for my colleague, short",
        "I need a name for a bamboo cup",
        "Einladung zum Geburtstag meiner Tochter",
    ],
)
def test_a_text_that_is_to_be_written_needs_nothing_else(request_):
    assert asks_for_text(request_) or is_rewriting(request_)
    assert answer_prompt(request_)[1].startswith(WRITING_SYSTEM_PROMPT.split("{")[0])


@pytest.mark.parametrize(
    "request_",
    [
        "Write a summary of today's news",
        "Write an email to Bob and send it",
        "Draft a reply to my latest emails",
        "Schreib auf, was in mein Kalender steht",
        "What is the capital of Peru?",
        "Who wrote Faust?",
        "Write about https://example.org",
        "Translate the letter on my desk into German",
        "Proofread my thesis",
        "Übersetze den Brief von gestern",
        "What is the best email client for Linux?",
        "Is there a letter for me?",
        "Read the message from Ann",
        "What did my boss write in his last e-mail?",
        "word " * 130,
    ],
)
def test_live_data_actions_and_private_data_are_not_made_up(request_):
    assert not asks_for_text(request_)
    assert answer_prompt(request_)[1] in (ANSWER_SYSTEM_PROMPT, TALK_SYSTEM_PROMPT.format(language="English"))


@pytest.mark.parametrize(
    "request_",
    [
        "write a bash one-liner that counts the lines of all .py files",
        "Give me a regex for German postcodes in a file",
        "I need an Excel formula that adds the files column",
        "how do I find all files larger than 1 GB in linux?",
        "linux one liner to count the lines in all .py files in this folder",
        "Schreib mir eine Python-Funktion, die Dateien zählt",
    ],
)
def test_a_program_about_files_is_written_and_no_file_is_read(request_):
    assert asks_for_code(request_)


@pytest.mark.parametrize(
    "request_",
    [
        "Show me the script in this folder",
        "How many lines does main.py have?",
        "Write a function that adds two numbers to sums.py",
        "Which files have a script?",
        "List the python files",
    ],
)
def test_a_question_about_files_or_a_file_to_write_is_no_program(request_):
    assert not asks_for_code(request_)


@pytest.mark.parametrize(
    ("request_", "is_one"),
    [
        ("Translate to French: hello", True),
        ("Übersetze das bitte ins Englische: Hallo", True),
        ("Say hello in Spanish", True),
        ("Write a poem in spring", False),
    ],
)
def test_a_translation_names_no_language_for_its_answer(request_, is_one):
    assert is_translation(request_) is is_one


@pytest.mark.parametrize(
    ("request_", "is_one"),
    [
        ("turn this into bullet points: two towels and water for 3 days", True),
        ("Translate to German: 5 apples and 3 pears", True),
        ("Kürze das: Am 3.5. um 9 Uhr treffen wir uns", True),
        ("Write the total of these: 3, 4", False),
        ("Make 3 bullets: a, b, c", False),
        ("Compute: 3 + 4", False),
        ("Write a poem", False),
        ("Rewrite this: ", False),
    ],
)
def test_a_text_behind_a_colon_is_rewritten_and_not_computed_with(request_, is_one):
    """Bullet points about two towels and 3 days were answered with 7."""
    assert is_rewriting(request_) is is_one
