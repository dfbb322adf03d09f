"""What a script did, without the secrets that it was given (platform 3, skills 10)."""

from aeon.base.json import JsonObject
from aeon.base.masking import Mask
from aeon.skills.invocation import InvocationResult

_ENVELOPE = frozenset({"version", "type", "ok", "level"})
"""Fields whose values are the protocol's own words (skills 2): a secret that is one of them is no secret there."""


def mask_result(mask: Mask, outcome: InvocationResult) -> InvocationResult:
    """`outcome` without the secrets, but for `stdout`, which is bytes that nobody has read yet.

    Its events are decoded once and for all.
    """
    if mask.is_empty:
        return outcome._replace(events=[*outcome.events])
    return outcome._replace(
        events=[_masked_event(mask, event) for event in outcome.events],
        stderr=mask.tail(outcome.stderr),
        violation=_optional(mask, outcome.violation),
        problem=_optional(mask, outcome.problem),
    )


def _masked_event(mask: Mask, event: JsonObject) -> JsonObject:
    """The names of an event's fields stay, and so do the protocol's words in them."""
    return {name: value if name in _ENVELOPE else mask.value(value) for name, value in event.items()}


def _optional(mask: Mask, text: str | None) -> str | None:
    return None if text is None else mask.text(text)
