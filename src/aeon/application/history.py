"""`HistoryService`: what ran in a project: requests, plans of skills, and runs of Processes."""

import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple, cast

from aeon.application.log_files import SUFFIXES, HistoryKind, list_log_files
from aeon.application.pages import Page, checked_limit, decode_cursor, encode_cursor
from aeon.application.run_reader import NEWEST, RunReader
from aeon.base.errors import InputError, LogError
from aeon.base.json import Json, JsonObject, parse_strict
from aeon.base.next_steps import NextStep
from aeon.base.project_folder import require_ownership
from aeon.platform.id_prefixes import require_prefix
from aeon.platform.runs.machine.state import RunPhase
from aeon.platform.runs.model import RunSummary

__all__ = [
    "ALL",
    "KINDS",
    "FoundRun",
    "HistoryEntry",
    "HistoryKind",
    "HistoryService",
    "ProcessFilter",
    "RunPhase",
    "kind_of_file",
    "state_of_log",
]

KINDS: Final[tuple[HistoryKind, ...]] = ("request", "skill", "process")
_MAX_NAMED = 8
"""The most ids that a message about an ambiguous one lists."""
_NEWEST_AT = "9999"
_OPEN: Final = frozenset({"pending", "running"})
_BLOCK: Final = 1 << 16
"""Bytes that are read at once from the end of a log."""
_STDIN: Final = "-"


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """Something that ran: `at` is when it began (ISO 8601, UTC), `title` what was asked for.

    `path` is its log or trace; None for a run of a Process, whose events are in the record.
    """

    id: str
    kind: HistoryKind
    state: str
    at: str
    title: str
    path: Path | None = None

    def as_dict(self) -> JsonObject:
        """The entry as JSON data."""
        path = None if self.path is None else str(self.path)
        return {"id": self.id, "kind": self.kind, "state": self.state, "at": self.at, "title": self.title, "path": path}


@dataclass(frozen=True, slots=True)
class FoundRun:
    """What an id, a part of one or a path names. `path` is None for a run of a Process."""

    id: str
    kind: HistoryKind
    path: Path | None = None

    @property
    def file(self) -> Path:
        """The log or trace; only requests and plans of skills have one."""
        return cast(Path, self.path)


class ProcessFilter(NamedTuple):
    """Which runs of Processes are listed; with any filter, nothing else is. `RunReader.list` says what each means."""

    phase: RunPhase | None = None
    process: str | None = None
    since: str | None = None
    before: str | None = None
    code: str | None = None
    tag: str | None = None
    text: str | None = None


ALL: Final = ProcessFilter()


class HistoryService:
    """The history of one project: the files in its log folder, and one user's runs of Processes."""

    def __init__(self, folder: Path, runs: RunReader | None) -> None:
        """`folder` has the logs and traces; `runs` is None in a project without a record."""
        self._folder = folder
        self._runs = runs

    def list(
        self,
        *,
        kinds: Collection[HistoryKind] = KINDS,
        wanted: ProcessFilter = ALL,
        after: str | None = None,
        limit: int = 50,
    ) -> Page[HistoryEntry]:
        """A page of what ran, newest first. `after` is the cursor of the page before. Raises RuleError."""
        kinds = [each for each in kinds if wanted == ALL or each == "process"]
        at, id_ = (_NEWEST_AT, "") if after is None else map(str, decode_cursor(after, str, str))
        found = [
            HistoryEntry(each.id, each.kind, "", each.at, "", each.path)
            for each in list_log_files(self._folder)
            if each.kind in kinds and (each.at < at or (each.at == at and each.id > id_))
        ]
        runs: Page[RunSummary] = Page([], None)
        if self._runs is not None and "process" in kinds:
            runs = self._runs.list(**wanted._asdict(), after=after, limit=checked_limit(limit))
        found += [HistoryEntry(run.id, "process", run.phase, run.accepted_at, run.process_name) for run in runs.items]
        found = sorted(sorted(found, key=lambda each: each.id), key=lambda each: each.at, reverse=True)
        shown = found[:limit]
        has_more = len(found) > limit or runs.next_cursor is not None
        cursor = encode_cursor([shown[-1].at, shown[-1].id]) if shown and has_more else None
        return Page([_with_outcome(each) for each in shown], cursor)

    def find(self, name: str, kinds: Collection[HistoryKind] = KINDS) -> FoundRun:
        """What a person named: a path, an id, the beginning of one, or `last` for the newest of these kinds.

        `-` is a trace of skills on stdin.
        Raises InputError or NotFoundError if nothing has that name, or more than one thing.
        """
        if name == NEWEST:
            return self._newest(kinds)
        if name == _STDIN:
            return FoundRun(name, "skill", Path(name))
        if (path := Path(name)).suffix in SUFFIXES or path.is_file() or "/" in name:
            return FoundRun(path.stem, kind_of_file(path), path)
        require_prefix(name)
        matching = [
            FoundRun(each.id, each.kind, each.path) for each in list_log_files(self._folder) if each.id.startswith(name)
        ]
        if exact := [each for each in matching if each.id == name]:
            return exact[0]
        if self._runs is not None:
            matching += [FoundRun(each.id, "process") for each in self._runs.list_matching(name)]
            if not matching and "process" in kinds:  # a run that another run called, or none
                return FoundRun(name, "process")
        return _only_one(name, matching)

    def _newest(self, kinds: Collection[HistoryKind]) -> FoundRun:
        newest = self.list(kinds=kinds, limit=1).items
        if not newest:
            what = "Nothing" if kinds == KINDS else f"No {' or '.join(kinds)}"
            raise InputError(f"{what} ran yet.", next_step=NextStep("history.begin"))
        return FoundRun(newest[0].id, newest[0].kind, newest[0].path)


