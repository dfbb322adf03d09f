"""Reads the process protocol, one event per line, within limits.

It accepts arbitrary chunks and never raises.
"""

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
"""Returns what is wrong with an asset's path as the script wrote it, or None."""

MAX_NESTING = 64
"""Maximum nesting of one event: far above real use, and low enough to be logged inside a record."""

_SHALLOW = 6
"""Levels below an event that the fast decoder accepts; its size doubles with each level."""

MAX_VIOLATIONS = 100
"""Invalid lines after which further lines are ignored: checking them costs more than writing them."""

BUDGET_EXCEEDED = f"the scripts of its plan wrote more than {OUTPUT_BUDGET_BYTES // 1024**2} MiB that must be kept"

_BOM = b"\xef\xbb\xbf"
_BLANK = b" \t\r"
_PATCH = b"state_patch"


class _EventDecoders(NamedTuple):
    """The decoders of the six events of version "0" (skills 2).

    One reads any line, a fast one reads plain events only. A plain event is one of the four kinds that need no further
    check, nested at most `_SHALLOW` levels. It must not have unknown fields: the decoder would skip them without
    checking their depth or their UTF-8.
    """

    decode: Callable[[bytes], Any]
    decode_plain: Callable[[bytes], Any]
    as_data: Callable[[Any], JsonObject]
    done: type
    asset: type
    dispensable: frozenset[type]
    """Logs and UI events: a run's result does not depend on them."""


@cache
def _event_decoders() -> _EventDecoders:
    try:
        from msgspec import to_builtins
        from msgspec.json import Decoder
    except ModuleNotFoundError:
        raise MissingExtraError(
            "Reading the events of skill scripts needs the package msgspec.",
            next_step="Install aeon-orchestrator[skills].",
        ) from None
    *free, asset, done = _kinds(Json, JsonObject)
    plain = _kinds(_nested(_SHALLOW), dict[str, _nested(_SHALLOW - 1)], is_closed=True)[: len(free)]
    dispensable = frozenset(kinds[at] for kinds in (free, plain) for at in (_LOG, _UI_EVENT))
    return _EventDecoders(
        Decoder(Union[*free, asset, done]).decode, Decoder(Union[*plain]).decode, to_builtins, done, asset, dispensable
    )


_LOG, _UI_EVENT = 0, 2
"""Their positions in `_kinds`."""


