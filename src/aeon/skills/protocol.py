"""Reads the process protocol: one event a line, from bytes cut anywhere, within limits, never raising."""

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from io import BytesIO
from itertools import chain
from typing import Any, Literal, NamedTuple, TypeAlias, Union, cast, overload

from aeon.base.errors import MissingExtraError
from aeon.base.json import Json, JsonObject
from aeon.skills.invocation import OUTPUT_BUDGET_BYTES, OutputBudget, OutputLimits

AssetCheck: TypeAlias = Callable[[str], str | None]
"""Given an asset's path as the script wrote it, says what is wrong with it; None when nothing is."""

MAX_NESTING = 64
"""Levels inside one event: far above use, and below what a log keeps once the event stands inside its record."""

_SHALLOW = 6
"""Levels below an event to which a quick reading goes; the decoder's size doubles with each."""

MAX_VIOLATIONS = 100
"""Lines that break the protocol before the rest is not looked at: telling them apart costs more than writing them."""

BUDGET_EXCEEDED = f"the scripts of its plan wrote more than {OUTPUT_BUDGET_BYTES // 1024**2} MiB that must be kept"

_BOM = b"\xef\xbb\xbf"
_BLANK = b" \t\r"
_PATCH = b"state_patch"


class _EventDecoders(NamedTuple):
    """The six events of version "0" (skills 2): what reads any line, and what reads plain ones without a second look.

    A plain event is one of the four that stand for themselves, nested no deeper than `_SHALLOW` levels. It has no
    field that the protocol does not know: the decoder skips those, and neither their depth nor their UTF-8 is seen.
    """

    decode: Callable[[bytes], Any]
    decode_plain: Callable[[bytes], Any]
    as_data: Callable[[Any], JsonObject]
    done: type
    asset: type
    dispensable: frozenset[type]
    """Logs and UI events: what comes of a run is the same without them."""


@cache
def _event_decoders() -> _EventDecoders:
    try:
        from msgspec import to_builtins
        from msgspec.json import Decoder
    except ModuleNotFoundError:
        raise MissingExtraError(
            "Reading what skill scripts say needs msgspec.", next_step="Install aeon-orchestrator[skills]."
        ) from None
    *free, asset, done = _kinds(Json, JsonObject)
    plain = _kinds(_nested(_SHALLOW), dict[str, _nested(_SHALLOW - 1)], is_closed=True)[: len(free)]
    spoken = frozenset(kinds[at] for kinds in (free, plain) for at in (_LOG, _UI_EVENT))
    return _EventDecoders(
        Decoder(Union[*free, asset, done]).decode, Decoder(Union[*plain]).decode, to_builtins, done, asset, spoken
    )


_LOG, _UI_EVENT = 0, 2
"""Their places among the kinds of events."""


def _kinds(value: Any, json_object: Any, *, is_closed: bool = False) -> tuple[type, ...]:
    """The kinds of events, with these types where anything may stand; `asset` and `done` are the last.

    `is_closed`: fields that the protocol does not know are refused, not skipped.
    """
    from msgspec import Struct, defstruct

    class Event(Struct, tag_field="type", rename="camel", omit_defaults=True, gc=False):
        version: Literal["0"]

    def kind(tag: str, *fields: tuple[str, Any] | tuple[str, Any, None]) -> type:
        return defstruct(tag, fields, bases=(Event,), tag=tag, forbid_unknown_fields=is_closed)

    some_object = (json_object | None, None)
    return (
        kind("log", ("level", Literal["debug", "info", "warn", "error"]), ("message", str), ("fields", *some_object)),
        kind("state_patch", ("patch", json_object)),
        kind("ui_event", ("event", str), ("payload", value, None)),
        kind("error", ("error_code", str), ("error_message", str), ("details", value, None)),
        kind("asset", ("asset_id", str), ("kind", str), ("media_type", str), ("path", str), ("metadata", *some_object)),
        kind("done", ("ok", bool), ("summary", value, None)),
    )


