"""Decides from an alert's state and a value which state follows, and whether a run starts. Pure."""

import operator
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from aeon.platform.alerts.model import Alert, AlertState, Comparison

_COMPARISONS: Final[dict[Comparison, Callable[[float, float], bool]]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}


class Transition(NamedTuple):
    """The state after an evaluation, since when it holds, and whether a run is to be started."""

    state: AlertState
    since: str
    starts_run: bool = False


def is_beyond(alert: Alert, value: float | None) -> bool:
    """Return whether the condition holds; never without a value."""
    return value is not None and _COMPARISONS[alert.comparison](value, alert.threshold)


def transition(alert: Alert, value: float | None, now: str) -> Transition:
    """Return what follows from a value that was found now (ISO 8601).

    A crossing begins when the condition holds and ends when it does not. Its run starts once the condition has held for
    `holdSeconds`; a start that was refused is tried again at each evaluation, and one that succeeded after
    `repeatHours`, if they are set.
    """
    if not is_beyond(alert, value):
        return Transition("ok", alert.state_since if alert.state == "ok" else now)
    if alert.state == "firing":
        return Transition("firing", alert.state_since, _is_start_due(alert, now))
    since = alert.state_since if alert.state == "pending" else now
    if _elapsed(since, now) < timedelta(seconds=alert.hold_seconds):
        return Transition("pending", since)
    return Transition("firing", now, starts_run=True)


def _is_start_due(alert: Alert, now: str) -> bool:
    if alert.started_at is None:
        return True
    return alert.repeat_hours is not None and _elapsed(alert.started_at, now) >= timedelta(hours=alert.repeat_hours)


def _elapsed(since: str, now: str) -> timedelta:
    return datetime.fromisoformat(now) - datetime.fromisoformat(since)
