"""Server-sent events, as the model servers send them: from chunks of bytes to events. Pure."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from aeon.llm.retry import AttemptFailed


class ServerEvent(NamedTuple):
    """One event: its name ("message" when none was sent) and its data, lines joined."""

    name: str
    data: str


def parse_events(chunks: Iterable[bytes]) -> Iterator[ServerEvent]:
    """The events in `chunks`, however the bytes are cut; an event without its closing blank line is dropped.

    Raises AttemptFailed for bytes that are no UTF-8.
    """
    name, data = "message", list[str]()
    for line in _lines(chunks):
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if not line:
            if data:
                yield ServerEvent(name, "\n".join(data))
            name, data = "message", []
        elif field == "event":
            name = value
        elif field == "data":
            data.append(value)


def _lines(chunks: Iterable[bytes]) -> Iterator[str]:
    # Parts are joined once per line, so that a very long line costs its length and not its square.
    begun: list[bytes] = []
    for chunk in chunks:
        *whole, rest = chunk.split(b"\n")
        for end in whole:
            yield _text(b"".join([*begun, end]).removesuffix(b"\r"))
            begun = []
        if rest:
            begun.append(rest)


def _text(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        raise AttemptFailed("the stream holds bytes that are no UTF-8") from None
