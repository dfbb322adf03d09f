"""How good a short answer is, and how much of the memory it used. Pure."""

import re
import string
from collections import Counter
from collections.abc import Sequence

from aeon.platform.knowledge.stems import COMMON_WORDS, stem_of
from aeon.platform.search.message_words import message_words

_ARTICLES = re.compile(r"\b(a|an|the|and)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalized(answer: str) -> str:
    """Return an answer as SQuAD and LoCoMo compare it: small letters, no punctuation, no articles, no "and"."""
    return " ".join(_ARTICLES.sub(" ", answer.lower().translate(_NO_PUNCTUATION)).split())


def is_exact(answer: str, expected: str) -> bool:
    """Whether an answer is the expected one, after normalisation."""
    return normalized(answer) == normalized(expected)


def token_f1(answer: str, expected: str) -> float:
    """Return the F1 of an answer's words against the expected ones, as SQuAD counts it.

    LoCoMo's own script also compares stems, and the parts of a list one by one; this does neither.
    """
    given, wanted = normalized(answer).split(), normalized(expected).split()
    shared = sum((Counter(given) & Counter(wanted)).values())
    return 2 * shared / (len(given) + len(wanted)) if shared else 0.0


def share_used(passages: Sequence[str], question: str, answer: str) -> float:
    """Return the share of the passages that have a content word of the answer that the question does not have.

    Words are compared by their stems; common words are no content words. The day that stands before a passage is no
    part of it, so a date that was read there counts as unused. The share says nothing about whether the answer is
    right, and a passage that only confirms what another says counts too. 0 without passages.
    """
    telling = _content_stems(answer) - _content_stems(question)
    used = sum(not telling.isdisjoint(_content_stems(passage)) for passage in passages)
    return used / len(passages) if passages else 0.0


def _content_stems(text: str) -> set[str]:
    return {stem_of(word) for word in message_words(text) if word not in COMMON_WORDS}