def _kinds(value: Any, json_object: Any, *, is_closed: bool = False) -> tuple[type, ...]:
    """Returns the event types, with `value` and `json_object` as the types of free fields.

    `asset` and `done` are the last ones. `is_closed`: unknown fields are rejected, not skipped.
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
    """Returns the type of JSON values that are nested at most `levels` deep."""
    leaf: Any = Union[None, bool, int, float, str]  # noqa: UP007  # built of values, not written
    within = leaf
    for _ in range(levels):
        within = leaf | list[within] | dict[str, within]
    return within


class ScriptEventLog(Sequence[JsonObject]):
    """Valid events, stored as the bytes received and decoded on access.

    So many events cost little memory. Unknown fields are dropped (skills 2). Equal to any sequence of the same events.
    """

    def __init__(self, blocks: Iterable[bytes] = ()) -> None:
        """`blocks`: events that were checked, one per line."""
        self._blocks = [*blocks]
        self._counted = 0
        self._count = 0

    def add(self, block: bytes) -> None:
        """Adds a block of events."""
        self._blocks.append(block)

    def __len__(self) -> int:
        self._count += sum(block.count(b"\n") + 1 for block in self._blocks[self._counted :])
        self._counted = len(self._blocks)
        return self._count

    def __iter__(self) -> Iterator[JsonObject]:
        decoders = _event_decoders()
        for block in self._blocks:
            yield from map(decoders.as_data, map(decoders.decode, BytesIO(block)))

    @overload
    def __getitem__(self, index: int) -> JsonObject: ...
    @overload
    def __getitem__(self, index: slice) -> list[JsonObject]: ...
    def __getitem__(self, index: int | slice) -> JsonObject | list[JsonObject]:
        return list(self)[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(cast(Sequence[Json], other))

    __hash__ = None  # pyright: ignore[reportAssignmentType]  # it grows while it is being filled

    def __repr__(self) -> str:
        return f"<{len(self)} events>"


class ScriptEventReader:
    """Reads one invocation's stdout.

    Feed it chunks, then finish it; the result does not depend on the chunks. `events` are the valid events up to the
    first `done`. `violation` is the first violation with its line number (skills 2, 3). `overflow` names the limit
    that was exceeded (skills 4). The reader keeps at most what the limits allow. Logs and UI events beyond the plan's
    budget are read and reported, then dropped and counted.
    """

    def __init__(
        self, limits: OutputLimits, check_asset: AssetCheck | None = None, allowance: OutputBudget | None = None
    ) -> None:
        self._limits = limits
        self._budget = allowance
        self._check_asset = check_asset
        self._decoders = _event_decoders()
        self._pending = bytearray()
        self._bytes_read = 0
        self._skipped_lines = 0
        self._violations = 0
        self._assets: set[str] = set()
        self._new_events = ScriptEventLog()
        self._valid = 0
        self.events = ScriptEventLog()
        self.dropped_events = 0
        """Number of valid events that are not kept."""
        self.budget_cost = 0
        """The share of the plan's budget that the kept events use, in bytes."""
        self.is_done = False
        """Whether `done` was read; everything after it is ignored."""
        self.violation: str | None = None
        self.overflow: str | None = None

    @property
    def is_closed(self) -> bool:
        """Whether further bytes are ignored."""
        return self.is_done or self.overflow is not None

    def feed(self, data: bytes) -> ScriptEventLog:
        """Reads the next bytes and returns the events that they complete."""
        if not self.is_closed:
            allowed = data[: self._limits.total - self._bytes_read]
            self._bytes_read += len(allowed)
            self._take(allowed)
            if len(allowed) < len(data) and not self.is_closed:
                self._record_overflow(f"it wrote more than {self._limits.total} bytes")
        return self._take_new_events()

    def finish(self) -> ScriptEventLog:
        """Reads the end of the output.

        Returns the event of a last line without a newline, if there is one.
        """
        if self._pending and not self.is_closed:
            self._read_lines([bytes(self._pending)])
            self._pending.clear()
        return self._take_new_events()

    def _take_new_events(self) -> ScriptEventLog:
        new_events, self._new_events = self._new_events, ScriptEventLog()
        return new_events

    @property
    def _line(self) -> int:
        """The number of the line being read: one more than the valid and the skipped lines."""
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
            self._record_line_overflow()

    def _read_block(self, block: bytes) -> None:
        """Reads whole lines: all at once if each is one plain event, else one by one."""
        if len(block) <= self._limits.line and self._violations < MAX_VIOLATIONS and self._are_plain(block):
            self._keep_block(block)
        else:
            self._read_lines(block.split(b"\n"))

    def _are_plain(self, block: bytes) -> bool:
        """Whether every line is a valid event that needs no further check."""
        if b"\n" not in block or block.endswith(
            b"\n"
        ):  # one line needs no fast path; the decoder misses a blank last line
            return False
        try:
            deque(map(self._decoders.decode_plain, BytesIO(block)), maxlen=0)
        except (ValueError, RecursionError):
            return False
        return True

    def _keep_block(self, block: bytes) -> None:
        """Reports plain events and keeps those that fit the budget.

        It keeps all at once, else each by its kind.
        """
        self._new_events.add(block)
        count = block.count(b"\n") + 1
        if self._budget is None or self._charge(len(block) * _kept_copies(block), count, is_dispensable=True):
            self.events.add(block)
            self._valid += count
            return
        for line in BytesIO(block):
            event: object = self._decoders.decode_plain(line)
            self._keep(line.rstrip(b"\n"), is_dispensable=type(event) in self._decoders.dispensable)
            if self.overflow is not None:
                return

    def _keep(self, line: bytes, *, is_dispensable: bool) -> None:
        self._valid += 1
        if self._charge(len(line) * _kept_copies(line), 1, is_dispensable=is_dispensable):
            self.events.add(line)
        elif is_dispensable:
            self.dropped_events += 1
        else:
            self._record_overflow(BUDGET_EXCEEDED)

    def _charge(self, size: int, events: int, *, is_dispensable: bool) -> bool:
        """Charges the budget. Returns whether the output may be kept."""
        cost = 0 if self._budget is None else self._budget.reserve(size, events, is_dispensable=is_dispensable)
        self.budget_cost += cost or 0
        return cost is not None

    def _read_lines(self, lines: list[bytes]) -> None:
        for line in lines:
            if len(line) > self._limits.line:
                self._record_line_overflow()
            else:
                self._read_line(line.removeprefix(_BOM) if self._line == 1 else line)
            if self.is_closed:
                self._pending.clear()
                return

    def _read_line(self, line: bytes) -> None:
        """Keeps the line's event, or records what is wrong with it; skips a blank line."""
        if self._violations == MAX_VIOLATIONS or not line.strip(_BLANK):
            self._skipped_lines += 1
            return
        try:
            line.decode()
            event = self._decoders.decode(line)
            fault = "the line is nested too deeply" if _is_deep(line) else self._asset_fault(event)
        except UnicodeDecodeError as error:
            fault = f"the line is not valid UTF-8 ({error.reason})"
        except RecursionError:
            fault = "the line is nested too deeply"
        except ValueError as error:
            fault = _explain_decode_error(str(error))
        else:
            if not fault:
                self._keep(line, is_dispensable=type(event) in self._decoders.dispensable)
                self._new_events.add(line)
                self.is_done = type(event) is self._decoders.done
                return
        self.violation = self.violation or f"line {self._line}: {fault}"
        self._violations += 1
        self._skipped_lines += 1

    def _asset_fault(self, event: Json) -> str | None:
        """Returns what is wrong with an asset (skills 2); None if it is valid or not an asset."""
        if type(event) is not self._decoders.asset:
            return None
        if event.asset_id in self._assets:
            return f"the assetId {_shortened(event.asset_id)} was used before"
        fault = self._check_asset(event.path) if self._check_asset else None
        if fault is None:
            self._assets.add(event.asset_id)
        return fault

    def _record_line_overflow(self) -> None:
        self._record_overflow(f"line {self._line} is longer than {self._limits.line} bytes")

    def _record_overflow(self, how: str) -> None:
        self.overflow = how
        self._pending.clear()


