"""Several processes on one vault, and processes that die: what was acknowledged is there, and opens."""

import subprocess
import sys

import pytest

from aeon.platform.vault import SecretKey, VaultError, WrongKeyError
from aeon.testing.vault import FIRST, SECOND

KEY = SecretKey("s", "u", "api_key", 1)

WRITER = """
import sys
from pathlib import Path
from aeon.adapters.vault import MasterKey, open_vault
from aeon.base.clock import SystemClock
from aeon.platform.vault import SecretKey, WrongKeyError
from aeon.testing.vault import FIRST
path, name = Path(sys.argv[1]), sys.argv[2]
vault = None
for number, _ in enumerate(sys.stdin, start=1):
    vault = vault or open_vault(path, [MasterKey(FIRST)], SystemClock())
    try:
        vault.put(SecretKey(name, "u", "api_key", number), {"key": f"{name}/{number}"})
    except WrongKeyError:
        continue
    print(number, flush=True)
"""

REWRAPPER = """
import sys
from pathlib import Path
from aeon.adapters.vault import MasterKey, open_vault
from aeon.base.clock import SystemClock
from aeon.testing.vault import FIRST, SECOND
vault = open_vault(Path(sys.argv[1]), [MasterKey(FIRST), MasterKey(SECOND)], SystemClock())
for number in range(10_000):
    vault.rewrap((SECOND, FIRST)[number % 2])
    print(number, flush=True)
"""


def started(script, *arguments):
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def write(count, *processes):
    """Have each put so many values."""
    for process in processes:
        process.stdin.write("\n" * count)
        process.stdin.flush()


def ended(process):
    """What it has acknowledged and this test has not read yet."""
    process.stdin.close()
    numbers = [int(line) for line in process.stdout]
    assert process.stderr.read() == ""
    process.wait(timeout=60)
    process.stdout.close()
    process.stderr.close()
    return numbers


def killed_after(process, lines):
    """How many lines it has written, at least so many."""
    for _ in range(lines):
        process.stdout.readline()
    process.kill()
    more = len(process.stdout.readlines())
    process.communicate(timeout=60)
    return lines + more


def values(vault):
    return {vault.open(kept.key).reveal()["key"] for kept in vault.list_secrets()}


def either(opened):
    try:
        return opened(FIRST)
    except WrongKeyError:
        return opened(SECOND)


def test_processes_that_write_at_once_lose_nothing(path, opened):
    """They also open, and so make, the vault at once."""
    writers = [started(WRITER, path, name) for name in "abc"]
    write(25, *writers)
    for writer in writers:
        assert ended(writer) == list(range(1, 26))
    assert values(opened()) == {f"{name}/{number}" for name in "abc" for number in range(1, 26)}


def test_a_rewrap_among_writers_loses_nothing(path, opened):
    """A writer with the old key is told, and what it was acknowledged before opens with the new one."""
    vault = opened()
    writers = [started(WRITER, path, name) for name in "ab"]
    write(100, *writers)
    first = [int(writer.stdout.readline()) for writer in writers]
    assert vault.rewrap(SECOND) >= 2
    write(10, *writers)
    numbers = [[number, *ended(writer)] for number, writer in zip(first, writers, strict=True)]
    assert max(len(done) for done in numbers) < 110
    expected = {f"{name}/{number}" for name, done in zip("ab", numbers, strict=True) for number in done}
    assert values(opened(SECOND)) == expected


def test_a_rewrap_that_fails_midway_changes_nothing(opened):
    vault = opened()
    for number in range(1, 6):
        vault.put(KEY._replace(version=number), {"key": str(number)})
    vault._file.execute("UPDATE secrets SET wrapped_key = zeroblob(60) WHERE version = 4")
    with pytest.raises(VaultError) as raised:
        vault.rewrap(SECOND)
    assert "s (version 4)" in raised.value.message
    assert {vault.open(KEY._replace(version=number)).reveal()["key"] for number in (1, 2, 3, 5)} == set("1235")
    with pytest.raises(WrongKeyError):
        opened(SECOND)


@pytest.mark.slow
def test_writers_that_are_killed_lose_nothing_acknowledged(path, opened):
    for round_ in range(10):
        name = f"round{round_}"
        writer = started(WRITER, path, name)
        write(10_000, writer)
        done = killed_after(writer, 3 * round_ + 1)
        assert {f"{name}/{number}" for number in range(1, done + 1)} <= values(opened())


@pytest.mark.slow
def test_a_rewrap_that_is_killed_is_done_or_not_begun(path, opened):
    vault = opened()
    for number in range(1, 201):
        vault.put(KEY._replace(version=number), {"key": str(number)})
    vault.close()
    for round_ in range(10):
        killed_after(started(REWRAPPER, path), round_ + 1)
        assert values(either(opened)) == {str(number) for number in range(1, 201)}
