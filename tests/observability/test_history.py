"""Core 13: a log whose chain is broken is refused, naming the line."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.base.errors import LogError
from aeon.observability.log import ChainedLog, read_log
from aeon.observability.plan_record import PlanRecorder

NOW = "2026-01-01T00:00:00.000000+00:00"


def made_lines(count=6):
    lines = []
    log = ChainedLog(lines.append)
    recorder = PlanRecorder("g", [{"step_id": f"s{n}", "description": "d", "status": "pending"} for n in range(25)])
    for number in range(1, count + 1):
        log.append(
            {
                "step_number": number,
                "plan_state": recorder.next_state(),
                "llm_output": {"text": "thought", "usage": {"output_tokens": 12}},
                "supervisor_actions": [],
                "tool_calls": [],
                "ttl_remaining": 10 - number,
                "errors": [],
                "timestamp": NOW,
                "finished_at": NOW,
            }
        )
        recorder.record_step(number, {"step_id": f"s{number}", "description": "d", "status": "complete"})
    return lines


LINES = made_lines()


class Given:
    """A path whose bytes a test hands over."""

    def __init__(self, data):
        self.data = data

    def read_bytes(self):
        return self.data

    def absolute(self):
        return Path("/run.jsonl")

    def __str__(self):
        return "run.jsonl"


def read(lines, tail=b""):
    return read_log(Given(b"".join(line + b"\n" for line in lines) + tail))


def refused_at(lines, tail=b""):
    with pytest.raises(LogError) as raised:
        read(lines, tail)
    assert "run.jsonl was changed or damaged" in str(raised.value)
    assert raised.value.advice
    return raised.value.details["line"]


def test_what_was_written_is_read():
    history = read(LINES)
    assert [entry["step_number"] for entry in history.entries] == [1, 2, 3, 4, 5, 6]
    assert history.torn_bytes == 0
    plan = history.plan_at(4)
    assert [step["status"] for step in plan["steps"][:5]] == ["pending", "complete", "complete", "complete", "pending"]


def test_a_torn_last_line_is_reported_not_refused():
    for cut in (1, 50, len(LINES[5]) - 1, len(LINES[5])):
        history = read(LINES[:5], LINES[5][:cut])
        assert (len(history.entries), history.torn_bytes) == (5, cut)


@pytest.mark.parametrize("at", range(1, 6))
def test_a_removed_line_is_named(at):
    assert refused_at([*LINES[: at - 1], *LINES[at:]]) == at


@pytest.mark.parametrize("at", range(1, 6))
def test_swapped_lines_are_named(at):
    swapped = [*LINES]
    swapped[at - 1], swapped[at] = swapped[at], swapped[at - 1]
    assert refused_at(swapped) == at


@pytest.mark.parametrize("at", range(1, 7))
@pytest.mark.parametrize(
    "line", [LINES[0], LINES[2], b"", b"{}", b"null", b"[]", b"\xff", b'{"step_number":1}', b"nonsense"]
)
def test_an_inserted_line_is_named(at, line):
    lines = [*LINES[: at - 1], line, *LINES[at - 1 :]]
    assert refused_at(lines) == (at + 1 if line == LINES[at - 1] else at)


@pytest.mark.parametrize("at", range(1, 6))
def test_a_changed_number_is_found_by_the_line_after(at):
    changed = LINES[at - 1].replace(b'"output_tokens":12', b'"output_tokens":13')
    assert changed != LINES[at - 1]
    assert refused_at([*LINES[: at - 1], changed, *LINES[at:]]) == at + 1


def test_a_changed_step_number_is_named():
    changed = LINES[5].replace(b'"step_number":6', b'"step_number":7')
    assert refused_at([*LINES[:5], changed]) == 6


def test_lines_rewritten_in_another_spelling_are_found():
    respelt = json.dumps(json.loads(LINES[1])).encode()
    assert refused_at([LINES[0], respelt, *LINES[2:]]) == 3


def test_windows_line_ends_are_found():
    assert refused_at([line + b"\r" for line in LINES]) == 2


def test_a_log_cut_between_lines_reads_but_its_head_differs():
    """Core 13: kept elsewhere, the head proves that no line was cut from the end."""
    assert read(LINES[:4]).last_hash != read(LINES).last_hash


WHOLE = b"".join(line + b"\n" for line in LINES)
LAST = len(WHOLE) - len(LINES[-1]) - 1


@given(st.integers(0, LAST - 1), st.integers(0, 255))
def test_any_changed_byte_before_the_last_line_is_found(position, byte):
    changed = bytearray(WHOLE)
    if changed[position] == byte:
        return
    changed[position] = byte
    number = WHOLE[:position].count(b"\n") + 1
    with pytest.raises(LogError) as raised:
        read_log(Given(bytes(changed)))
    assert raised.value.details["line"] in (number, number + 1)


@pytest.mark.parametrize("position", [at for at in range(LAST) if WHOLE[at : at + 1] == b"\n"])
@pytest.mark.parametrize("byte", [b"\r", b"\x0b", b"\x0c", b"\x1c", b"\x85", b" ", b"\x00"])
def test_a_changed_line_end_is_found(position, byte):
    with pytest.raises(LogError):
        read_log(Given(WHOLE[:position] + byte + WHOLE[position + 1 :]))


@given(st.binary(max_size=300) | st.text().map(str.encode))
def test_any_bytes_are_refused_in_words(data):
    with pytest.raises(LogError) as raised:
        read_log(Given(data))
    assert raised.value.advice


@pytest.mark.parametrize("data", [b"", b"no newline", b"\n", b"\n\n"])
def test_a_file_without_entries_is_no_log(data):
    with pytest.raises(LogError):
        read_log(Given(data))


def test_a_file_that_cannot_be_read_is_said_clearly(tmp_path):
    with pytest.raises(LogError, match=r"cannot be read: No such file.*Check the path"):
        read_log(tmp_path / "missing.jsonl")
    with pytest.raises(LogError, match="cannot be read: Is a directory"):
        read_log(Path(tmp_path))
