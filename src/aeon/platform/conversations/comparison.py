"""Compares two alternatives: what they say differently, and what made them. Pure."""

import difflib
import re
from typing import Final, NamedTuple

from aeon.base.json import Json, JsonObject
from aeon.platform.conversations.model import Alternative

_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+|\n")


class Comparison(NamedTuple):
    """Two alternatives. `differences` are fields in which they differ, `lines` their sentences with ` `, `-` and `+`.

    `is_one_turn`: both stand in the same turn.
    """

    first: Alternative
    second: Alternative
    is_one_turn: bool
    differences: dict[str, tuple[Json, Json]]
    lines: list[str]

    def as_dict(self) -> JsonObject:
        """As JSON data under the published names."""
        return {
            "first": self.first.as_dict(),
            "second": self.second.as_dict(),
            "isOneTurn": self.is_one_turn,
            "differences": {name: list(pair) for name, pair in self.differences.items()},
            "lines": list(self.lines),
        }


def compare_alternatives(first: Alternative, second: Alternative) -> Comparison:
    """Returns how two alternatives differ."""
    lines = [line for line in difflib.ndiff(_sentences(first), _sentences(second)) if not line.startswith("?")]
    before, after = _facts(first), _facts(second)
    differences = {name: (before[name], after[name]) for name in before if before[name] != after[name]}
    return Comparison(first, second, first.turn.id == second.turn.id, differences, lines)


def _sentences(alternative: Alternative) -> list[str]:
    return [part for part in _SENTENCE_END.split(alternative.content or "") if part.strip()]


def _facts(alternative: Alternative) -> JsonObject:
    return {
        "state": alternative.state,
        "executedBy": alternative.process_id,
        "processDigest": alternative.process_digest,
        "model": alternative.model,
        "respondsTo": alternative.responds_to_id,
        "marks": [*alternative.marks],
        "createdAt": alternative.created_at,
    }
