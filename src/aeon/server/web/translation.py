"""Messages of errors in German, found by the English text that the code has for them.

`german_messages.json` maps templates: each `{}` stands for a value, which a `{}` or `{0}` of the German text takes.
`messages` are in the source as they are there, `composed` are made of parts, or come from the libraries that check
schemas and forms. What is not there, such as a text of a user or of a tool, stays as it is.
"""

import re
from collections.abc import Mapping
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from aeon.base.json import JsonObject, parse_strict
from aeon.base.next_steps import NextStep
from aeon.server.web.next_step_texts import PAGE_STEPS

GERMAN_FILE: Final = Path(__file__).with_name("german_messages.json")

_PLACEHOLDER: Final = re.compile(r"\{(\d*)\}")

_JOINTS: Final = re.compile(r"(?<=[.!?]) |; |, (?=\()")
"""What is between messages that follow each other: the end of a sentence, or what joins the entries of a list."""

_MAX_LENGTH: Final = 5000
"""Characters of a message that is looked up."""

_MAX_SENTENCES: Final = 10
"""The ends of sentences at which a message may end that others follow."""

_MAX_DEPTH: Final = 3
"""How deep messages are looked for in the values of messages."""


class _Template(NamedTuple):
    """An English message: the fixed texts around its values, and the German one."""

    fixed: tuple[str, ...]
    german: str

    def values_in(self, message: str) -> list[str] | None:
        """The values of a message of this form, each as short as can be; None if it has another one."""
        first, *others = self.fixed
        if not message.startswith(first):
            return None
        if not others:
            return [] if message == first else None
        end = len(message) - len(others[-1])
        at, values = len(first), list[str]()
        for each in others[:-1]:
            found = message.find(each, at, end)
            if found < 0:
                return None
            values.append(message[at:found])
            at = found + len(each)
        return [*values, message[at:end]] if at <= end and message.endswith(others[-1]) else None

    def filled(self, values: list[str]) -> str:
        """The German message with these values."""
        following = iter(range(len(values)))
        return _PLACEHOLDER.sub(lambda found: values[int(found[1] or next(following))], self.german)


def translate(language: str, message: str | NextStep) -> str:
    """A message or a next step in the language of the page."""
    if isinstance(message, NextStep):
        return _german_step(message) if language == "de" else message.worded(PAGE_STEPS)
    if language != "de" or len(message) > _MAX_LENGTH:
        return message
    return "\n".join(_padded(line) for line in message.split("\n"))


@cache
def german_steps() -> Mapping[str, str]:
    """The next steps in German, by code."""
    return _german()["next_steps"]


@cache
def german_messages() -> Mapping[str, str]:
    """The messages in German, by their templates in English."""
    german = _german()
    return {**german["messages"], **german["composed"]}


@cache
def _templates() -> list[_Template]:
    """All templates with values; the ones that say most come first.

    Those that begin with a value come last: it would take in the beginning of a message in which theirs is quoted.
    """
    made = [_Template(tuple(english.split("{}")), text) for english, text in german_messages().items()]
    return sorted(
        (each for each in made if len(each.fixed) > 1), key=lambda each: (not each.fixed[0], -sum(map(len, each.fixed)))
    )


@cache
def _german() -> JsonObject:
    return parse_strict(GERMAN_FILE.read_text("utf-8"))


def _german_step(step: NextStep) -> str:
    """A next step in German; what it is about may be a message, such as a suggestion."""
    params = {name: _padded(value) for name, value in step.params.items()}
    return NextStep(step.code, **params).worded(german_steps())


def _padded(text: str, depth: int = _MAX_DEPTH) -> str:
    """A text in German between the blanks that it had around it."""
    if not (plain := text.strip()):
        return text
    before, _, after = text.partition(plain)
    return f"{before}{_translated(plain, depth)}{after}"


def _translated(text: str, depth: int) -> str:
    """A text in German: one message, one after its place, or several; unchanged if it is none of these."""
    return _as_message(text, depth) or _after_place(text, depth) or _as_several(text, depth) or text


def _as_message(text: str, depth: int) -> str | None:
    """A message; also one that was given a full stop, or a capital letter."""
    if (german := german_messages().get(text)) is not None:
        return german
    for template in _templates():
        values = template.values_in(text)
        if values is not None:
            return template.filled([_padded(value, depth - 1) if depth else value for value in values])
    german = _as_message(text[:-1], depth) if text.endswith(".") else None
    if german is None and text[:1].isupper():
        return _as_message(text[0].lower() + text[1:], depth)
    return None if german is None else f"{german}."


def _after_place(text: str, depth: int) -> str | None:
    """A message about a place, such as `$.steps[0].call: ...`."""
    place, _, message = text.partition(": ")
    if not depth or not message or " " in place:
        return None
    return f"{place}: {_translated(message, depth - 1)}"


def _as_several(text: str, depth: int) -> str | None:
    """Messages one after another, such as what is wrong and what to do."""
    for end in islice(_JOINTS.finditer(text), _MAX_SENTENCES):
        head = _as_message(text[: end.start()], depth)
        if head is not None:
            return f"{head}{end[0]}{_translated(text[end.end() :], depth)}"
    return None