def _nested(levels: int) -> Any:
    """The type of JSON values that are nested no deeper."""
    leaf: Any = Union[None, bool, int, float, str]  # noqa: UP007  # built of values, not written
    within = leaf
    for _ in range(levels):
        within = leaf | list[within] | dict[str, within]
    return within


class ScriptEventLog(Sequence[JsonObject]):
    """Valid events, kept as the bytes that they came in and decoded when looked at: a flood costs what it weighs.

    Fields that the protocol does not know are dropped (skills 2). Equal to any sequence of the same events.
    """

    def __init__(self, blocks: Iterable[bytes] = ()) -> None:
        """`blocks`: events that were checked, one a line."""
        self._blocks = [*blocks]
        self._counted = 0
        self._count = 0

    def add(self, block: bytes) -> None:
        """Keep more of them."""
        self._blocks.append(block)

    def __len__(self) -> int:
        self._count += sum(block.count(b"\n") + 1 for block in self._blocks[self._counted :])
        self._counted = len(self._blocks)
        return self._count

    def __iter__(self) -> Iterator[JsonObject]:
        vocabulary = _event_decoders()
        for block in self._blocks:
            yield from map(vocabulary.as_data, map(vocabulary.decode, BytesIO(block)))

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
        return f"<{len(self)} events>"


