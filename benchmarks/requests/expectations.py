"""What an answer must be, in a form that code can judge: `is_met` is pure, `problems` checks an expectation itself.

    number: 12.5        the number that the answer ends with (a list: one of them)
    tolerance, besides  how far the number may be off; numbers to leave out beside those of the request
    date: 2024-03-05    the date that the answer ends with; a year may be missing
    any_of, all_of      words, phrases or /patterns/ in the answer, compared as `texts.plain` writes it; an entry of
                        all_of may be a list of which one is enough
    none_of             words, phrases or /patterns/ that must not be in the answer
    language            en, de, fr or es, by its stop words
    min_words, max_words, min_lines, max_lines, max_sentences
    declined: true      the answer says that this cannot be known or done

An answer must meet all that is given, and it must not be empty or an echo of the request.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any

from languages import STOP_WORDS, is_in
from texts import declines, find_dates, plain, read_numerals, words

from aeon.supervisor.numerals import find_numbers

Expectation = Mapping[str, Any]

_ECHO_SHARE = 0.6
"""The share of the request's words from which a run of them is an echo of it."""
_MIN_ECHO = 5
_TOLERANCE = 1e-6
_SENTENCE_END = re.compile(r"[.!?…]+(?=[\s\"'”“)]|$)")
_TITLES = re.compile(r"\b(?:mr|mrs|ms|dr|st|prof|z\.b|e\.g|i\.e|etc|no|nr|\d+)\.", re.IGNORECASE)


def is_met(expect: Expectation, answer: str, request: str, file_text: str = "") -> bool:
    """Whether an answer is what its request, with the text of its file, expects."""
    if not answer.strip() or any(is_echo(answer, each) for each in (request, file_text, f"{request}\n{file_text}")):
        return False
    return all(_CHECKS[name](answer, wanted, expect, request) for name, wanted in expect.items())


def is_echo(answer: str, request: str) -> bool:
    """Whether an answer is the request again, or a run of words that is most of it."""
    said, asked = words(answer), words(request)
    if said == asked:
        return True
    is_run = f" {' '.join(said)} " in f" {' '.join(asked)} "
    return is_run and len(said) >= max(_MIN_ECHO, _ECHO_SHARE * len(asked))


def has(answer: str, wanted: str) -> bool:
    """Whether an answer has a word or phrase as a whole, or matches a /pattern/."""
    compared = plain(answer)
    if len(wanted) > 2 and wanted[0] == wanted[-1] == "/":
        return re.search(wanted[1:-1], compared, re.DOTALL) is not None
    return re.search(rf"(?<!\w){re.escape(plain(wanted))}(?!\w)", " ".join(compared.split())) is not None


def problems(expect: Expectation) -> list[str]:
    """Everything that is wrong with an expectation; empty if it can be judged."""
    if not expect:
        return ["it expects nothing"]
    found = [f"unknown key {name!r}" for name in expect if name not in _CHECKS]
    found += [
        f"{name} has the wrong type" for name, form in _FORMS.items() if name in expect and not form(expect[name])
    ]
    found += [
        f"{name} needs a number" for name in ("tolerance", "besides") if name in expect and "number" not in expect
    ]
    if found:
        return found
    entries = [each for name in ("any_of", "all_of", "none_of") for each in _flat(expect.get(name, []))]
    return [f"invalid pattern {each}" for each in entries if not _compiles(each)]


def _flat(entries: Sequence[Any]) -> list[str]:
    return [one for each in entries for one in (each if isinstance(each, list) else [each])]


def _compiles(entry: str) -> bool:
    try:
        re.compile(entry.strip("/"))
    except re.error:
        return False
    return entry[0] != "/" or entry == plain(entry).replace("\n", " ") or "\\" in entry


def _has_number(answer: str, wanted: Any, expect: Expectation, request: str) -> bool:
    """Whether the last number of an answer is the wanted one, leaving out numbers that the request has.

    An answer without digits is read for numbers in words, of which one is enough.
    """
    accepted = wanted if isinstance(wanted, list) else [wanted]

    def fits(readings: set[float]) -> bool:
        pairs = ((value, each) for value in readings for each in accepted)
        return any(
            abs(value - each) <= expect.get("tolerance", _TOLERANCE * max(1, abs(each))) for value, each in pairs
        )

    left_out = set(expect.get("besides", ())).union(*read_numerals(request))
    numerals = read_numerals(answer)
    if not numerals:
        return fits(find_numbers(answer) - find_numbers(request))
    own = [readings for readings in numerals if fits(readings) or not readings & left_out]
    return bool(own) and fits(own[-1])


def _has_date(answer: str, wanted: date, _expect: Expectation, request: str) -> bool:
    known = find_dates(request)
    found = [each for each in find_dates(answer) if each not in known]
    # A date in digits with strokes is two readings at the end.
    return any(
        year in (None, wanted.year) and (month, day) == (wanted.month, wanted.day) for year, month, day in found[-2:]
    )


def _has_any(answer: str, wanted: list[str], *_: Any) -> bool:
    return any(has(answer, each) for each in wanted)


def _has_all(answer: str, wanted: list[str | list[str]], *_: Any) -> bool:
    return all(_has_any(answer, each if isinstance(each, list) else [each]) for each in wanted)


def _has_none(answer: str, wanted: list[str], *_: Any) -> bool:
    return not _has_any(answer, wanted)


def _count_lines(text: str) -> int:
    return sum(bool(line.strip()) for line in text.splitlines())


def _count_sentences(text: str) -> int:
    return max(1, len(_SENTENCE_END.findall(_TITLES.sub("", text.strip()))))


_CHECKS: Mapping[str, Callable[[str, Any, Expectation, str], bool]] = {
    "number": _has_number,
    "tolerance": lambda *_: True,
    "besides": lambda *_: True,
    "date": _has_date,
    "any_of": _has_any,
    "all_of": _has_all,
    "none_of": _has_none,
    "language": lambda answer, wanted, *_: is_in(answer, wanted),
    "min_words": lambda answer, wanted, *_: len(words(answer)) >= wanted,
    "max_words": lambda answer, wanted, *_: len(words(answer)) <= wanted,
    "min_lines": lambda answer, wanted, *_: _count_lines(answer) >= wanted,
    "max_lines": lambda answer, wanted, *_: _count_lines(answer) <= wanted,
    "max_sentences": lambda answer, wanted, *_: _count_sentences(answer) <= wanted,
    "declined": lambda answer, *_: declines(answer),
}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, str) and each for each in value)


_FORMS: Mapping[str, Callable[[Any], bool]] = {
    "number": lambda value: _is_number(value) or (isinstance(value, list) and all(map(_is_number, value))),
    "tolerance": _is_number,
    "besides": lambda value: isinstance(value, list) and all(map(_is_number, value)),
    "date": lambda value: type(value) is date,
    "any_of": _is_texts,
    "all_of": lambda value: isinstance(value, list) and bool(value) and _is_texts(_flat(value)),
    "none_of": _is_texts,
    "language": lambda value: value in STOP_WORDS,
    **{name: lambda value: type(value) is int for name in _CHECKS if name.startswith(("min_", "max_"))},
    "declined": lambda value: value is True,
}
