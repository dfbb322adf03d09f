"""The two data sets as cases: what was said in some conversations, and questions whose evidence is known.

Neither may be given on (LoCoMo is CC BY-NC 4.0, BEAM has no licence file), so both are the user's own files.
"""

import hashlib
import json
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

LOCOMO_SHA256 = "79fa87e90f04081343b8c8debecb80a9a6842b76a7aa537dc9fdf651ea698ff4"

_ADVERSARIAL = 5
"""The category of questions that have no answer."""

_OPEN_DOMAIN = 3
"""The category of questions that also need knowledge of the world. Their answers often give reasons."""

_TURN = re.compile(r"D\d+:\d+")
_BEAM_NUMBERING = re.compile(r"\s*->->\s*[\d,]+\s*$")
"""What stands after BEAM's messages and is no part of them: their number in the plan by which they were made."""


class Said(NamedTuple):
    """A message. `session` is the conversation in which it was said; `role` is "user" or "assistant"."""

    session: int
    role: str
    text: str
    at: str


class Question(NamedTuple):
    """A question with the places of the messages that answer it, and its answer where the data set has a short one."""

    text: str
    kind: str
    evidence: frozenset[int]
    answer: str = ""


class Case(NamedTuple):
    """What one user has said, oldest first, and the questions about it, asked on the day after."""

    name: str
    said: list[Said]
    questions: list[Question]


def load_locomo(path: Path) -> list[Case]:
    """The ten cases of LoCoMo. Both speakers are people, so both are users; their names stand before their words."""
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != LOCOMO_SHA256:
        sys.exit(
            f"{path} is not the file that was measured. Get data/locomo10.json of github.com/snap-research/locomo."
        )
    return [_locomo_case(number, each) for number, each in enumerate(json.loads(content), 1)]


def load_beam(folder: Path) -> list[Case]:
    """The cases of BEAM in a folder of numbered folders, by number; those whose chat.json is missing are left out."""
    folders = [each for each in _numbered(folder) if (each / "chat.json").exists()]
    if not folders:
        sys.exit(f"{folder} has no numbered folders with a chat.json. README.md says where to get them.")
    return [_beam_case(each) for each in folders]


def count_beam(folder: Path) -> int:
    """How many chats BEAM has in a folder, those without their chat.json too."""
    return len(_numbered(folder))


def _numbered(folder: Path) -> list[Path]:
    return sorted((each for each in folder.iterdir() if each.name.isdigit()), key=lambda each: int(each.name))


def _locomo_case(number: int, sample: dict[str, Any]) -> Case:
    talk = sample["conversation"]
    sessions = [session for session in range(1, 100) if f"session_{session}" in talk]
    said: list[Said] = []
    places: dict[str, int] = {}
    for session in sessions:
        began = datetime.strptime(talk[f"session_{session}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        for turn in talk[f"session_{session}"]:
            places[turn["dia_id"]] = len(said)
            text = f"{turn['speaker']}: {turn['text']}"
            said.append(Said(session, "user", text, _instant(began, len(said))))
    questions = [
        Question(each["question"], str(each["category"]), evidence, _locomo_answer(each))
        for each in sample["qa"]
        if each["category"] != _ADVERSARIAL
        if (evidence := frozenset(places[id_] for id_ in _TURN.findall(str(each["evidence"])) if id_ in places))
    ]
    return Case(f"locomo-{number}", said, questions)


def _locomo_answer(asked: dict[str, Any]) -> str:
    """The answer of a question; of an open-domain one, what stands before a semicolon, as in LoCoMo's own scores."""
    answer = str(asked.get("answer", ""))
    return answer.split(";", maxsplit=1)[0].strip() if asked["category"] == _OPEN_DOMAIN else answer


def _beam_case(folder: Path) -> Case:
    batches = json.loads((folder / "chat.json").read_text("utf-8"))
    said: list[Said] = []
    places: dict[int, int] = {}
    for session, batch in enumerate(batches, 1):
        began = datetime.strptime(batch["time_anchor"] or "January-01-2024", "%B-%d-%Y").replace(tzinfo=UTC)
        for message in (message for turn in batch["turns"] for message in turn):
            places[message["id"]] = len(said)
            text = _BEAM_NUMBERING.sub("", message["content"])
            said.append(Said(session, message["role"], text, _instant(began, len(said))))
    asked = json.loads((folder / "probing_questions" / "probing_questions.json").read_text("utf-8"))
    questions = [
        Question(each["question"], kind, evidence)
        for kind, group in asked.items()
        for each in group
        if (evidence := frozenset(places[id_] for id_ in _leaves(each.get("source_chat_ids")) if id_ in places))
    ]
    return Case(f"beam-{folder.name}", said, questions)


def _instant(began: datetime, number: int) -> str:
    return (began + timedelta(seconds=number)).isoformat(timespec="microseconds")


def _leaves(value: Any) -> Iterator[Any]:
    """The values in lists and objects, however deep."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _leaves(each)
    elif value is not None:
        yield value
