"""A snapshot's file: what the store enforces, then an export's records, then how many and their hash, line by line.

The same for every store, so that a snapshot is also the way from one store to another. Gzip where the name ends in
.gz, plain text otherwise; reading finds out by itself.
"""

import gzip
import hashlib
import io
import json
import os
import tempfile
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from aeon.adapters.graph.records import Tally, checked
from aeon.base.json import Json, JsonObject, canonical
from aeon.platform.graph import GraphError, Schema

_FORMAT = 1
_GZIP = b"\x1f\x8b"
_ADVICE = "Give a snapshot that `snapshot` made, whole and unchanged."


def write_snapshot(target: Path, schema: Schema, records: Iterable[JsonObject]) -> None:
    """Write beside `target` first, and rename when all of it is on the disk. Raises GraphError."""
    try:
        with _replacing(target) as file, _compressed(file, target) as out:
            _write(out, schema, records)
    except OSError as error:
        raise GraphError(
            f"The snapshot {target} cannot be written: {error.strerror or error}.",
            next_step="Name another file, or make room.",
        ) from error


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A snapshot that was read to its end and found whole."""

    schema: Schema
    _file: IO[bytes]

    def records(self) -> Iterator[JsonObject]:
        """The records, read once more."""
        with _plain(self._file) as lines:
            next(lines)
            for line in lines:
                record = json.loads(line)
                if "sha256" in record:
                    return
                yield record


@contextmanager
def opened_snapshot(source: Path) -> Generator[Snapshot]:
    """A snapshot, verified from the first line to its hash before it is given. Raises GraphError."""
    try:
        file = source.open("rb")
    except OSError as error:
        raise GraphError(
            f"The snapshot {source} cannot be read: {error.strerror}.", next_step="Name a file that `snapshot` made."
        ) from error
    with file:
        try:
            schema = _verified(file)
        except (ValueError, EOFError, OSError, zlib.error, KeyError, TypeError, GraphError) as error:
            raise GraphError(
                f"{source} is no whole snapshot: {error}.".replace("..", "."), next_step=_ADVICE
            ) from error
        yield Snapshot(schema, file)


@contextmanager
def _replacing(target: Path) -> Generator[IO[bytes]]:
    with tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as file:
        try:
            yield cast("IO[bytes]", file)
            file.flush()
            os.fsync(file.fileno())
            Path(file.name).replace(target)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


@contextmanager
def _compressed(file: IO[bytes], target: Path) -> Generator[IO[bytes]]:
    if target.suffix != ".gz":
        yield file
        return
    with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as packed:
        yield cast("IO[bytes]", packed)


def _write(out: IO[bytes], schema: Schema, records: Iterable[JsonObject]) -> None:
    digest, tally = hashlib.sha256(), Tally()

    def put(value: Json) -> None:
        line = f"{canonical(value)}\n".encode()
        digest.update(line)
        out.write(line)

    pairs = {"unique": schema.unique, "indexed": schema.indexed}
    put({"aeon": "graph snapshot", "format": _FORMAT, **{name: list(map(list, rows)) for name, rows in pairs.items()}})
    for record in checked(records, tally):
        put(record)
    out.write(f"{canonical(_foot(tally, digest.hexdigest()))}\n".encode())


def _foot(tally: Tally, digest: str) -> JsonObject:
    return {"nodes": len(tally.nodes), "edges": tally.edges, "sha256": digest}


@contextmanager
def _plain(file: IO[bytes]) -> Generator[Iterator[bytes]]:
    file.seek(0)
    is_packed = file.read(len(_GZIP)) == _GZIP
    file.seek(0)
    if not is_packed:
        yield file
        return
    with gzip.GzipFile(fileobj=file, mode="rb") as packed:
        yield io.BufferedReader(packed)


def _verified(file: IO[bytes]) -> Schema:
    digest, tally = hashlib.sha256(), Tally()
    with _plain(file) as lines:
        first = next(lines, b"")
        digest.update(first)
        schema = _schema(json.loads(first or b"{}"))
        feet: list[JsonObject] = []
        for _ in checked(_body(lines, digest.update, feet), tally):
            pass
        if not feet:
            raise ValueError("its end is missing")
        if feet[0] != _foot(tally, digest.hexdigest()):
            raise ValueError("its content does not match its hash")
        if next(lines, None) is not None:
            raise ValueError("something follows its end")
    return schema


def _body(lines: Iterator[bytes], count: Callable[[bytes], None], feet: list[JsonObject]) -> Iterator[JsonObject]:
    """The records up to the last line, which goes to `feet`; each line is given to `count` first."""
    for line in lines:
        record = json.loads(line)
        if isinstance(record, dict) and "sha256" in record:
            feet.append(cast("JsonObject", record))
            return
        count(line)
        yield record


def _schema(head: Json) -> Schema:
    if not isinstance(head, dict) or cast("JsonObject", head).get("aeon") != "graph snapshot":
        raise ValueError("its first line is not a snapshot's")
    fields = cast("JsonObject", head)
    if fields["format"] != _FORMAT:
        raise ValueError(f"its format {fields['format']!r} is not {_FORMAT}, the one that this Aeon reads")
    return Schema(_pairs(fields["unique"]), _pairs(fields["indexed"]))


def _pairs(rows: Json) -> tuple[tuple[str, str], ...]:
    return tuple((str(label), str(name)) for label, name in rows)
