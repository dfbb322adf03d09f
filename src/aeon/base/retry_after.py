"""The pause that an HTTP service asks for with `Retry-After` (RFC 9110, section 10.2.3). Pure."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_MAX_DIGITS = 9


def parse_retry_after(header: str | None, now: datetime) -> float | None:
    """The seconds that a `Retry-After` header asks for, never negative; None if it is absent or cannot be parsed."""
    if header is None:
        return None
    text = header.strip()
    if text.isascii() and text.isdigit():
        return float(text[:_MAX_DIGITS])
    try:
        until = parsedate_to_datetime(text)
    except ValueError:
        return None
    aware = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(0.0, (aware - now).total_seconds())
