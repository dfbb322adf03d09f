"""Builds the model's prompt and cleans its answer. Pure."""  # noqa: INP001  # a folder beside its script, not in the package aeon

import itertools
import json
import os
import re
from typing import Any, NamedTuple

from .protocol import StoryRefusalError

MOST_FACTS = 4000
"""Maximum characters of facts in the prompt."""

_SHORT_SHARE = 0.4
_TOKENS_PER_WORD = 3
"""Generous, since languages other than English take more tokens per word."""

_SENTENCE_END = re.compile(r"""[.!?\u2026\u3002\uff01\uff1f]+["'\u201d\u2019\u00bb)\]]*(?=\s|$)|[\u3002\uff01\uff1f]""")


class Style(NamedTuple):
    """The style of the story, from the skill's configuration."""

    tone: str
    language: str
    max_words: int

    def words(self, length: str) -> int:
        """Returns the number of words to request."""
        return self.max_words if length == "medium" else max(20, round(self.max_words * _SHORT_SHARE))


def configured() -> Style:
    """Returns the style in AEON_SKILL_CONFIG, with defaults."""
    config: dict[str, Any] = json.loads(os.environ.get("AEON_SKILL_CONFIG") or "{}")
    return Style(
        str(config.get("tone", "vivid and warm")),
        str(config.get("language", "English")),
        int(config.get("maxWords", 150)),
    )


def facts_as_text(facts: Any) -> tuple[str, bool]:
    """Returns the facts as text for the model, and whether they were cut."""
    text = facts if isinstance(facts, str) else json.dumps(facts, ensure_ascii=False)
    return text[:MOST_FACTS], len(text) > MOST_FACTS


def messages(style: Style, prompt: str, facts: str, words: int) -> list[dict[str, str]]:
    """Returns the messages to send."""
    system = (
        f"You narrate a story. Tone: {style.tone}. Language: {style.language}. At most {words} words. "
        "Answer with the story alone: no heading, no comment, no list. "
        "Keep to the facts given; numbers stay as they are."
    )
    question = f"What happens next: {prompt}" + (f"\n\nFacts:\n{facts}" if facts else "")
    return [{"role": "system", "content": system}, {"role": "user", "content": question}]


def token_limit(words: int) -> int:
    """Returns the tokens that this number of words may take."""
    return words * _TOKENS_PER_WORD + 50


def whole_sentences(text: str) -> str:
    """Removes the last, incomplete sentence of a cut-off text.

    Raises StoryRefusalError if no sentence is complete.
    """
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    if not ends:
        raise StoryRefusalError("cut_off", "The model was stopped before its first sentence ended; raise maxWords.")
    return text[: ends[-1]]


def without_echoes(text: str) -> tuple[str, int]:
    """Returns the text without sentences that repeat the previous one, and their number.

    Small models fall into such loops; a repetition after another sentence stays.
    """
    ends = [0, *(match.end() for match in _SENTENCE_END.finditer(text)), len(text)]
    sentences = [text[start:end] for start, end in itertools.pairwise(ends)]
    kept = [
        sentence
        for before, sentence in itertools.pairwise(["", *sentences])
        if not sentence.strip() or sentence.strip() != before.strip()
    ]
    return "".join(kept), len(sentences) - len(kept)