def _kept_copies(text: bytes) -> int:
    """Returns how often a result holds the content of these events.

    A patch is an event and part of the output.
    """
    return 2 if _PATCH in text else 1


def _may_be_deep(line: bytes) -> bool:
    return line.count(b"[") + line.count(b"{") > MAX_NESTING


def _is_deep(line: bytes) -> bool:
    return _may_be_deep(line) and _depth(json.loads(line)) > MAX_NESTING


def _depth(value: Json) -> int:
    """Returns the levels of nesting, counted without recursion."""
    depth, level = 0, _inside([value])
    while level:
        depth, level = depth + 1, _inside([*chain.from_iterable(level)])
    return depth


def _inside(values: list[Json]) -> list[Iterable[Json]]:
    """Returns the content of each object and list in the values."""
    objects = [cast(JsonObject, value).values() for value in values if isinstance(value, dict)]
    return [*objects, *(cast(list[Json], value) for value in values if isinstance(value, list))]


def _shortened(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:80] + "...")  # noqa: PLR2004  # a line on a terminal


_DECODE_ERRORS = (
    ("Invalid value", "$.type", "its type is not log, state_patch, asset, ui_event, error or done"),
    ("", "$.version", 'its version is not "0"'),
    ("Expected `object`", "$", "it is not a JSON object"),
    ("JSON is malformed", "", "it is not valid JSON"),
    ("Input data was truncated", "", "it is not valid JSON"),
)


def _explain_decode_error(message: str) -> str:
    """Returns the decoder's message, preceded by its meaning for the author if known."""
    message = message if len(message) <= 300 else message[:300] + "..."  # noqa: PLR2004  # it quotes the script
    for start, place, meaning in _DECODE_ERRORS:
        is_there = not place or message.endswith(f"`{place}`") or (place == "$" and " - at " not in message)
        if message.startswith(start) and is_there:
            return f"{meaning} ({message})"
    return message
