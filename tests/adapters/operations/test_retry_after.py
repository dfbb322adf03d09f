"""What a service says of when to ask again (RFC 9110, section 10.2.3)."""

from datetime import UTC, datetime

import pytest

from aeon.base.retry_after import parse_retry_after

NOW = datetime(2026, 11, 22, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("120", 120.0),
        (" 0 ", 0.0),
        ("Sun, 22 Nov 2026 12:01:30 GMT", 90.0),
        ("Sun, 22 Nov 2026 11:00:00 GMT", 0.0),
        ("9" * 400, 999_999_999.0),
        (None, None),
        ("soon", None),
        ("-5", None),
        ("1.5", None),
        ("", None),
        ("٣", None),
    ],
)
def test_seconds_and_dates_are_understood_and_nothing_else(said, seconds):
    assert parse_retry_after(said, NOW) == seconds
