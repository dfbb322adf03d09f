"""The messages of errors in German: all that a page may show has one, and no text of a user is taken for one."""

import ast
import importlib.util
import re
import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.base.json import parse_strict
from aeon.base.next_steps import TEXTS, NextStep
from aeon.server.web.next_step_texts import PAGE_STEPS
from aeon.server.web.translation import GERMAN_FILE, german_messages, german_steps, translate

_SPEC = importlib.util.spec_from_file_location("list_texts", Path(__file__).parents[3] / "docs" / "list_texts.py")
texts = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(texts)
GERMAN = german_messages()
IN_SOURCE = parse_strict(GERMAN_FILE.read_text("utf-8"))["messages"]
SHOWN = ("application/", "platform/", "server/web/", "server/edge/", "server/auth/", "kernel/", "settings/")
"""Rooms whose messages a page may show."""
NOT_SHOWN = (
    "application/argument_types.py",
    "application/attachments.py",
    "application/process_files.py",
    "application/process_tests.py",
    "application/project.py",
    "application/requests.py",
    "application/run_follower.py",
    "application/server_address.py",
    "application/store.py",
    "kernel/orchestrator.py",
    "platform/exports/",
    "platform/projection/",
)
"""Rooms and modules among these whose messages only commands and Python show."""


def in_sources():
    """All texts in the source that may be messages, with `{}` for what is filled in."""
    kinds = (ast.Constant, ast.JoinedStr)
    return {texts._rendered(node) for _, tree in texts.sources() for node in ast.walk(tree) if isinstance(node, kinds)}


def values_of(text):
    return re.findall(r"\{\d*\}", text)


def fixed(text):
    return sum(map(str.isalpha, re.sub(r"\{\d*\}", "", text)))


def test_every_message_that_a_page_may_show_is_there_in_german():
    listed = (line.partition(": ")[::2] for line in texts.MESSAGES.read_text("utf-8").splitlines())
    needed = {message for module, message in listed if module.startswith(SHOWN) and not module.startswith(NOT_SHOWN)}
    assert {each for each in needed - GERMAN.keys() if fixed(each) >= 8} == set()


def test_every_german_message_is_of_a_message_in_the_source_and_has_its_values():
    parts = "\n".join(in_sources())
    assert {each for each in IN_SOURCE if each not in parts} == set()
    for english, german in GERMAN.items():
        numbered = [f"{{{place}}}" for place in range(english.count("{}"))]
        assert values_of(german) == values_of(english) or sorted(values_of(german)) == numbered, english
        assert german.strip() == german != english, english
        assert fixed(english) >= 8, english


def test_every_next_step_has_a_german_text_with_its_values():
    def names(text):
        return sorted(name for _, name, _, _ in string.Formatter().parse(text) if name)

    steps = german_steps()
    assert steps.keys() == TEXTS.keys()
    for code, text in steps.items():
        assert set(names(text)) <= set(names(TEXTS[code])), code
    assert translate("de", NextStep("runs.view", run="r1")) == steps["runs.view"].format(run="r1")
    assert translate("en", NextStep("runs.view", run="r1")) == PAGE_STEPS["runs.view"].format(run="r1")


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ("content: Field required", "content: die Angabe fehlt"),
        ("There is no tool 'stok'. Did you mean 'stock'?", "Es gibt kein Werkzeug 'stok'. Meintest du 'stock'?"),
        ("  $.steps: it has no type", "  $.steps: der type fehlt"),
        (NextStep("catalog.list", suggestion="Did you mean 'x'? "), "Meintest du 'x'? Sieh auf den Seiten"),
        (NextStep("catalog.list", suggestion=""), "Sieh auf den Seiten"),
    ],
)
def test_what_stands_around_and_in_a_message_is_german_too(english, german):
    assert translate("de", english).startswith(german)


@given(st.data())
def test_a_message_is_found_again_with_its_values_wherever_they_stand(data):
    english = data.draw(st.sampled_from(sorted(GERMAN)))
    values = [f"§{number}§" for number in range(english.count("{}"))]
    shown = translate("de", re.sub(r"\{\}", lambda _: values.pop(0), english))
    assert sorted(re.findall("§.*?§", shown)) == [f"§{number}§" for number in range(english.count("{}"))]
    assert shown.split("§")[0] == GERMAN[english].split("{")[0]


@pytest.mark.parametrize(
    "text",
    ["", "Bring milk.", "The tool says: no.", "HTTP 404", "a: b", "Größe fehlt", "x" * 6000, "{}", "{0}", "\n\n"],
)
def test_what_is_no_message_stays_as_it_is(text):
    assert translate("de", text) == text
    assert translate("en", text) == text


@pytest.mark.parametrize(
    "text", [". " * 2500, "'" * 5000, "There is no " * 400, ": " * 2500, "a: " * 1600, "The " * 1250]
)
@pytest.mark.timeout(30)
def test_no_text_takes_long(text):
    assert translate("de", text)


def test_a_message_that_quotes_another_one_is_german_as_a_whole():
    inner = "The model server at http://127.0.0.1:1/v1 did not answer in 3 attempts: refused"
    failed = f"Step 'a' (tool 'b', tried 4 times): The tool 'b' failed: {inner}."
    assert translate("de", failed) == (
        "Schritt 'a' (Werkzeug 'b', 4-mal versucht): Das Werkzeug 'b' ist gescheitert: "
        "Der Modellserver unter http://127.0.0.1:1/v1 hat in 3 Versuchen nicht geantwortet: refused."
    )
