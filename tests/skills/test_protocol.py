"""The reader of the process protocol (skills 1-4)."""

import json
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from aeon.base.errors import MissingExtraError
from aeon.skills import protocol
from aeon.skills.invocation import OutputLimits
from aeon.skills.protocol import MAX_NESTING, MAX_VIOLATIONS, ScriptEventReader

DONE = {"version": "0", "type": "done", "ok": True}
EVENTS = [
    {
        "version": "0",
        "type": "log",
        "level": "info",
        "message": "a\u2028b\x85\U0001f600",
        "fields": {"n": [1, 2.5, None]},
    },
    {"version": "0", "type": "state_patch", "patch": {"a": {"b": None}}},
    {"version": "0", "type": "asset", "assetId": "1", "kind": "image", "mediaType": "image/png", "path": "a.png"},
    {"version": "0", "type": "ui_event", "event": "shown", "payload": [True]},
    {"version": "0", "type": "error", "errorCode": "E1", "errorMessage": "late", "details": "why"},
    {**DONE, "summary": {"pages": 3}},
]


def lines(*events) -> bytes:
    return b"".join(json.dumps(event, ensure_ascii=False).encode() + b"\n" for event in events)


def read(data: bytes, *cuts: int, limits: OutputLimits | None = None, check_asset=None) -> ScriptEventReader:
    reader = ScriptEventReader(limits or OutputLimits(), check_asset)
    ends = sorted({min(cut, len(data)) for cut in cuts} | {0, len(data)})
    for start, end in pairwise(ends):
        reader.feed(data[start:end])
    reader.finish()
    return reader


def found(reader: ScriptEventReader) -> tuple:
    return list(reader.events), reader.violation, reader.overflow, reader.is_done


def test_the_six_types_are_read_in_order():
    """Skills 2."""
    reader = read(lines(*EVENTS))
    assert (list(reader.events), reader.violation, reader.is_done) == (EVENTS, None, True)


def test_unknown_fields_are_dropped():
    """Skills 2: unknown fields are ignored."""
    assert read(lines({**DONE, "extra": [1], "more": {}})).events == [DONE]


def test_crlf_bom_blank_lines_and_a_last_line_without_newline():
    data = b"\xef\xbb\xbf" + lines(EVENTS[0]).replace(b"\n", b"\r\n") + b"\r\n \t\n\n" + lines(DONE).rstrip()
    assert found(read(data)) == ([EVENTS[0], DONE], None, None, True)


@pytest.mark.parametrize("between", [b"\n", b"\n\n", b" \r\n"])
@pytest.mark.parametrize("blanks", [b"", b"\n", b"\n\n"])
def test_lines_are_counted_however_they_were_read(between, blanks):
    """Whole blocks of plain events, blank lines and single lines count alike."""
    plain = lines(EVENTS[1], EVENTS[3], EVENTS[4])
    data = plain + blanks + between.join([plain[:-1], b"nonsense", b""])
    reader = ScriptEventReader(OutputLimits())
    for start in range(0, len(data), 4096):
        reader.feed(data[start : start + 4096])
    number = data[: data.index(b"nonsense")].count(b"\n") + 1
    assert reader.violation.startswith(f"line {number}: ")
    assert len(reader.events) == len(list(reader.events)) == 6


@pytest.mark.parametrize("levels", range(1, 12))
def test_nesting_below_its_limit_changes_nothing(levels):
    """What is read at once goes some levels deep; what lies deeper is read as well."""
    value = 1
    for _ in range(levels):
        value = {"a": [value]}
    events = [{"version": "0", "type": "state_patch", "patch": value}] * 3
    assert found(read(lines(*events))) == (events, None, None, False)


def test_nothing_after_done_is_looked_at():
    """Skills 3: exactly one done ends an invocation; later output is ignored."""
    limits = OutputLimits(total=1000)
    reader = read(lines(DONE) + lines(DONE) + b"\xff" * 5000, 10, 60, 100, limits=limits)
    assert found(reader) == ([DONE], None, None, True)


