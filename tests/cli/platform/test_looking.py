"""Commands that only look load what they look with: this bounds how long they take to start."""

import os
import subprocess
import sys

import pytest

from aeon.cli.entrypoint import run

THINGS = """
kind: Service
name: shop
type: rest_api
protocol: http
connectionSchema: {type: object, required: [endpoint]}
---
kind: Secret
name: key
type: api_key
value: {key: abc}
---
kind: Tool
name: item
service: shop
connectionParams: {endpoint: "http://127.0.0.1:9"}
operation: {type: rest_request, path: "/{id}"}
inputSchema: {type: object, properties: {id: {type: string}}}
---
kind: Process
name: look up
initialContext: [word]
steps:
  - {id: sure, tool: item, inputs: {id: "{word}"}, output: item, execution: {interactionMode: manual}}
"""

LISTS = [
    ["log", "list"],
    ["log", "show", "last"],
    ["log", "events", "last"],
    ["serve", "worker", "list"],
    ["process", "job", "list"],
    ["process", "job", "list", "--dead"],
    ["tool", "list", "--source", "stored"],
    ["tool", "service", "list"],
    ["process", "list"],
    ["secret", "list"],
    ["store", "search", "item"],
    ["tool", "show", "item"],
    ["tool", "uses", "item"],
    ["tool", "list", "--source", "stored"],
    ["secret", "list"],
    ["store", "audit", "list"],
    ["store", "audit", "verify"],
]

LOADED = """
import sys
from aeon.cli import main
try:
    main()
finally:
    print(*sys.modules, file=sys.stderr)
"""

RUNNING = (
    "aeon.adapters.engines",
    "aeon.kernel.orchestrator",
    "aeon.skills",
    "aeon.bootstrap.app",
    "aeon.platform.workers.pool",
    "aeon.platform.processes.checks.definition",
    "asyncio",
    "cel_expr_python",
    "cryptography",
    "mcp",
    "pydantic_handlebars",
)
"""What runs of requests, skills and Processes need, and the values of secrets."""

LISTING = (
    *RUNNING,
    "aeon.bootstrap.process_runtime",
    "aeon.platform.catalog.apply",
    "aeon.platform.catalog.tool_calls",
    "aeon.platform.diagrams",
    "aeon.platform.exports",
    "croniter",
    "httpx2",
    "jsonschema_rs",
    "ssl",
    "yaml",
)


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A folder whose record has a thing of each kind, and a run that waits for a person; and its environment."""
    folder, state = tmp_path_factory.mktemp("project"), tmp_path_factory.mktemp("state")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("XDG_STATE_HOME", str(state))
        (folder / "things.yaml").write_text(THINGS, encoding="utf-8")
        assert run(["init"]) == 0
        assert run(["apply", "-f", "things.yaml"]) == 0
        assert (
            run(["process", "schedule", "create", "daily", "look up", "--cron", "0 8 * * *", "--input", "word=tea"])
            == 0
        )
        assert run(["process", "run", "look up", "--input", "word=tea"]) == 3
    return folder, {"XDG_STATE_HOME": str(state)}


def heavy_modules(project, command, heavy, codes=(0,)):
    """Which of the heavy modules and packages a command loads."""
    folder, env = project
    argv = [sys.executable, "-c", LOADED, *command]
    done = subprocess.run(argv, cwd=folder, env={**os.environ, **env}, capture_output=True, text=True, check=False)
    assert done.returncode in codes, done.stderr
    loaded = done.stderr.splitlines()[-1].split()
    return [each for each in heavy if any(name == each or name.startswith(f"{each}.") for name in loaded)]


def test_a_process_is_shown_with_what_checks_it_alone(project):
    checks = {"aeon.platform.processes.checks.definition", "cel_expr_python", "pydantic_handlebars", "jsonschema_rs"}
    assert heavy_modules(project, ["process", "show", "look up"], [*{*LISTING} - checks]) == []


def test_the_list_of_all_tools_loads_no_other_commands_and_nothing_that_calls_tools(project):
    heavy = ["tarfile", "yaml", "asyncio", "aeon.validation", "aeon.tools.invocation"]
    groups = ["aeon.cli.log_commands", "aeon.cli.knowledge", "aeon.cli.conversations", "aeon.cli.skills"]
    assert heavy_modules(project, ["tool", "list"], []) == []  # reads the skills, whose cache the next one uses
    assert heavy_modules(project, ["tool", "list"], [*heavy, *groups, "aeon.cli.platform.store_commands"]) == []


@pytest.mark.parametrize("command", LISTS, ids=" ".join)
def test_a_list_loads_only_what_it_lists_with(project, command):
    assert heavy_modules(project, command, LISTING) == []


@pytest.mark.parametrize(
    ("command", "needed"),
    [
        (["process", "schedule", "list"], ["croniter"]),
        (["store", "metric", "list"], ["yaml"]),
        (["log", "why", "last"], ["aeon.bootstrap.process_runtime"]),
        (["store", "status"], ["aeon.platform.exports"]),
    ],
    ids=" ".join,
)
def test_a_command_that_only_looks_loads_of_the_heavy_parts_only_its_own(project, command, needed):
    assert heavy_modules(project, command, LISTING) == needed


def test_a_check_of_health_loads_no_http_client_where_no_server_is_asked(tmp_path):
    """The shipped tools are Aeon's own."""
    env = {"XDG_STATE_HOME": str(tmp_path / "state")}
    assert heavy_modules((tmp_path, env), ["init"], ("httpx2",)) == []
    assert heavy_modules((tmp_path, env), ["tool", "health"], LISTING) == ["aeon.platform.catalog.tool_calls"]


def test_the_doctor_loads_no_engine_no_planner_and_no_skill_that_is_unchanged(project):
    command, codes = ["doctor", "--quick"], (0, 1)  # 1 where no model is
    heavy_modules(project, command, (), codes)  # reads the skills' folders
    planning = ("aeon.adapters.engines", "aeon.kernel.orchestrator", "aeon.skills.planner", "aeon.skills.executor")
    assert heavy_modules(project, command, (*planning, "aeon.skills.model_gateway", "asyncio", "yaml"), codes) == []


COLLECTED = """
import gc, sys
from aeon.cli import main
try:
    main()
finally:
    print(sum(each["collections"] for each in gc.get_stats()), gc.get_freeze_count() > 10_000, file=sys.stderr)
"""


def test_a_short_command_starts_and_ends_almost_without_garbage_collections(project):
    """With Python's threshold of 700 there were over 90, and one through all modules at the end."""
    folder, env = project
    argv = [sys.executable, "-c", COLLECTED, "tool", "list"]
    done = subprocess.run(argv, cwd=folder, env={**os.environ, **env}, capture_output=True, text=True, check=True)
    collections, are_modules_frozen = done.stderr.split()[-2:]
    assert int(collections) < 20
    assert are_modules_frozen == "True"
