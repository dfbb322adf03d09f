"""A server's plan as text: one operator a line, the inner ones further in."""

from collections.abc import Iterator
from typing import Any

_SHOWN = ("Details", "EstimatedRows")


def plan_text(plan: Any) -> str:
    """From the client's nested plan, `operatorType`, `args`, `children`."""
    return "\n".join(_lines(plan, 0))


def _lines(operator: Any, depth: int) -> Iterator[str]:
    arguments = operator.get("args", {})
    shown = [str(arguments[name]) for name in _SHOWN if name in arguments]
    yield f"{'    ' * depth}{operator['operatorType'].partition('@')[0]} | {' | '.join(shown)}"
    for child in operator.get("children", ()):
        yield from _lines(child, depth + 1)
