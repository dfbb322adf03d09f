"""The command in this process and as a process of its own, in a folder and an environment of its own."""

import copy
import fcntl
import io
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from aeon.cli.entrypoint import run
from aeon.testing.wire_double import WireDouble

ADD = {
    "goal": "add two numbers and say so",
    "steps": [
        {"step_id": "s1", "description": "add", "tool": "calculator", "arguments": {"expression": "15*23+7"}},
        {"step_id": "s2", "description": "say", "tool": "echo", "arguments": {"text": "it is {step.s1.result}"}},
    ],
}

HANGING = """
import threading
from aeon.tools.interface import Tool

class Hang(Tool):
    name = "hang"
    description = "Never answers."
    input_schema = {"type": "object"}
    output_schema = {"type": "object"}
    timeout = 600

    def invoke(self, **kwargs):
        threading.Event().wait()

class Noisy(Tool):
    name = "noisy"
    description = "Prints to stdout and answers with escape sequences."
    input_schema = {"type": "object"}
    output_schema = {"type": "object"}

    def invoke(self, **kwargs):
        print("printed by a tool")
        return {"text": "\\x1b[31mred\\x1b]0;title\\x07 \\u202eevil \\x9b2J"}

TOOLS = [Hang(), Noisy()]
"""


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> object:
        return json.loads(self.out)

    def cells(self, *titles: str) -> list[tuple[str, ...]]:
        """The cells of a printed table under these titles, row by row."""
        head, *rows = self.out.splitlines()
        begins = [(match[0], match.start()) for match in re.finditer(r"\S+(?: \S+)*", head)]
        ends = [*(begin for _, begin in begins[1:]), None]
        places = {title: slice(begin, end) for (title, begin), end in zip(begins, ends, strict=True)}
        return [tuple(row[places[title]].strip() for title in titles) for row in rows]


Command = Callable[..., Ended]


@pytest.fixture(autouse=True)
def _own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of the test's own as home and current folder, and no setting from outside."""
    for name in list(os.environ):
        if name.startswith(("AEON_", "OTEL_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("AEON_SKILLS_TRUST_PROJECT", "true")  # the tests of trust take it away
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "here" / ".git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    for name in ("NO_COLOR", "COLUMNS", "LINES", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def aeon(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """`aeon(*argv, stdin=b"")`: the command in this process."""

    def command(*argv: object, stdin: bytes = b"") -> Ended:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        code = run([str(argument) for argument in argv])
        told = capsys.readouterr()
        return Ended(code, told.out, told.err)

    return command


@pytest.fixture
def process() -> Command:
    """`process(*argv, stdin=b"", env={})`: the command as a process of its own, its streams in pipes."""

    def command(*argv: object, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> Ended:
        ended = subprocess.run(
            [sys.executable, "-m", "aeon", *map(str, argv)],
            input=stdin,
            capture_output=True,
            env={**os.environ, **(env or {})},
            timeout=60,
            check=False,
        )
        return Ended(ended.returncode, ended.stdout.decode(), ended.stderr.decode())

    return command


@pytest.fixture
def terminal() -> Callable[..., tuple[int, str]]:
    """`terminal(*argv, columns=80, until="", typed="", env={})`: the command on a terminal of 24 lines.

    Gives its code and the screen. With `until`, it is interrupted once that text is seen.
    """

    def command(
        *argv: object, columns: int = 80, until: str = "", typed: str = "", env: Mapping[str, str] | None = None
    ) -> tuple[int, str]:
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        child = subprocess.Popen(
            [sys.executable, "-m", "aeon", *map(str, argv)],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**os.environ, "TERM": "xterm-256color", **(env or {})},
        )
        os.close(theirs)
        os.write(ours, typed.encode())
        seen = b""
        while data := _read(ours):
            seen += data
            if until and until.encode() in seen:
                child.send_signal(signal.SIGINT)
                until = ""
        os.close(ours)
        return child.wait(20), seen.decode()

    return command


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""  # how Linux says that nobody has the terminal open any more


@pytest.fixture
def add() -> dict:
    """A plan of two steps that needs no model; the answer is "it is 352"."""
    return copy.deepcopy(ADD)


@pytest.fixture
def plan_file() -> Path:
    """A plan that needs no model."""
    path = Path("plan.json")
    path.write_text(json.dumps(ADD))
    return path


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """`installed(module, source, *entry_points)`: a package with tools, as if it had been installed."""
    place = tmp_path / "site"

    def install(module: str, source: str, *points: str) -> None:
        facts = place / f"{module}-1.0.dist-info"
        facts.mkdir(parents=True)
        (place / f"{module}.py").write_text(source)
        (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
        (facts / "entry_points.txt").write_text("\n".join(["[aeon.tools]", *points, ""]))
        monkeypatch.syspath_prepend(str(place))
        monkeypatch.setenv("PYTHONPATH", str(place))
        monkeypatch.delitem(sys.modules, module, raising=False)

    return install


@pytest.fixture
def plugin(installed: Callable[..., None]) -> None:
    """An installed package with tools: one hangs, one is noisy; and one entry point that is broken."""
    installed("aeon_hang", HANGING, "hang = aeon_hang:TOOLS", "lost = aeon_lost:TOOL")


@pytest.fixture
def double(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., WireDouble]]:
    """`double(*rules)`: a scripted model server, named by the environment."""
    opened: list[WireDouble] = []

    def start(*rules: object) -> WireDouble:
        server = WireDouble([json.dumps(rule) if isinstance(rule, dict) else rule for rule in rules])
        opened.append(server)
        monkeypatch.setenv("AEON_MODEL_BASE_URL", server.base_url)
        monkeypatch.setenv("AEON_MODEL_NAME", "scripted")
        return server

    yield start
    for server in opened:
        server.close()
