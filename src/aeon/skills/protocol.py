"""Reads the process protocol: one event a line, from bytes cut anywhere, within limits, never raising."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from typing import Any, Literal, NamedTuple, TypeAlias, cast, overload

from aeon.base.errors import MissingExtraError
from aeon.base.json import Json, JsonObject
from aeon.skills.invocation import OutputLimits

AssetCheck: TypeAlias = Callable[[str], str | None]
"""Given an asset's path as the script wrote it, says what is wrong with it; None when nothing is."""

MAX_NESTING = 64
"""Levels inside one event: far above use, and below what a log keeps once the event stands inside its record."""

_DEEP_BYTES = 2 * (MAX_NESTING + 1) + len('"version":"0","type":"log"')
"""A shorter event cannot be nested too deeply: each level opens and closes, and two fields are always there."""

MAX_BREACHES = 100
"""Lines that break the protocol before the rest is not looked at: telling them apart costs more than writing them."""

_BOM = b"\xef\xbb\xbf"
_BLANK = b" \t\r"


class _Vocabulary(NamedTuple):
    """The six events of version "0" (skills 2): what checks a line, and the kinds that need a second look."""

    decode: Callable[[bytes], Any]
    as_data: Callable[[Any], JsonObject]
    done: type
    asset: type
    special: frozenset[type]


@cache
def _vocabulary() -> _Vocabulary:
    try:
        import msgspec
    except ModuleNotFoundError:
        raise MissingExtraError(
            "Reading what skill scripts say needs msgspec.", next_step="Install aeon-orchestrator[skills]."
        ) from None

    class Event(msgspec.Struct, tag_field="type", rename="camel", omit_defaults=True, gc=False):
        version: Literal["0"]

    class Log(Event, tag="log"):
        level: Literal["debug", "info", "warn", "error"]
        message: str
        fields: JsonObject | None = None

    class StatePatch(Event, tag="state_patch"):
        patch: JsonObject

    class Asset(Event, tag="asset"):
        asset_id: str
        kind: str
        media_type: str
        path: str
        metadata: JsonObject | None = None

    class UiEvent(Event, tag="ui_event"):
        event: str
        payload: Json = None

    class Error(Event, tag="error"):
        error_code: str
        error_message: str
        details: Json = None

    class Done(Event, tag="done"):
        ok: bool
        summary: Json = None

    decoder = msgspec.json.Decoder(Log | StatePatch | Asset | UiEvent | Error | Done)
    return _Vocabulary(decoder.decode, msgspec.to_builtins, Done, Asset, frozenset({Asset, Done}))


