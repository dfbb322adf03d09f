"""Times on the command line: how long ago, a date, an instant with and without its offset."""

import time

import pytest

from aeon.base.errors import InputError
from aeon.cli.platform.times import parse_since


@pytest.fixture(autouse=True)
def in_vienna(monkeypatch):
    """This machine's time zone, without the system's database: one hour before UTC."""
    monkeypatch.setenv("TZ", "CET-1")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2026-11-27", "2026-11-26T23:00:00.000000+00:00"),
        ("2026-11-27T23:00", "2026-11-27T22:00:00.000000+00:00"),
        ("2026-11-27 23:00:30", "2026-11-27T22:00:30.000000+00:00"),
        ("2026-11-27T23:00+05:00", "2026-11-27T18:00:00.000000+00:00"),
        ("2026-11-27T23:00Z", "2026-11-27T23:00:00.000000+00:00"),
    ],
)
def test_a_date_is_its_beginning_and_a_time_without_an_offset_is_local(text, instant):
    assert parse_since(text) == instant


@pytest.mark.parametrize("text", ["", "yesterday", "2026-13-01", "0001-01-01", "24"])
def test_what_is_no_time_says_how_to_write_one(text):
    with pytest.raises(InputError, match="2026-11-27T23:00"):
        parse_since(text)
