"""What a script did, without the secrets that it was given (platform 3, skills 10)."""

from aeon.base.masking import Mask
from aeon.skills.invocation import Outcome


def masked_outcome(mask: Mask, outcome: Outcome) -> Outcome:
    """`outcome` without the secrets, but for `stdout`, which is bytes that nobody has read yet.

    Its events are decoded once and for all.
    """
    if mask.is_empty:
        return outcome._replace(events=[*outcome.events])
    return outcome._replace(
        events=[mask.value(event) for event in outcome.events],
        stderr=mask.tail(outcome.stderr),
        violation=_optional(mask, outcome.violation),
        problem=_optional(mask, outcome.problem),
    )


def _optional(mask: Mask, text: str | None) -> str | None:
    return None if text is None else mask.text(text)