def kind_of_file(path: Path) -> HistoryKind:
    """What a file tells of: a log of a request, or a trace of skills. Raises InputError if it cannot be read.

    Any JSON file counts as a trace: who reads it says what is wrong with it.
    """
    require_ownership(path)
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise InputError(f"{path} is not a file.", next_step=NextStep("history.list"))
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.", next_step=NextStep("history.list")) from None
    if not content or b'"prev":' in content:
        return "request"
    if b'"executionTrace":' in content or path.suffix == ".json":
        return "skill"
    raise InputError(
        f"{path} is neither the log of a request nor the trace of a plan of skills.", next_step=NextStep("history.list")
    )


def _only_one(name: str, matching: list[FoundRun]) -> FoundRun:
    if len(matching) == 1:
        return matching[0]
    if not matching:
        raise InputError(f"Nothing that ran has the id {name!r}.", next_step=NextStep("history.list"))
    named = ", ".join(each.id for each in matching[:_MAX_NAMED])
    more = " ..." if len(matching) > _MAX_NAMED else ""
    raise InputError(f"{name!r} begins more than one id: {named}{more}.", next_step="Give more of it.")


def state_of_log(path: Path) -> str:
    """The state of the request in a log: completed, failed, unfinished, or unreadable."""
    return _with_outcome(HistoryEntry(path.stem, "request", "", "", "", path)).state


def _with_outcome(entry: HistoryEntry) -> HistoryEntry:
    """The entry with what its file tells; a file that cannot be read is listed as such."""
    if entry.path is None:
        return entry
    try:
        state, title = (_of_log if entry.kind == "request" else _of_trace)(entry.path)
    except (OSError, ValueError, KeyError, TypeError, LogError):
        state, title = "unreadable", ""
    return HistoryEntry(entry.id, entry.kind, state, entry.at, title, entry.path)


def _of_log(path: Path) -> tuple[str, str]:
    """The state and the request of a log, whose chain is not verified.

    Only the first and the last whole line are read, unless the last one has only a part of a long plan.
    """
    with path.open("rb") as file:
        first = _parsed(file.readline())
        last = _parsed(_last_line(file))
        if last["plan_state"].get("partial"):
            file.seek(0)
            states = _statuses(_parsed(line) for line in file if line.endswith(b"\n"))
        else:
            states = _statuses([last])
    request = str(first.get("run", {}).get("request", ""))
    if not states or "failed" in states.values():
        return "failed", request
    return ("unfinished" if _OPEN & {*states.values()} else "completed"), request


def _statuses(entries: Iterable[JsonObject]) -> dict[str, str]:
    """The status of each step after these entries."""
    states: dict[str, str] = {}
    for entry in entries:
        steps = [*entry["plan_state"].get("steps", [])]
        if done := entry.get("outcome", {}).get("step"):
            steps.append(done)
        states.update((step["step_id"], step["status"]) for step in steps)
    return states


def _parsed(line: bytes) -> JsonObject:
    if not line.endswith(b"\n"):
        raise ValueError("the line is not whole")
    return cast(JsonObject, parse_strict(line.decode("ascii")))


def _last_line(file: BinaryIO) -> bytes:
    """The last whole line, read from the end in blocks; what follows it was cut off when the run was killed."""
    start = file.seek(0, os.SEEK_END)
    blocks: list[bytes] = []
    newlines = 0
    while start and newlines < 2:  # noqa: PLR2004  # the end of the line, and of the line before it
        size = min(_BLOCK, start)
        start = file.seek(start - size)
        blocks.append(file.read(size))
        newlines += blocks[-1].count(b"\n")
    whole, end, _ = b"".join(reversed(blocks)).rpartition(b"\n")
    return whole.rpartition(b"\n")[2] + end


def _of_trace(path: Path) -> tuple[str, str]:
    """The state of a plan of skills, and what it was to do."""
    trace: Json = parse_strict(path.read_text("utf-8"))
    result = cast(JsonObject, trace)
    return ("completed" if result["success"] else "failed"), trace_title(result)


def trace_title(result: JsonObject) -> str:
    """What the plan of a trace was for: the words of its planner, else its scripts, else its id."""
    scripts = dict.fromkeys(str(node["toolPath"]) for node in result["executionTrace"])
    return str(result.get("narrative") or ", ".join(scripts) or result["planId"])
