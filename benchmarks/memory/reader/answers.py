"""The file of answers and verdicts: a line for each, written as soon as it is there, so that a run can be continued.

It contains questions and answers of the data set, so its terms are those of the data set.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from aeon.base.json import JsonObject


class AnswerKey(NamedTuple):
    """Which answer: of which reader with which limits, told by which memory, to which question."""

    setup: str
    memory: str
    question: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What the reader answered.

    `passages` is how many it was told, `tokens` their estimated tokens, `is_all` whether they are all that was said,
    `used` the share of them that the answer used (see `share_used`), `seconds` from the question to the end of the
    answer. `failure` is why the model refused the request; then the answer is empty.
    """

    setup: str
    memory: str
    question: str
    kind: str
    asked: str
    expected: str
    text: str
    failure: str | None
    passages: int
    tokens: int
    is_all: bool
    used: float
    seconds: float
    usage: JsonObject = field(default_factory=dict[str, Any])

    @property
    def key(self) -> AnswerKey:
        """Which answer it is."""
        return AnswerKey(self.setup, self.memory, self.question)


class AnswerFile:
    """Answers by their keys, and verdicts by the judge and the key of the answer, kept in a file of JSON lines."""

    def __init__(self, path: Path) -> None:
        """Read what an earlier run has kept. A last line that was not written to its end is removed."""
        self._path = path
        self.answers: dict[AnswerKey, Answer] = {}
        self.verdicts: dict[tuple[str, AnswerKey], str] = {}
        for line in _whole_lines(path):
            if "verdict" in line:
                key = AnswerKey(line["setup"], line["memory"], line["question"])
                self.verdicts[line["judge"], key] = line["verdict"]
            else:
                answer = Answer(**line)
                self.answers[answer.key] = answer

    def add_answer(self, answer: Answer) -> None:
        """Keep an answer."""
        self.answers[answer.key] = answer
        self._append(asdict(answer))

    def add_verdict(self, judge: str, key: AnswerKey, verdict: str) -> None:
        """Keep a verdict."""
        self.verdicts[judge, key] = verdict
        self._append({"judge": judge, **key._asdict(), "verdict": verdict})

    def _append(self, line: dict[str, Any]) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


def _whole_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines of a file that may be missing, after removing a last one that was cut off."""
    if not path.exists():
        return
    text = path.read_text("utf-8")
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        path.write_text(whole, "utf-8")
    yield from (json.loads(line) for line in whole.split("\n") if line)
