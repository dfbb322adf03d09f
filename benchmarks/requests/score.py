"""Scoring of answers against what is known: pure, the same for every system."""

import re
from dataclasses import dataclass, field
from typing import Any

NUMBER = re.compile(r"-?\d+(?:,\d{3})*(?:\.\d+)?")


@dataclass
class Answer:
    """What a system made of a request."""

    text: str | None
    status: str
    tools: list[str] = field(default_factory=list)
    plan_is_valid: bool | None = None
    repairs: int = 0
    model_repairs: int = 0
    crash: str | None = None
    seconds: float = 0.0


def is_right(question: dict[str, Any], answer: Answer) -> bool:
    """Whether the answer is the known one. An open request is right when it ended honestly and computed nothing."""
    expect = question["expect"]
    if answer.crash:
        return False
    if expect.get("open"):
        return answer.status in ("completed", "failed") and "calculator" not in answer.tools
    if answer.text is None or answer.status != "completed":
        return False
    text = answer.text.strip()
    if "number" in expect:
        found = NUMBER.findall(text)
        wanted = expect["number"]
        return bool(found) and abs(float(found[-1].replace(",", "")) - wanted) < 1e-6 * max(1, abs(wanted))
    if "contains" in expect:
        wanted = expect["contains"]
        return all(_plain(part) in _plain(text) for part in (wanted if isinstance(wanted, list) else [wanted]))
    accepted = expect.get("any_of", [expect.get("answer")])
    return _plain(text) in {_plain(str(one)) for one in accepted}


def has_right_tools(question: dict[str, Any], answer: Answer) -> bool:
    """Whether the sequence of tools is an accepted one."""
    if question["expect"].get("open"):
        return "calculator" not in answer.tools
    return answer.tools in question["tools"]


def _plain(text: str) -> str:
    return " ".join(str(text).casefold().split()).strip("\"'.!")
