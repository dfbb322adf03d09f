"""Core 12, core 13, FR-037: whole lines in a chain, one writer, nothing lost when writing fails."""

import errno
import hashlib
import os
import stat

import pytest

from aeon.base.errors import LogError
from aeon.base.json import canonical_json, parse_strict
from aeon.observability.log import INITIAL_HASH, JsonlLog, null_log, read_log
from aeon.testing.clock import FakeClock

CLOCK = FakeClock(tick=0)


def entry(number, **fields):
    return {
        "step_number": number,
        "plan_state": {"goal": "g", "steps": []},
        "llm_output": {"text": f"thought {number}"},
        "supervisor_actions": [],
        "tool_calls": [],
        "ttl_remaining": 5,
        "errors": [],
        "timestamp": CLOCK.now(),
        "finished_at": CLOCK.now(),
        **fields,
    }


@pytest.fixture
def path(tmp_path):
    return tmp_path / "logs" / "run.jsonl"


def written(path, count, **options):
    log = JsonlLog(path, **options)
    for number in range(log.entries + 1, log.entries + count + 1):
        log.append(entry(number))
    return log


def test_core_12_every_line_is_canonical_and_carries_the_hash_of_the_one_before(path):
    written(path, 3).close()
    prev = INITIAL_HASH
    for line in path.read_bytes().splitlines():
        value = parse_strict(line.decode("ascii"))
        assert canonical_json(value).encode() == line
        assert value["prev"] == prev
        prev = hashlib.sha256(line).hexdigest()
    assert read_log(path).last_hash == prev


def test_fr_037_an_entry_is_in_the_file_as_soon_as_it_is_appended(path):
    log = written(path, 2)
    assert len(read_log(path).entries) == log.entries == 2
    log.close()


def test_the_file_is_its_owners_alone(path):
    written(path, 1).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_path_may_be_text(path):
    with_text = JsonlLog(str(path))
    with_text.append(entry(1))
    with_text.close()
    assert read_log(str(path)) == read_log(path)


def test_a_log_that_exists_is_never_overwritten(path):
    written(path, 1).close()
    before = path.read_bytes()
    with pytest.raises(LogError, match=f"exists already.*continue the request of the log {path}"):
        JsonlLog(path)
    assert path.read_bytes() == before


def test_a_second_writer_is_refused(path):
    first = written(path, 1)
    with pytest.raises(LogError, match="Another process is writing"):
        JsonlLog(path, after=read_log(path))
    first.append(entry(2))
    first.close()
    assert len(read_log(path).entries) == 2


def test_core_13_going_on_after_what_was_read(path):
    written(path, 2).close()
    written(path, 2, after=read_log(path)).close()
    assert [one["step_number"] for one in read_log(path).entries] == [1, 2, 3, 4]


def test_core_13_resume_drops_a_torn_tail(path):
    written(path, 2).close()
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"errors":[],"llm_out')
    history = read_log(path)
    assert (len(history.entries), history.torn_bytes, history.size) == (2, 21, len(whole))
    written(path, 1, after=history).close()
    assert path.read_bytes().startswith(whole)
    assert len(read_log(path).entries) == 3


def test_a_log_that_went_on_since_it_was_read_is_left_alone(path):
    """Nothing lost: going on after an old reading would cut off what another process wrote meanwhile."""
    written(path, 1).close()
    stale = read_log(path)
    written(path, 1, after=read_log(path)).close()
    with pytest.raises(LogError, match="has changed since it was read"):
        JsonlLog(path, after=stale)
    assert len(read_log(path).entries) == 2
    written(path, 1, after=read_log(path)).close()


def short_write(file, data):
    return os.write(file, data[: len(data) // 2])


def no_space(file, data):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def no_space_after_a_part(file, data):
    os.write(file, data[:7])
    return no_space(file, data)


def nothing_written(file, data):
    return 0


@pytest.mark.parametrize("failure", [short_write, no_space, no_space_after_a_part, nothing_written])
@pytest.mark.parametrize("entries_before", [0, 2])
def test_a_write_that_fails_leaves_whole_lines_and_says_what_to_do(path, failure, entries_before):
    calls = []

    def write(file, data):
        calls.append(data)
        return (failure if len(calls) == entries_before + 1 else os.write)(file, data)

    log = JsonlLog(path, write=write)
    for number in range(1, entries_before + 1):
        log.append(entry(number))
    before = path.read_bytes()
    with pytest.raises(LogError, match="could not be written") as raised:
        log.append(entry(entries_before + 1))
    assert f"continue the request of the log {path}" in raised.value.advice
    assert path.read_bytes() == before
    assert log.entries == entries_before
    log.append(entry(entries_before + 1))
    log.close()
    assert len(read_log(path).entries) == entries_before + 1


def test_a_write_that_fails_when_the_file_is_gone_is_still_a_log_error(path):
    log = JsonlLog(path, write=no_space)
    path.unlink()
    with pytest.raises(LogError, match="No space left"):
        log.append(entry(1))
    log.close()


def test_after_close_nothing_is_written(path):
    log = written(path, 1)
    log.close()
    log.close()
    with pytest.raises(LogError, match="could not be written"):
        log.append(entry(2))
    assert len(read_log(path).entries) == 1


@pytest.mark.parametrize("bad", [float("nan"), {1}, {1: 1, "1": 2}])
def test_an_entry_that_is_no_json_is_refused_and_the_chain_goes_on(path, bad):
    log = written(path, 1)
    with pytest.raises(LogError, match="entry 2 is not JSON"):
        log.append(entry(2, errors=[{"x": bad}]))
    log.append(entry(2))
    log.close()
    assert len(read_log(path).entries) == 2


def test_a_folder_that_cannot_be_written_is_said_clearly(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(LogError, match=r"cannot be written: .*Choose another place for the log"):
        JsonlLog(tmp_path / "file" / "run.jsonl")
    with pytest.raises(LogError, match=r"exists already|cannot be written"):
        JsonlLog(tmp_path)


def test_a_log_that_is_gone_cannot_be_gone_on_with(path):
    written(path, 1).close()
    history = read_log(path)
    path.unlink()
    with pytest.raises(LogError, match="cannot be written: No such file"):
        JsonlLog(path, after=history)
    assert not path.exists()


def test_sync_waits_for_the_disk(path, monkeypatch):
    synced = []
    monkeypatch.setattr(os, "fsync", synced.append)
    written(path, 2, sync=True).close()
    assert len(synced) == 2


def test_a_disk_that_fails_leaves_whole_lines(path, monkeypatch):
    log = written(path, 1, sync=True)

    def fails(file):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(LogError, match="Input/output error"):
        log.append(entry(2))
    log.close()
    assert len(read_log(path).entries) == 1


def test_no_log_counts_and_keeps_nothing():
    log = null_log()
    log.append(entry(1))
    log.append(entry(2))
    assert log.entries == 2
