"""What the model is asked, and what becomes of its answer. Pure: no process, no network."""  # noqa: INP001  # a folder beside its script, no part of the package aeon

import itertools
import json
import os
import re
from typing import Any, NamedTuple

from .protocol import RefusalError

MOST_FACTS = 4000
"""Characters of facts that are shown to the model."""

_SHORT_SHARE = 0.4
_TOKENS_PER_WORD = 3
"""Generous, since languages other than English take more tokens a word."""

_SENTENCE_END = re.compile(r"""[.!?\u2026\u3002\uff01\uff1f]+["'\u201d\u2019\u00bb)\]]*(?=\s|$)|[\u3002\uff01\uff1f]""")


class Style(NamedTuple):
    """How to tell, from the skill's configuration."""

    tone: str
    language: str
    max_words: int

    def words(self, length: str) -> int:
        """Words to ask for."""
        return self.max_words if length == "medium" else max(20, round(self.max_words * _SHORT_SHARE))


def configured() -> Style:
    """The style in AEON_SKILL_CONFIG, defaults filled in."""
    config: dict[str, Any] = json.loads(os.environ.get("AEON_SKILL_CONFIG") or "{}")
    return Style(
        str(config.get("tone", "vivid and warm")),
        str(config.get("language", "English")),
        int(config.get("maxWords", 150)),
    )


def facts_as_text(facts: Any) -> tuple[str, bool]:
    """The facts as the model reads them, and whether they had to be cut."""
    text = facts if isinstance(facts, str) else json.dumps(facts, ensure_ascii=False)
    return text[:MOST_FACTS], len(text) > MOST_FACTS


def messages(style: Style, prompt: str, facts: str, words: int) -> list[dict[str, str]]:
    """The conversation to send."""
    system = (
        f"You narrate a story. Tone: {style.tone}. Language: {style.language}. At most {words} words. "
        "Answer with the story alone: no heading, no comment, no list. "
        "Keep to the facts given; numbers stay as they are."
    )
    asked = f"What happens next: {prompt}" + (f"\n\nFacts:\n{facts}" if facts else "")
    return [{"role": "system", "content": system}, {"role": "user", "content": asked}]


def token_limit(words: int) -> int:
    """Tokens that so many words may take."""
    return words * _TOKENS_PER_WORD + 50


def whole_sentences(text: str) -> str:
    """A text that was cut off, without its last broken sentence. Raises RefusalError when no whole one is in it."""
    ends = [found.end() for found in _SENTENCE_END.finditer(text)]
    if not ends:
        raise RefusalError("cut_off", "The model was stopped before its first sentence ended; raise maxWords.")
    return text[: ends[-1]]


def without_echoes(text: str) -> tuple[str, int]:
    """The text without sentences that only say the one before again, and how many these were.

    Small models fall into such loops; a refrain with something in between stays.
    """
    ends = [0, *(found.end() for found in _SENTENCE_END.finditer(text)), len(text)]
    sentences = [text[start:end] for start, end in itertools.pairwise(ends)]
    kept = [
        sentence
        for before, sentence in itertools.pairwise(["", *sentences])
        if not sentence.strip() or sentence.strip() != before.strip()
    ]
    return "".join(kept), len(sentences) - len(kept)