class EventLog(Sequence[JsonObject]):
    """Valid events, kept as the bytes that they came in and decoded when looked at: a flood costs what it weighs.

    Fields that the protocol does not know are dropped (skills 2). Equal to any sequence of the same events.
    """

    def __init__(self) -> None:
        self._blocks: list[bytes] = []
        self._count = 0

    def add(self, block: bytes, count: int) -> None:
        """Keep `count` events that were checked, one a line."""
        self._blocks.append(block)
        self._count += count

    def extend(self, other: "EventLog") -> None:
        """Keep another log's events after one's own."""
        self._blocks += other._blocks  # noqa: SLF001  # one class
        self._count += other._count  # noqa: SLF001  # as above

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[JsonObject]:
        decode, as_data = _vocabulary()[:2]
        for block in self._blocks:
            for line in block.split(b"\n"):
                yield as_data(decode(line))

    @overload
    def __getitem__(self, index: int) -> JsonObject: ...
    @overload
    def __getitem__(self, index: slice) -> list[JsonObject]: ...
    def __getitem__(self, index: int | slice) -> JsonObject | list[JsonObject]:
        return list(self)[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(cast(Sequence[Json], other))

    __hash__ = None  # pyright: ignore[reportAssignmentType]  # it grows while it is read

    def __repr__(self) -> str:
        return f"<{self._count} events>"


class EventReader:
    """One invocation's stdout. Feed it as bytes come, then finish it; what it finds does not depend on the cuts.

    `events` are the valid ones up to the first `done`, `violation` is the first breach with its line's number
    (skills 2, 3), `overflow` says which limit was passed (skills 4). It keeps no more than the limits allow.
    """

    def __init__(self, limits: OutputLimits, check_asset: AssetCheck | None = None) -> None:
        self._limits = limits
        self._worth_a_look = min(_DEEP_BYTES, limits.line + 1)
        self._check_asset = check_asset
        self._vocabulary = _vocabulary()
        self._pending = bytearray()
        self._taken = 0
        self._line = 0
        self._breaches = 0
        self._assets: set[str] = set()
        self.events = EventLog()
        self.is_done = False
        """Whether `done` was read; nothing after it is looked at."""
        self.violation: str | None = None
        self.overflow: str | None = None

    @property
    def is_closed(self) -> bool:
        """Whether further bytes would be ignored."""
        return self.is_done or self.overflow is not None

    def feed(self, data: bytes) -> EventLog:
        """Take the next bytes; returns the events that they completed."""
        new = EventLog()
        if self.is_closed:
            return new
        allowed = data[: self._limits.total - self._taken]
        self._taken += len(allowed)
        self._take(allowed, new)
        if len(allowed) < len(data) and not self.is_closed:
            self._overflowed(f"it wrote more than {self._limits.total} bytes")
        self.events.extend(new)
        return new

    def finish(self) -> EventLog:
        """Take the end of the output; returns the event of a last line without a newline, if there is one."""
        new = EventLog()
        if self._pending and not self.is_closed:
            self._read_lines([bytes(self._pending)], new)
            self._pending.clear()
            self.events.extend(new)
        return new

    def _take(self, data: bytes, new: EventLog) -> None:
        end = data.rfind(b"\n")
        if end < 0:
            self._pending += data
        else:
            block = bytes(self._pending) + data[:end]
            self._pending[:] = data[end + 1 :]
            self._read_block(block, new)
        if len(self._pending) > self._limits.line and not self.is_closed:
            self._line += 1
            self._line_overflowed()

    def _read_block(self, block: bytes, new: EventLog) -> None:
        """Read whole lines: all at once when each is one plain event, else line by line."""
        lines = block.split(b"\n")
        if self._breaches == MAX_BREACHES and max(map(len, lines)) <= self._limits.line:
            self._line += len(lines)
        elif len(lines) > 1 and self._are_plain(block, lines):
            self._line += len(lines)
            new.add(block, len(lines))
        else:
            end = self._line + len(lines)
            self._read_lines(lines, new)
            self._line = end if not self.is_closed else self._line

    def _are_plain(self, block: bytes, lines: list[bytes]) -> bool:
        """Whether every line is a valid event that needs no second look."""
        long = [line for line in lines if len(line) >= self._worth_a_look]
        if any(len(line) > self._limits.line or _may_be_deep(line) for line in long):
            return False
        try:
            if not block.isascii():
                block.decode()
            kinds = set(map(type, map(self._vocabulary.decode, lines)))
        except (ValueError, RecursionError):
            return False
        return kinds.isdisjoint(self._vocabulary.special)

    def _read_lines(self, lines: list[bytes], new: EventLog) -> None:
        for number, line in enumerate(lines, self._line + 1):
            if not line:
                continue
            self._line = number
            if len(line) > self._limits.line:
                self._line_overflowed()
            else:
                self._read_line(line.removeprefix(_BOM) if number == 1 else line, new)
            if self.is_closed:
                self._pending.clear()
                return

    def _read_line(self, line: bytes, new: EventLog) -> None:
        if self._breaches == MAX_BREACHES or not line.strip(_BLANK):
            return
        try:
            line.decode()
            event = self._vocabulary.decode(line)
            fault = "it is nested too deeply" if _is_deep(line) else self._asset_fault(event)
        except UnicodeDecodeError as error:
            fault = f"its bytes are no UTF-8 ({error.reason})"
        except RecursionError:
            fault = "it is nested too deeply"
        except ValueError as error:
            fault = _in_words(str(error))
        else:
            if not fault:
                new.add(line, 1)
                self.is_done = type(event) is self._vocabulary.done
                return
        self._breaches += 1
        self.violation = self.violation or f"line {self._line}: {fault}"

    def _asset_fault(self, event: Json) -> str | None:
        """What is wrong with an asset (skills 2); None for what is none."""
        if type(event) is not self._vocabulary.asset:
            return None
        if event.asset_id in self._assets:
            return f"the assetId {_shortened(event.asset_id)} was used before"
        fault = self._check_asset(event.path) if self._check_asset else None
        if fault is None:
            self._assets.add(event.asset_id)
        return fault

    def _line_overflowed(self) -> None:
        self._overflowed(f"line {self._line} is longer than {self._limits.line} bytes")

    def _overflowed(self, how: str) -> None:
        self.overflow = how
        self._pending.clear()


def _may_be_deep(line: bytes) -> bool:
    return line.count(b"[") + line.count(b"{") > MAX_NESTING


def _is_deep(line: bytes) -> bool:
    return _may_be_deep(line) and _depth(json.loads(line)) > MAX_NESTING


def _depth(value: Json) -> int:
    """Levels of nesting, counted without recursion."""
    depth, level = 0, _inside([value])
    while level:
        depth, level = depth + 1, _inside([*chain.from_iterable(level)])
    return depth


def _inside(values: list[Json]) -> list[Iterable[Json]]:
    """What each object and list among the values holds."""
    objects = [cast(JsonObject, value).values() for value in values if isinstance(value, dict)]
    return [*objects, *(cast(list[Json], value) for value in values if isinstance(value, list))]


def _shortened(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:80] + "...")  # noqa: PLR2004  # a line on a terminal


_IN_WORDS = (
    ("Invalid value", "$.type", "its type is none of log, state_patch, asset, ui_event, error and done"),
    ("", "$.version", 'its version is not "0"'),
    ("Expected `object`", "$", "it is no JSON object"),
    ("JSON is malformed", "", "it is no JSON"),
    ("Input data was truncated", "", "it is no JSON"),
)


def _in_words(message: str) -> str:
    """The decoder's message, with what it means for a script's author before it where that is known."""
    message = message if len(message) <= 300 else message[:300] + "..."  # noqa: PLR2004  # it quotes the script
    for start, place, meaning in _IN_WORDS:
        is_there = not place or message.endswith(f"`{place}`") or (place == "$" and " - at " not in message)
        if message.startswith(start) and is_there:
            return f"{meaning} ({message})"
    return message
