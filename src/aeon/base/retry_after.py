"""For how long an HTTP service wants to be left alone (RFC 9110, section 10.2.3). Pure."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_MOST_DIGITS = 9


def parse_retry_after(said: str | None, now: datetime) -> float | None:
    """The seconds that a `Retry-After` means, never negative; None where it says nothing that can be understood."""
    if said is None:
        return None
    text = said.strip()
    if text.isascii() and text.isdigit():
        return float(text[:_MOST_DIGITS])
    try:
        until = parsedate_to_datetime(text)
    except ValueError:
        return None
    whole = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(0.0, (whole - now).total_seconds())