BREACHES = [
    (b'{"version":"0","type":"dance"}', "its type is not log"),
    (b'{"version":"1","type":"done","ok":true}', 'its version is not "0"'),
    (b'{"version":0,"type":"done","ok":true}', 'its version is not "0"'),
    (b'{"type":"done","ok":true}', "required field `version`"),
    (b'{"version":"0","type":"done"}', "required field `ok`"),
    (b'{"version":"0","type":"done","ok":1}', "Expected `bool`"),
    (b'{"version":"0","type":"log","level":"loud","message":""}', "Invalid enum value 'loud'"),
    (b'{"version":"0","type":"state_patch","patch":[]}', "Expected `object`, got `array` - at `$.patch`"),
    (b"[]", "it is not a JSON object"),
    (b"null", "it is not a JSON object"),
    (b"plainly no JSON", "it is not valid JSON"),
    (b'{"version":"0"', "it is not valid JSON"),
    (b'{"version":"0","type":"done","ok":true}{}', "it is not valid JSON"),
    (b'{"version":"0","type":"state_patch","patch":{"a":NaN}}', "it is not valid JSON"),
    (b'{"version":"0","type":"state_patch","patch":{"a":-Infinity}}', "it is not valid JSON"),
    (b'{"version":"0","type":"state_patch","patch":{"a":1e999}}', "out of range"),
    (b'{"version":"0","type":"state_patch","patch":{"a":' + b"9" * 5000 + b"}}", "out of range"),
    (b'{"version":"0","type":"ui_event","event":"\\ud800"}', "it is not valid JSON"),
    (b'{"version":"0","type":"ui_event","event":"\xed\xa0\x80"}', "not valid UTF-8"),
    (b'{"version":"0","type":"done","ok":true,"unknown":"\xff"}', "not valid UTF-8"),
    (b'{"version":"0","type":"ui_event","event":"e","payload":' + b"[" * 100_000 + b"}", "nested too deeply"),
    (b'{"version":"0","type":"ui_event","event":"e","x":' + b'{"a":' * 100_000 + b"}", "nested too deeply"),
]


@pytest.mark.parametrize(("line", "fault"), BREACHES, ids=range(len(BREACHES)))
def test_a_breach_is_named_with_its_line_and_reading_goes_on(line, fault):
    """Skills 2, 4: a violation, never a crash; the first one is told."""
    reader = read(lines(EVENTS[0]) + b"\n" + line + b"\nsecond breach\n" + lines(DONE))
    assert reader.violation.startswith("line 3: ")
    assert fault in reader.violation
    assert len(reader.violation) < 500
    assert list(reader.events) == [EVENTS[0], DONE]


UNKNOWN = b'{"version":"0","type":"log","level":"info","message":"m","x":%s}'
ODD = [
    UNKNOWN % (b"[" * 70 + b"]" * 70),
    UNKNOWN % b'"\xff"',
    UNKNOWN % b"1e999",
    b'{"x":' + b"[" * 2000 + b"]" * 2000 + b',"version":"0","type":"log","level":"info","message":"m"}',
    b'{"version":"0","\xff":1,"type":"log","level":"info","message":"m"}',
    b'{"version":"0","type":"state_patch","patch":{"\xff":1}}',
    b'{"version":"0","type":"state_patch","patch":{"a":[\n1]}}',
    b'{"version":"0",\n"type":"log","level":"info","message":"m"}',
]
"""What a hurried reading might see otherwise."""


@pytest.mark.parametrize("line", [*(line for line, _ in BREACHES), *ODD], ids=range(len(BREACHES) + len(ODD)))
def test_in_a_flood_a_line_is_what_it_is_alone(line):
    """Skills 2, 4: events that come many at once are read at once, with the same findings."""
    around = lines(EVENTS[1], EVENTS[3])
    data = around + line + b"\n" + around
    assert found(read(data)) == found(read(data, *(at + 1 for at, byte in enumerate(data) if byte == ord("\n"))))


def nested(levels: int) -> dict:
    payload: list = []
    for _ in range(levels - 2):
        payload = [payload]
    return {"version": "0", "type": "ui_event", "event": "[{" * 100, "payload": payload}


def test_nesting_has_a_limit():
    assert read(lines(nested(MAX_NESTING), DONE)).violation is None
    assert read(lines(nested(MAX_NESTING + 1), DONE)).violation == "line 1: the line is nested too deeply"


def test_after_many_breaches_the_rest_is_not_looked_at():
    """A flood of nonsense must not cost more to read than to write."""
    reader = read(b"y\n" * MAX_VIOLATIONS + lines(DONE))
    assert (list(reader.events), reader.violation[:7]) == ([], "line 1:")
    assert read(b"y\n" * (MAX_VIOLATIONS - 1) + lines(DONE)).is_done


