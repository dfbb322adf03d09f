"""Real scripts at every level of isolation that works here, and a look in /proc for what survived them."""

import sys
import uuid
from pathlib import Path

import pytest

from aeon.base.errors import SandboxError
from aeon.skills.invocation import Invocation, ScriptAccess
from aeon.skills.sandbox import SandboxRunner

DONE = '{"version":"0","type":"done","ok":true}'
LOG = '{"version":"0","type":"log","level":"info","message":"still here"}'


def usable(level: str, **options) -> SandboxRunner:
    """A runner of that level; skips with the reason where this machine has none."""
    runner = SandboxRunner(level, **options)
    try:
        assert runner.level == level
    except SandboxError as error:
        runner.close()
        pytest.skip(str(error))
    return runner


@pytest.fixture(scope="session", params=["plain", "landlock", "bubblewrap"])
def runner(request):
    with usable(request.param) as made:
        yield made


class Scripts:
    """Writes scripts into a folder of their own, whose name is in every command line that they start."""

    def __init__(self, folder: Path) -> None:
        self.token = uuid.uuid4().hex
        self.folder = folder / self.token
        self.folder.mkdir()

    def write(self, text: str, name: str = "script.sh") -> Path:
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o755)
        return path

    def stubborn(self) -> Path:
        """A program that ends only when it is killed."""
        return self.write('#!/bin/sh\ntrap "" TERM HUP\nwhile :; do sleep 0.2; done\n', "stubborn.sh")

    def sh(self, body: str, **options) -> Invocation:
        return self.invocation(self.write(f"#!/bin/sh\n{body}\n"), **options)

    def python(self, body: str, **options) -> Invocation:
        path = self.write(f"#!{sys._base_executable} -SE\n{body}\n", "script.py")
        return self.invocation(path, **options)

    def invocation(self, *command, **options) -> Invocation:
        options = {"timeout": 20.0, "grace_seconds": 0.2, "stdin": b"{}"} | options
        options = {"access": ScriptAccess(read=(self.folder,), write=(self.folder,))} | options
        env = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"} | options.pop("env", {})
        return Invocation([str(word) for word in command], cwd=options.pop("cwd", self.folder), env=env, **options)

    def survivors(self) -> list[str]:
        """Command lines of processes that these scripts left behind."""
        found = []
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                line = path.read_bytes()
            except OSError:
                continue
            if self.token.encode() in line:
                found.append(f"{path.parent.name}: {line!r}")
        return found


@pytest.fixture
def scripts(tmp_path):
    made = Scripts(tmp_path)
    yield made
    assert made.survivors() == []
