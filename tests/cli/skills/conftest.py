"""Skills made for a test, and plans that use them."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

SCRIPTS = {
    "speaks": """#!/bin/sh
echo '{"version": "0", "type": "state_patch", "patch": {"said": {"text": "hello"}}}'
echo '{"version": "0", "type": "done", "ok": true, "summary": "said hello"}'
""",
    "fails": "#!/bin/sh\necho out of paper >&2\nexit 3\n",
    "naps": """#!/bin/sh
echo '{"version": "0", "type": "log", "level": "info", "message": "napping"}'
setsid sleep 4242 &
sleep 4242
""",
    "is deaf": """#!/bin/sh
trap '' TERM INT
echo '{"version": "0", "type": "log", "level": "info", "message": "deaf"}'
while true; do sleep 4243; done
""",
}


@pytest.fixture(autouse=True)
def _nobody_to_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model server that does not listen: a plan by hand must not need it."""
    monkeypatch.setenv("AEON_MODEL_PROVIDER", "openai")
    monkeypatch.setenv("AEON_MODEL_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("AEON_MODEL_NAME", "none")


@pytest.fixture
def skill() -> Callable[..., Path]:
    """`skill(name, run=source, ...)`: a skill of this project with a shell script for each source or name of one."""

    def make(name: str, *, config_schema: dict | None = None, folder: str = "skills", **scripts: str) -> Path:
        made = Path(folder) / name
        (made / "scripts").mkdir(parents=True)
        for script, source in scripts.items():
            file = made / "scripts" / f"{script}.sh"
            file.write_text(SCRIPTS.get(source, source))
            file.chmod(0o755)
        manifest = {
            "name": name,
            "version": "1.0.0",
            "description": f"Does {name}.",
            "scripts": [{"name": script, "path": f"scripts/{script}.sh", "description": name} for script in scripts],
            "retryPolicy": {"maxRetries": 0, "backoffMs": 0},
        }
        (made / "skill.json").write_text(json.dumps(manifest))
        if config_schema is not None:
            (made / "config-schema.json").write_text(json.dumps(config_schema))
        return made

    return make


@pytest.fixture
def plan() -> Callable[..., Path]:
    """`plan(node, ...)`: a file with that plan; a node is `toolId`, `toolPath` and what else it needs."""

    def write(*nodes: tuple, **fields: object) -> Path:
        tools = [{"toolId": tool_id, "toolPath": path, **(more[0] if more else {})} for tool_id, path, *more in nodes]
        file = Path("plan.json")
        file.write_text(json.dumps({"tools": tools, **fields}))
        return file

    return write
