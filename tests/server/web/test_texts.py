"""The words of the page: both languages have all of them, and every template names only words that exist."""

import re
import string
from typing import get_args

import pytest

from aeon.platform.runs.machine.state import RunPhase, RunStepStatus
from aeon.server.web.pages import FOLDER, fill
from aeon.server.web.texts import TEXTS, choose_language, number_text, text

TEMPLATES = sorted((FOLDER / "templates").glob("*.html"))
USED = re.compile(r"""\bt\(\s*["'](\w+)["']""")
STATES = {*get_args(RunPhase), "complete", "stopped"}
OUTCOMES = {"running", "completed", "answered", "failed", "timed_out", "stopped", "skipped", "refused"}
NODE_STATES = {"pending", "timeout", "skipped"}
HEALTH = {"healthy", "degraded", "down"}
STATUSES = HEALTH | OUTCOMES | NODE_STATES | set(get_args(RunStepStatus))


def fields(words):
    return {name for _, name, _, _ in string.Formatter().parse(words) if name}


@pytest.mark.parametrize("key", TEXTS)
def test_both_languages_say_a_text_with_the_same_values(key):
    english, german = TEXTS[key]
    assert english
    assert german
    assert fields(english) == fields(german)


def test_every_word_of_a_template_exists_and_every_word_is_used():
    code = [each for each in FOLDER.glob("*.py") if not each.name.endswith("texts.py")]
    source = "".join(each.read_text() for each in [*TEMPLATES, *code])
    named = {key for each in TEMPLATES for key in USED.findall(each.read_text())}
    assert named | STATES | STATUSES <= TEXTS.keys()
    spoken = {key for key in TEXTS if re.search(rf"""["']{key}["']""", source)}
    assert TEXTS.keys() - named - STATES - STATUSES - spoken == set()


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("", "en"),
        ("de", "de"),
        ("de-AT,de;q=0.9,en;q=0.8", "de"),
        ("fr,en;q=0.3,de;q=0.5", "de"),
        ("en-GB,de;q=0.9", "en"),
        ("de;q=0", "en"),
        ("de;q=x,en;q=0.1", "en"),
        ("*", "en"),
        (",;,=", "en"),
    ],
)
def test_the_language_is_the_one_that_the_browser_prefers(accepted, language):
    assert choose_language(accepted) == language


@pytest.mark.parametrize(("language", "shown"), [("en", "1,234.50"), ("de", "1.234,50")])
def test_a_number_has_the_marks_of_the_language(language, shown):
    assert number_text(language, 1234.5, 2) == shown


def test_an_unknown_word_is_an_error():
    with pytest.raises(KeyError):
        text("en", "nothing like this")


def test_templates_switch_no_escaping_off_and_have_no_script_or_style_inside():
    for each in TEMPLATES:
        source = each.read_text()
        assert not re.search(r"\|\s*safe|autoescape|<style|\sstyle=|\son\w+=|<script(?! src=\"{{ static)", source), each


def test_a_page_says_its_language():
    assert '<html lang="de">' in fill("sign-in.html", "de", {"is_used": False, "provider": None})
