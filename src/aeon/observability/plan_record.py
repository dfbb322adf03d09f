"""The form of a plan in log entries, which lets a log grow linearly, and its restoration (core 12)."""

import hashlib
from collections.abc import Iterable, Sequence

from aeon.base.errors import LogError
from aeon.base.json import JsonObject, canonical_json

MAX_WHOLE_STEPS = 20
"""Plans of up to this many steps are written whole in every entry."""

WHOLE_INTERVAL = 100
"""Longer plans are written whole every 100 entries, or once per number of their steps, whichever is rarer.

The whole plans then take no more space than the steps, and a log of 10,000 steps grows like one of 1,000.
"""

_MODULUS = 1 << 256

_DISTRUST = "Do not trust the log; restore it from a copy."


class PlanDigest:
    """A checksum of a whole plan, updated in constant time when a step changes: the sum of its steps' hashes."""

    def __init__(self, goal: str, steps: Sequence[JsonObject]) -> None:
        self._parts = [_hashed(index, step) for index, step in enumerate(steps)]
        self._sum = (sum(self._parts) + _hashed(-1, {"goal": goal})) % _MODULUS

    def update(self, index: int, step: JsonObject) -> None:
        """Applies the new state of one step."""
        fresh = _hashed(index, step)
        self._sum = (self._sum - self._parts[index] + fresh) % _MODULUS
        self._parts[index] = fresh

    def hexdigest(self) -> str:
        """64 hexadecimal digits."""
        return f"{self._sum:064x}"


class PlanRecorder:
    """Builds the `plan_state` of successive entries of one run. The first one is whole."""

    def __init__(self, goal: str, steps: Sequence[JsonObject], *, entries: int = 0) -> None:
        """`entries` is the number of entries that the log already has (a resumed run)."""
        self._goal = goal
        self._steps = list(steps)
        self._is_long = len(steps) > MAX_WHOLE_STEPS
        self._digest = PlanDigest(goal, steps) if self._is_long else None
        self._entries = entries
        self._whole_every = max(WHOLE_INTERVAL, len(steps))
        self._changed: dict[int, JsonObject] | None = None
        """Steps changed since the previous entry; None before the first entry, which is whole."""

    def record_step(self, index: int, step: JsonObject) -> None:
        """Records the new state of one step for the next entry."""
        self._steps[index] = step
        if self._digest is not None:
            self._digest.update(index, step)
            if self._changed is not None:
                self._changed[index] = step

    def next_state(self) -> JsonObject:
        """The `plan_state` of the entry about to be written."""
        self._entries += 1
        if self._digest is None:
            return {"goal": self._goal, "steps": list(self._steps)}
        changed, self._changed = self._changed, {}
        state: JsonObject = {"goal": self._goal, "hash": self._digest.hexdigest()}
        if changed is None or self._entries % self._whole_every == 1:
            return {**state, "steps": list(self._steps)}
        return {**state, "steps": [changed[index] for index in sorted(changed)], "partial": True}


def restore_plan(states: Iterable[JsonObject]) -> JsonObject:
    """The whole plan at the last of `states`. Raises LogError if it cannot be restored or its hash differs."""
    try:
        plan, digest = _replayed(states)
        fits = not digest or digest == PlanDigest(plan["goal"], plan["steps"]).hexdigest()
    except (KeyError, TypeError, AttributeError, ValueError):
        raise LogError("No plan can be restored from the log's plan states.", next_step=_DISTRUST) from None
    if not fits:
        raise LogError("The plan restored from the log does not have the recorded hash.", next_step=_DISTRUST)
    return plan


def _replayed(states: Iterable[JsonObject]) -> tuple[JsonObject, str]:
    """The plan after all of `states`, and the hash in the last one ("" without one)."""
    plan: JsonObject = {}
    digest = ""
    positions: dict[str, int] = {}
    for state in states:
        digest = state.get("hash", "")
        if state.get("partial"):
            for step in state["steps"]:
                plan["steps"][positions[step["step_id"]]] = step
        else:
            plan = {"goal": state.get("goal", ""), "steps": list(state.get("steps", []))}
            positions = {step["step_id"]: position for position, step in enumerate(plan["steps"])}
    return plan, digest


def _hashed(index: int, step: JsonObject) -> int:
    return int.from_bytes(hashlib.sha256(f"{index}:{canonical_json(step)}".encode()).digest())