def test_an_asset_is_named_once_and_checked():
    """Skills 2: assetId unique in the invocation, path to an existing readable file."""
    first, other = EVENTS[2], {**EVENTS[2], "assetId": "2", "path": "gone"}
    reader = read(lines(first, other, first, DONE), check_asset=lambda path: "it is gone" if path == "gone" else None)
    assert list(reader.events) == [first, DONE]
    assert reader.violation == "line 2: it is gone"
    assert read(lines(first, first)).violation == "line 2: the assetId '1' was used before"


@pytest.mark.parametrize("cut", [1, 7, 64, 4096])
def test_a_line_over_its_limit_ends_reading(cut):
    """Skills 4: a line 1 MiB, configurable; the newline does not count."""
    limits = OutputLimits(line=100)
    padded = json.dumps({**DONE, "summary": ""}).encode()
    fits = padded.replace(b'""', b'"' + b"x" * (100 - len(padded)) + b'"')
    assert len(fits) == 100
    assert read(fits + b"\n", *range(0, 200, cut), limits=limits).is_done
    reader = read(lines(EVENTS[1]) + fits + b" \n" + lines(DONE), *range(0, 400, cut), limits=limits)
    assert found(reader) == ([EVENTS[1]], None, "line 2 is longer than 100 bytes", False)


@pytest.mark.parametrize("cut", [1, 7, 64, 4096])
def test_output_over_its_limit_ends_reading(cut):
    """Skills 4: an invocation 16 MiB, configurable."""
    data = lines(EVENTS[1], EVENTS[1], EVENTS[1])
    third = len(data) // 3
    reader = read(data, *range(0, 400, cut), limits=OutputLimits(total=2 * third))
    assert found(reader) == ([EVENTS[1]] * 2, None, f"it wrote more than {2 * third} bytes", False)
    assert read(data, *range(0, 400, cut), limits=OutputLimits(total=len(data))).overflow is None


def test_no_more_is_kept_than_the_limits_allow():
    reader = ScriptEventReader(OutputLimits(line=1000, total=5000))
    for _ in range(1000):
        reader.feed(b"x" * 1000)
    assert len(reader._pending) <= 1000


def test_what_is_fed_is_given_back_once():
    reader = ScriptEventReader(OutputLimits())
    given_back = [list(reader.feed(bytes([byte]))) for byte in lines(*EVENTS[:2], DONE)[:-1]]
    given_back.append(list(reader.finish()))
    assert [event for events in given_back for event in events] == [*EVENTS[:2], DONE]


def test_a_log_of_events_is_a_sequence():
    log = read(lines(*EVENTS)).events
    assert (len(log), log[0], log[-1], log[1:3]) == (6, EVENTS[0], EVENTS[-1], EVENTS[1:3])
    assert log == EVENTS
    assert log != EVENTS[1:]
    assert log != 5
    assert repr(log) == "<6 events>"


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
pieces = st.one_of(
    st.sampled_from(
        [lines(event) for event in EVENTS]
        + [b"\n", b"\r\n", b"\xef\xbb\xbf", b"\xff\n", b"[" * 300, b"{}\n", b'{"version":"0",\n']
    ),
    st.binary(max_size=30),
    json_values.map(lambda value: lines({"version": "0", "type": "ui_event", "event": "e", "payload": value})),
)


@given(
    st.lists(pieces, max_size=12).map(b"".join),
    st.lists(st.integers(0, 1500), max_size=20),
    st.integers(40, 400),
    st.integers(100, 2000),
)
@example(b'{"version":"0",\n"type":"done","ok":true}{}\n', [3], 400, 2000)
def test_how_the_bytes_are_cut_changes_nothing(data, cuts, line, total):
    """Law: any bytes, however cut, are read to the same events, breach and overflow; none raises (skills 2-4)."""
    limits = OutputLimits(line=line, total=total)
    whole = found(read(data, limits=limits))
    assert found(read(data, *cuts, limits=limits)) == whole
    assert found(read(data, *range(len(data)), limits=limits)) == whole


@given(st.lists(json_values, max_size=6))
def test_what_is_written_is_read(values):
    """Law: every event of valid JSON comes out as it went in."""
    events = [
        {"version": "0", "type": "ui_event", "event": "e", "payload": value} for value in values if value is not None
    ]
    reader = read(lines(*events))
    assert (list(reader.events), reader.violation) == (events, None)


def test_without_the_extra_the_error_names_it(uninstall):
    uninstall("msgspec")
    protocol._event_decoders.cache_clear()
    with pytest.raises(MissingExtraError, match=r"aeon-orchestrator\[skills\]"):
        ScriptEventReader(OutputLimits())
