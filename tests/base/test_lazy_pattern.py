"""A lazy pattern compiles at its first use, and finds what the same pattern of `re` finds."""

import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.base.lazy_pattern import LazyPattern

SOURCE = r"(a)(b+)?|-"


@given(st.text("ab-B ", max_size=12), st.integers(0, 13), st.integers(0, 13), st.sampled_from([0, re.IGNORECASE]))
def test_it_finds_what_re_finds(text, start, end, flags):
    lazy, eager = LazyPattern(SOURCE, flags), re.compile(SOURCE, flags)
    for name in ("search", "match", "fullmatch"):
        found, expected = getattr(lazy, name)(text, start, end), getattr(eager, name)(text, start, end)
        assert (found and (found.span(), found.groups())) == (expected and (expected.span(), expected.groups()))
    assert [each.span() for each in lazy.finditer(text, start, end)] == [
        each.span() for each in eager.finditer(text, start, end)
    ]
    assert lazy.findall(text) == eager.findall(text)
    assert lazy.sub("x", text, 1) == eager.sub("x", text, 1)
    assert lazy.sub(lambda match: match[0] * 2, text) == eager.sub(lambda match: match[0] * 2, text)
    assert lazy.split(text, 1) == eager.split(text, 1)
    assert lazy.pattern == eager.pattern


def test_a_source_that_is_not_valid_raises_where_it_is_used():
    lazy = LazyPattern("(")
    with pytest.raises(re.error):
        lazy.search("x")


def test_importing_aeon_compiles_none_of_them():
    """Each is compiled where the first request, answer or statement is read: an import that compiles one pays for it."""
    look = (
        "import aeon, gc; from aeon import Orchestrator, Project; from aeon.base.lazy_pattern import LazyPattern; "
        "found = [each for each in gc.get_objects() if isinstance(each, LazyPattern)]; "
        "print(len(found), [each.pattern for each in found if each._compiled])"
    )
    ended = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    count, compiled = ended.stdout.split(maxsplit=1)
    assert int(count) > 100
    assert compiled.strip() == "[]"
