"""How fast the process protocol is read: `python benchmarks/skills/ndjson.py [--events N] [--rounds N]`.

Feeds the product's own reader (limits, UTF-8, nesting, all checks on) with chunks as they come from a pipe, and beside
it a loop that splits lines and validates each with pydantic and nothing else. CPU seconds of one process, round by
round in turns, so that whatever else the machine does meets both. The aim is 2 million
events a second on one core, or four times pydantic in the same run.
"""

import argparse
import json
import time
from collections.abc import Callable, Sized
from statistics import median
from typing import Annotated, Any, Literal

from aeon.skills.invocation import OutputLimits
from aeon.skills.protocol import ScriptEventReader

CHUNK = 65536
GOAL_RATE, GOAL_RATIO = 2_000_000, 4.0

EVENTS = [
    {"type": "log", "level": "info", "message": "page 17 of 203 was read and cut into parts", "fields": {"parts": 12}},
    {"type": "state_patch", "patch": {"scene": {"title": "A quiet harbour", "mood": 3}, "seen": None, "pages": [1, 2]}},
    {"type": "ui_event", "event": "progress", "payload": {"percent": 40.5, "label": "reading the third of five books"}},
    {"type": "log", "level": "debug", "message": "nothing new since the last look at the folder of this project"},
    {"type": "error", "errorCode": "E_LATE", "errorMessage": "the other side was late", "details": {"after": 12.5}},
]


def output(count: int) -> bytes:
    """What a talkative script writes."""
    lines = [json.dumps({"version": "0"} | event).encode() + b"\n" for event in EVENTS]
    return b"".join(lines[number % len(lines)] for number in range(count))


def read(data: bytes) -> Sized:
    """By the product: validated and kept."""
    reader = ScriptEventReader(OutputLimits(total=len(data)))
    for start in range(0, len(data), CHUNK):
        reader.feed(data[start : start + CHUNK])
    reader.finish()
    assert reader.violation is None
    return reader.events


def read_as_data(data: bytes) -> Sized:
    """The same, and each event made a dict, as a listener gets it."""
    reader = ScriptEventReader(OutputLimits(total=len(data)))
    return range(sum(len(list(reader.feed(data[start : start + CHUNK]))) for start in range(0, len(data), CHUNK)))


def pydantic_validator() -> Callable[[bytes], Any]:
    """The same six types, by pydantic's own JSON reader."""
    from pydantic import BaseModel, Field, TypeAdapter, create_model

    def model(kind: str, /, **fields: Any) -> type[BaseModel]:
        return create_model(kind, version=(Literal["0"], ...), type=(Literal[kind], ...), **fields)

    optional = (dict[str, Any] | None, None)
    kinds = (
        model("log", level=(Literal["debug", "info", "warn", "error"], ...), message=(str, ...), fields=optional),
        model("state_patch", patch=(dict[str, Any], ...)),
        model("asset", assetId=(str, ...), kind=(str, ...), mediaType=(str, ...), path=(str, ...), metadata=optional),
        model("ui_event", event=(str, ...), payload=(Any, None)),
        model("error", errorCode=(str, ...), errorMessage=(str, ...), details=(Any, None)),
        model("done", ok=(bool, ...), summary=(Any, None)),
    )
    union: Any = kinds[0]
    for kind in kinds[1:]:
        union = union | kind
    return TypeAdapter(Annotated[union, Field(discriminator="type")]).validate_json


def seconds(work: Callable[[], Sized], expected: int) -> float:
    """CPU time until all is read; that nothing is missing is seen to afterwards."""
    began = time.process_time()
    events = work()
    spent = time.process_time() - began
    assert len(events) == expected
    return spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=15)
    chosen = parser.parse_args()
    data, count = output(chosen.events), chosen.events
    validate = pydantic_validator()
    ways = {
        "Aeon's reader": lambda: read(data),
        "Aeon's reader, each event made a dict": lambda: read_as_data(data),
        "pydantic, line by line": lambda: range(sum(validate(line) is not None for line in data.split(b"\n") if line)),
    }
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(chosen.rounds):
        for name, work in ways.items():
            taken[name].append(seconds(work, count))
    *_, reference = taken.values()
    print(f"{count} events, {len(data) / count:.0f} bytes each, median of {chosen.rounds} rounds\n")
    print("| reader | million events/s | times pydantic |\n|---|---|---|")
    for name, each in taken.items():
        ratio = median(theirs / ours for theirs, ours in zip(reference, each, strict=True))
        print(f"| {name} | {count / median(each) / 1e6:.2f} | {ratio:.2f} |")
    ours = taken["Aeon's reader"]
    ratio = median(theirs / mine for theirs, mine in zip(reference, ours, strict=True))
    is_met = count / median(ours) >= GOAL_RATE or ratio >= GOAL_RATIO
    print(f"\nAim, 2 million a second or 4 times pydantic: {'met' if is_met else 'missed'}")


if __name__ == "__main__":
    main()
