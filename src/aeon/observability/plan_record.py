"""How a plan stands in log entries so that a log grows linearly, and how a reader restores it (core 12)."""

import hashlib
from collections.abc import Iterable, Sequence

from aeon.base.errors import LogError
from aeon.base.json import JsonObject, canonical_json

MAX_WHOLE_STEPS = 20
"""Plans of up to this many steps stand whole in every entry."""

WHOLE_INTERVAL = 100
"""Longer plans stand whole again every so many entries, or every as many as they have steps, whichever is more.

So the whole plans take no more than the steps themselves do, and a log of 10,000 steps grows as one of 1,000.
"""

_MODULUS = 1 << 256

_DISTRUST = "Do not trust the log; restore it from a copy."


class PlanDigest:
    """A checksum of a whole plan that follows a changed step in constant time: the sum of its steps' hashes."""

    def __init__(self, goal: str, steps: Sequence[JsonObject]) -> None:
        self._parts = [_hashed(index, step) for index, step in enumerate(steps)]
        self._sum = (sum(self._parts) + _hashed(-1, {"goal": goal})) % _MODULUS

    def update(self, index: int, step: JsonObject) -> None:
        """Take over the new state of one step."""
        fresh = _hashed(index, step)
        self._sum = (self._sum - self._parts[index] + fresh) % _MODULUS
        self._parts[index] = fresh

    def hexdigest(self) -> str:
        """64 hexadecimal digits."""
        return f"{self._sum:064x}"


class PlanRecorder:
    """Writes the `plan_state` of successive entries for one run. The first that it writes is whole."""

    def __init__(self, goal: str, steps: Sequence[JsonObject], *, entries: int = 0) -> None:
        """`entries` is how many entries the log already has (a resumed run)."""
        self._goal = goal
        self._steps = list(steps)
        self._is_long = len(steps) > MAX_WHOLE_STEPS
        self._digest = PlanDigest(goal, steps) if self._is_long else None
        self._entries = entries
        self._whole_every = max(WHOLE_INTERVAL, len(steps))
        self._changed: dict[int, JsonObject] | None = None
        """Steps changed since the entry before; None before the first, which cannot say what changed."""

    def record_step(self, index: int, step: JsonObject) -> None:
        """Note the new state of one step; it stands in the next entry."""
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
    """The whole plan that the last of `states` stands for. Raises LogError when it cannot be had or its hash is off."""
    try:
        plan, digest = _replayed(states)
        fits = not digest or digest == PlanDigest(plan["goal"], plan["steps"]).hexdigest()
    except (KeyError, TypeError, AttributeError, ValueError):
        raise LogError("The log's plan states do not add up to a plan.", next_step=_DISTRUST) from None
    if not fits:
        raise LogError("The plan restored from the log does not have the recorded hash.", next_step=_DISTRUST)
    return plan


def _replayed(states: Iterable[JsonObject]) -> tuple[JsonObject, str]:
    """The plan after all of `states`, and the hash that the last one records ("" when it records none)."""
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
