"""platform 28: a value that a request forgets is in no file of the memory, not even in the results of steps."""

from pathlib import Path

import pytest


def test_platform_28_no_byte_of_a_forgotten_value_is_left_in_the_memory(aeon):
    """The result of the step that forgot showed the value, and results of steps are stored."""
    aeon("run", "Remember that my locker code is canary-4711")
    assert aeon("run", "What is my locker code?").out == "canary-4711\n"
    forgotten = aeon("run", "Forget my locker code")

    assert (forgotten.out, forgotten.code) == ("locker code (forgotten)\n", 0)
    files = [file for file in Path(".aeon").glob("memory.db*") if file.is_file()]
    assert files
    assert not [file for file in files if b"canary" in file.read_bytes()]
    assert "Nothing is stored" in aeon("run", "Forget my locker code").err


@pytest.mark.parametrize("empty", ["", " "])
def test_an_empty_name_erases_cancels_and_changes_nothing(aeon, empty):
    """A variable without a value: `aeon conversation forget "$X" --yes` erased the only conversation."""
    aeon("conversation", "create", "--title", "kept")
    aeon("knowledge", "add", "Tove")
    aeon("run", "Remember that my locker code is 4711")
    for command in [
        ("conversation", "forget", empty, "--yes"),
        ("conversation", "archive", empty),
        ("knowledge", "forget", empty, "--yes"),
        ("knowledge", "reject", empty),
        ("knowledge", "summaries", "delete", empty, "--yes"),
        ("log", "show", empty),
        ("log", "cancel", empty),
    ]:
        ended = aeon(*command)
        assert (ended.code, ended.out) == (2, "")
        assert "The name or id is empty." in ended.err
    assert "kept" in aeon("conversation", "list").out
    assert "Tove" in aeon("knowledge", "list").out
