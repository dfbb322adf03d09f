"""Runs a command and notes when each line of its output came."""

import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import IO


@dataclass(slots=True)
class Seen:
    """The output of a command. Times are in seconds from its start."""

    stdout: str = ""
    stderr_lines: list[tuple[float, str]] = field(default_factory=list[tuple[float, str]])
    first_output: float | None = None
    seconds: float = 0.0
    failure: str | None = None

    @property
    def stderr(self) -> str:
        return "".join(line for _, line in self.stderr_lines)

    def first_line(self, beginning: str) -> float | None:
        """When the first line on stderr with this beginning came; None if none did."""
        return next((at for at, line in self.stderr_lines if line.startswith(beginning)), None)


def watch(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], piped: str | None, limit: float
) -> Seen:
    """Run a command in a folder until it ends or the limit in seconds is reached. `piped` is its stdin."""
    seen, start = Seen(), time.perf_counter()
    with subprocess.Popen(
        command,
        cwd=folder,
        env={**environment, "PYTHONUNBUFFERED": "1"},
        stdin=subprocess.DEVNULL if piped is None else subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        readers = [
            Thread(target=_read_stdout, args=(process.stdout, seen, start)),
            Thread(target=_read_stderr, args=(process.stderr, seen, start)),
        ]
        for reader in readers:
            reader.start()
        if process.stdin is not None:
            with suppress(BrokenPipeError):  # the command may end without reading it
                process.stdin.write(piped or "")
                process.stdin.close()
        try:
            process.wait(limit)
        except subprocess.TimeoutExpired:
            process.kill()
            seen.failure = f"ended after {limit:.0f} s"
        for reader in readers:
            reader.join()
        seen.seconds = time.perf_counter() - start
        if seen.failure is None and process.returncode:
            seen.failure = f"exit code {process.returncode}: {seen.stderr[-300:]}"
    return seen


def _read_stdout(stream: IO[str], seen: Seen, start: float) -> None:
    while piece := stream.read(1):
        if not seen.stdout:
            _note_first(seen, start)
        seen.stdout += piece


def _read_stderr(stream: IO[str], seen: Seen, start: float) -> None:
    for line in stream:
        _note_first(seen, start)
        seen.stderr_lines.append((time.perf_counter() - start, line))


def _note_first(seen: Seen, start: float) -> None:
    at = time.perf_counter() - start
    seen.first_output = at if seen.first_output is None else min(seen.first_output, at)
