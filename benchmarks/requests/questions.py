"""The requests of the benchmark: what is asked, with which stored values and which file, and what is expected."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Literal

import yaml
from expectations import problems

HERE = Path(__file__).parent
SPLITS = ("tuning", "held_out", "held_out_2")
KINDS = ("facts", "chat", "writing", "arithmetic", "dates", "files", "memory", "cannot")
LANGUAGES = ("en", "de")

Given = Literal["option", "piped", "named"]
"""How a file is given: with `--file`, on stdin, or only by its name in the request."""


@dataclass(frozen=True, slots=True)
class QuestionFile:
    """A file in the working folder, and how it is given."""

    name: str
    text: str
    given: Given


@dataclass(frozen=True, slots=True)
class Question:
    """One request and what is expected of its answer."""

    id: str
    split: str
    kind: str
    language: str
    request: str
    expect: Mapping[str, Any]
    stored: Mapping[str, Any]
    file: QuestionFile | None

    @property
    def expects_decline(self) -> bool:
        return "declined" in self.expect

    @property
    def file_text(self) -> str:
        return "" if self.file is None else self.file.text


def load(split: str) -> list[Question]:
    """The requests of a split. Raises ValueError with every problem."""
    entries = yaml.safe_load((HERE / f"{split}.yaml").read_text())
    found = [f"{entry.get('id')}: {problem}" for entry in entries for problem in _problems(entry)]
    if found:
        raise ValueError("\n".join(found))
    return [_question(split, entry) for entry in entries]


def sample(questions: Sequence[Question], limit: int | None, seed: int) -> list[Question]:
    """The first `limit` requests in an order drawn with `seed` that takes the kinds in turn; all without a limit."""
    shuffled = Random(seed).sample(questions, len(questions))
    taken = Counter[str]()

    def turn(question: Question) -> int:
        taken[question.kind] += 1
        return taken[question.kind]

    turns = [(turn(question), question) for question in shuffled]
    return [question for _, question in sorted(turns, key=lambda pair: pair[0])][:limit]


def _question(split: str, entry: Mapping[str, Any]) -> Question:
    file = QuestionFile(entry["file"]["name"], entry["file"]["text"], entry["given"]) if "file" in entry else None
    return Question(
        entry["id"],
        split,
        entry["kind"],
        entry["language"],
        entry["request"],
        entry["expect"],
        entry.get("stored", {}),
        file,
    )


def _problems(entry: Mapping[str, Any]) -> Iterator[str]:
    required = {"id", "kind", "language", "request", "expect"}
    if missing := required - set(entry):
        yield f"lacks {', '.join(sorted(missing))}"
        return
    if unknown := set(entry) - required - {"stored", "file", "given"}:
        yield f"unknown keys {', '.join(sorted(unknown))}"
    if entry["kind"] not in KINDS:
        yield f"unknown kind {entry['kind']!r}"
    if entry["language"] not in LANGUAGES:
        yield f"unknown language {entry['language']!r}"
    if ("file" in entry) != (entry.get("given") in ("option", "piped", "named")):
        yield "a file needs a valid `given`, and `given` a file"
    yield from problems(entry["expect"])
