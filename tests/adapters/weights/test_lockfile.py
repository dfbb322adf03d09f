"""Lock files: exact versions, exact bytes, nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.adapters.weights.lockfile import LockedWheel, parse_lock
from aeon.base.errors import WeightsError

LOCKED = st.builds(
    LockedWheel,
    project=st.text("abz-019", min_size=1, max_size=20),
    version=st.text("019.", min_size=1, max_size=9),
    sha256=st.binary(min_size=32, max_size=32).map(bytes.hex),
)


@given(st.lists(LOCKED, min_size=1, max_size=5))
def test_what_is_written_is_read_back(locked):
    assert parse_lock("\n".join(map(str, locked)), "x.lock") == locked


@pytest.mark.parametrize("line", ["", "name==1.0", "--index-url=x", "name==1 --hash=sha256:00", "name @ file:///x"])
def test_any_other_line_is_refused_by_number(line):
    good = f"name==1.0 --hash=sha256:{'0' * 64}"
    with pytest.raises(WeightsError, match=r"x\.lock cannot be read \(line 2\)"):
        parse_lock(f"{good}\n{line}\n{good}", "x.lock")


def test_an_empty_lock_file_is_refused():
    with pytest.raises(WeightsError, match="cannot be read"):
        parse_lock("", "x.lock")