class ScriptEventReader:
    """One invocation's stdout. Feed it as bytes come, then finish it; what it finds does not depend on the cuts.

    `events` are the valid ones up to the first `done`, `violation` is the first breach with its line's number
    (skills 2, 3), `overflow` says which limit was passed (skills 4). It keeps no more than the limits allow, and of
    logs and UI events no more than the plan's `allowance`: those are read and told, then dropped and counted.
    """

    def __init__(
        self, limits: OutputLimits, check_asset: AssetCheck | None = None, allowance: OutputBudget | None = None
    ) -> None:
        self._limits = limits
        self._budget = allowance
        self._check_asset = check_asset
        self._vocabulary = _event_decoders()
        self._pending = bytearray()
        self._bytes_read = 0
        self._skipped_lines = 0
        self._violations = 0
        self._assets: set[str] = set()
        self._new_events = ScriptEventLog()
        self._valid = 0
        self.events = ScriptEventLog()
        self.dropped_events = 0
        """Valid events that are not kept."""
        self.budget_cost = 0
        """What the kept ones cost of the allowance."""
        self.is_done = False
        """Whether `done` was read; nothing after it is looked at."""
        self.violation: str | None = None
        self.overflow: str | None = None

    @property
    def is_closed(self) -> bool:
        """Whether further bytes would be ignored."""
        return self.is_done or self.overflow is not None

    def feed(self, data: bytes) -> ScriptEventLog:
        """Take the next bytes; returns the events that they completed."""
        if not self.is_closed:
            allowed = data[: self._limits.total - self._bytes_read]
            self._bytes_read += len(allowed)
            self._take(allowed)
            if len(allowed) < len(data) and not self.is_closed:
                self._overflowed(f"it wrote more than {self._limits.total} bytes")
        return self._take_new_events()

    def finish(self) -> ScriptEventLog:
        """Take the end of the output; returns the event of a last line without a newline, if there is one."""
        if self._pending and not self.is_closed:
            self._read_lines([bytes(self._pending)])
            self._pending.clear()
        return self._take_new_events()

    def _take_new_events(self) -> ScriptEventLog:
        told, self._new_events = self._new_events, ScriptEventLog()
        return told

    @property
    def _line(self) -> int:
        """The number of the line that is read now: after those that were events and those that were none."""
        return self._valid + self._skipped_lines + 1

    def _take(self, data: bytes) -> None:
        end = data.rfind(b"\n")
        if end < 0:
            self._pending += data
        else:
            block = b"".join((self._pending, memoryview(data)[:end]))
            self._pending[:] = data[end + 1 :]
            self._read_block(block)
        if len(self._pending) > self._limits.line and not self.is_closed:
            self._line_overflowed()

    def _read_block(self, block: bytes) -> None:
        """Read whole lines: all at once when each is one plain event, else line by line."""
        if len(block) <= self._limits.line and self._violations < MAX_VIOLATIONS and self._are_plain(block):
            self._keep_block(block)
        else:
            self._read_lines(block.split(b"\n"))

    def _are_plain(self, block: bytes) -> bool:
        """Whether every line is a valid event that needs no second look."""
        if b"\n" not in block or block.endswith(b"\n"):  # one line is no flood; a last one that is blank is not seen
            return False
        try:
            deque(map(self._vocabulary.decode_plain, BytesIO(block)), maxlen=0)
        except (ValueError, RecursionError):
            return False
        return True

    def _keep_block(self, block: bytes) -> None:
        """Tell plain events and keep those for which there is room: of all as one, else of each by its kind."""
        self._new_events.add(block)
        count = block.count(b"\n") + 1
        if self._budget is None or self._charge(len(block) * _kept_copies(block), count, is_dispensable=True):
            self.events.add(block)
            self._valid += count
            return
        for line in BytesIO(block):
            event: object = self._vocabulary.decode_plain(line)
            self._keep(line.rstrip(b"\n"), is_dispensable=type(event) in self._vocabulary.dispensable)
            if self.overflow is not None:
                return

    def _keep(self, line: bytes, *, is_dispensable: bool) -> None:
        self._valid += 1
        if self._charge(len(line) * _kept_copies(line), 1, is_dispensable=is_dispensable):
            self.events.add(line)
        elif is_dispensable:
            self.dropped_events += 1
        else:
            self._overflowed(BUDGET_EXCEEDED)

    def _charge(self, size: int, events: int, *, is_dispensable: bool) -> bool:
        """Whether so much may be kept."""
        cost = 0 if self._budget is None else self._budget.reserve(size, events, is_dispensable=is_dispensable)
        self.budget_cost += cost or 0
        return cost is not None

    def _read_lines(self, lines: list[bytes]) -> None:
        for line in lines:
            if len(line) > self._limits.line:
                self._line_overflowed()
            else:
                self._read_line(line.removeprefix(_BOM) if self._line == 1 else line)
            if self.is_closed:
                self._pending.clear()
                return

    def _read_line(self, line: bytes) -> None:
        """Keep its event, or note what is wrong with it; a blank line is neither."""
        if self._violations == MAX_VIOLATIONS or not line.strip(_BLANK):
            self._skipped_lines += 1
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
            fault = _explain_decode_error(str(error))
        else:
            if not fault:
                self._keep(line, is_dispensable=type(event) in self._vocabulary.dispensable)
                self._new_events.add(line)
                self.is_done = type(event) is self._vocabulary.done
                return
        self.violation = self.violation or f"line {self._line}: {fault}"
        self._violations += 1
        self._skipped_lines += 1

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


def _kept_copies(text: bytes) -> int:
    """How often a result holds what stands in these events: a patch is an event, and part of the output."""
    return 2 if _PATCH in text else 1


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


_DECODE_ERRORS = (
    ("Invalid value", "$.type", "its type is none of log, state_patch, asset, ui_event, error and done"),
    ("", "$.version", 'its version is not "0"'),
    ("Expected `object`", "$", "it is no JSON object"),
    ("JSON is malformed", "", "it is no JSON"),
    ("Input data was truncated", "", "it is no JSON"),
)


def _explain_decode_error(message: str) -> str:
    """The decoder's message, with what it means for a script's author before it where that is known."""
    message = message if len(message) <= 300 else message[:300] + "..."  # noqa: PLR2004  # it quotes the script
    for start, place, meaning in _DECODE_ERRORS:
        is_there = not place or message.endswith(f"`{place}`") or (place == "$" and " - at " not in message)
        if message.startswith(start) and is_there:
            return f"{meaning} ({message})"
    return message
