"""The shipped scripts as real processes, and a reader of their events that knows nothing of Aeon's own."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from aeon.base.json_schema import CompiledSchema

SHIPPED = Path(__file__).parents[3] / "src" / "aeon" / "skills" / "shipped"
NAMES = sorted(path.name for path in SHIPPED.iterdir() if path.is_dir())
INTERPRETERS = {".py": sys.executable, ".sh": "bash", ".mjs": "node"}

FIELDS = {
    "log": {"level": str, "message": str},
    "state_patch": {"patch": dict},
    "asset": {"assetId": str, "kind": str, "mediaType": str, "path": str},
    "ui_event": {"event": str},
    "error": {"errorCode": str, "errorMessage": str},
    "done": {"ok": bool},
}


def merged(target, patch):
    """RFC 7396."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result


def checked_events(stdout: bytes) -> list[dict]:
    """Every line as an event; fails where skills 2 or skills 3 is broken."""
    lines = stdout.split(b"\n")
    assert lines.pop() == b"", "the last line has no end"
    events = [json.loads(line.decode("utf-8")) for line in lines]
    asset_ids = []
    for line, event in zip(lines, events, strict=True):
        assert len(line) < 1024 * 1024
        assert isinstance(event, dict)
        assert event["version"] == "0"
        for field, kind in FIELDS[event["type"]].items():
            assert isinstance(event[field], kind), (event["type"], field)
        if event["type"] == "log":
            assert event["level"] in ("debug", "info", "warn", "error")
        if event["type"] == "asset":
            asset_ids.append(event["assetId"])
            assert os.access(event["path"], os.R_OK)
            assert Path(event["path"]).is_file()
    assert len(set(asset_ids)) == len(asset_ids)
    assert [event["type"] for event in events].count("done") == 1
    assert events[-1]["type"] == "done"
    return events


@dataclass
class Run:
    """How a script ended, politely."""

    events: list
    stderr: str

    def of(self, event_type: str) -> list:
        return [event for event in self.events if event["type"] == event_type]

    @property
    def ok(self) -> bool:
        return self.events[-1]["ok"]

    @property
    def summary(self) -> str:
        return self.events[-1]["summary"]

    @property
    def output(self) -> dict:
        """What later nodes see: its patches, merged."""
        output: dict = {}
        for event in self.of("state_patch"):
            output = merged(output, event["patch"])
        return output

    @property
    def error(self) -> str:
        """The one error's code and message."""
        (error,) = self.of("error")
        assert not self.ok
        assert not self.of("state_patch")
        return f"{error['errorCode']}: {error['errorMessage']}"

    @property
    def logged(self) -> str:
        return "\n".join(event["message"] for event in self.of("log"))


class Skills:
    """Starts shipped scripts with the environment that skills 11 grants."""

    def __init__(self, data: Path) -> None:
        self.data = data

    def manifest(self, skill: str) -> dict:
        return json.loads((SHIPPED / skill / "skill.json").read_text())

    def script(self, skill: str, name: str) -> dict:
        return next(script for script in self.manifest(skill)["scripts"] if script["name"] == name)

    def command(self, skill: str, name: str) -> list[str]:
        path = SHIPPED / skill / self.script(skill, name)["path"]
        interpreter = INTERPRETERS[path.suffix]
        if shutil.which(interpreter) is None:
            pytest.skip(f"{interpreter} is not installed, which the skill {skill} is written for")
        return [interpreter, str(path)]

    def env(self, config: dict | None, more: dict | None = None) -> dict[str, str]:
        env = {"PATH": os.environ["PATH"], "HOME": str(self.data), "LANG": "C.UTF-8", "TMPDIR": str(self.data)}
        env["AEON_SKILL_DATA"] = str(self.data)
        return env | {"AEON_SKILL_CONFIG": json.dumps(config or {})} | (more or {})

    def line(self, skill: str, name: str, given, request_id: str = "request-1") -> bytes:
        request = {"requestId": request_id, "tool": f"{skill}/{name}", "operation": name, "input": given}
        return (json.dumps(request, sort_keys=True, separators=(",", ":")) + "\n").encode()

    def start(self, skill: str, name: str, config: dict | None = None, more: dict | None = None) -> subprocess.Popen:
        """The process alone, its pipes open."""
        pipe = subprocess.PIPE
        return subprocess.Popen(
            self.command(skill, name), cwd=self.data, env=self.env(config, more), stdin=pipe, stdout=pipe, stderr=pipe
        )

    def finish(self, process: subprocess.Popen, line: bytes) -> Run:
        stdout, stderr = process.communicate(line, timeout=60)
        assert process.returncode == 0, stderr.decode()
        return Run(checked_events(stdout), stderr.decode())

    def run_line(self, skill: str, name: str, line: bytes, config: dict | None = None) -> Run:
        """Run on any line, also one that no executor would send."""
        return self.finish(self.start(skill, name, config), line)

    def run(self, skill: str, name: str, given, config=None, more=None, request_id="request-1") -> Run:
        """Run on input that fits the script's schema; what comes out of it fits the other one."""
        script = self.script(skill, name)
        assert not CompiledSchema(script["inputSchema"]).problems(given)
        run = self.finish(self.start(skill, name, config, more), self.line(skill, name, given, request_id))
        if run.ok:
            assert not CompiledSchema(script["outputSchema"]).problems(run.output)
        return run


@pytest.fixture
def skills(tmp_path) -> Skills:
    data = tmp_path / "data"
    data.mkdir()
    return Skills(data)


@pytest.fixture(params=NAMES)
def shipped(request) -> Path:
    """The folder of each shipped skill in turn."""
    return SHIPPED / request.param
