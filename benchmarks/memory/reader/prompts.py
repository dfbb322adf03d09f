"""What the reader and the judge are asked. All memories get the same prompt around what they recall. Pure."""

import hashlib
import re
from collections.abc import Sequence

from aeon.llm.interface import LLMRequest
from reader.memories import Passage
from reader.questions import ShortQuestion

READER = """\
You answer questions about what two people said to each other. You are told what was said, with the day on which it \
was said. Answer with at most five words and nothing else: only the name, thing, place, number or date that was asked \
for. Write dates like 7 May 2023. Write no sentence, and repeat no word of the question. Give your best guess if it \
was not said."""

JUDGE = """\
You judge an answer to a question by the reference answer. Reply with one word, "right" or "wrong".

The answer is right if it says the same as the reference in other words, or in another format of a date, or with more \
detail that the reference does not contradict.
The answer is wrong if it leaves out a part of the reference, if it is vaguer than the reference (a month for a day, \
"abroad" for a country), if it names several possibilities of which the reference is only one, if it says that \
nothing is known, or if a person, place, number or date differs. That an answer is about the same topic does not make \
it right. If you are in doubt, it is wrong."""

READER_DIGEST, JUDGE_DIGEST = (hashlib.sha256(each.encode()).hexdigest()[:8] for each in (READER, JUDGE))
"""Tell answers and verdicts by these instructions from those by others."""

VERDICTS = ("right", "wrong")
UNCLEAR = "unclear"
"""The verdict where the judge said something else."""

_FIRST_WORD = re.compile(r"[a-z]+")


def reader_request(question: str, passages: Sequence[Passage], max_tokens: int) -> LLMRequest:
    """Return the request for an answer; the question stands last, so that a server may keep what stands before it."""
    told = "\n".join(each.line for each in passages) or "(You are told nothing.)"
    prompt = f"What was said:\n{told}\n\nQuestion: {question}\nAnswer:"
    return LLMRequest(prompt, READER, max_tokens, temperature=0.0)


def judge_request(question: ShortQuestion, answer: str, max_tokens: int) -> LLMRequest:
    """Return the request for a verdict."""
    asked = f"Question: {question.text}\nReference: {question.answer}\nAnswer: {answer}\n\nVerdict:"
    return LLMRequest(asked, JUDGE, max_tokens, temperature=0.0)


def verdict_of(reply: str) -> str:
    """Return the verdict at the beginning of what a judge replies."""
    found = _FIRST_WORD.search(reply.lower())
    return found.group() if found is not None and found.group() in VERDICTS else UNCLEAR
