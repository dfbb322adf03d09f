"""The small commands: tools, schema, config, doctor, model, log; each for people and as JSON."""

import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from tests.adapters.store.sqlite_world import small_disk

from aeon.bootstrap.vaults import project_key_file
from aeon.cli.app import app_for
from aeon.cli.entrypoint import run
from aeon.observability.log import read_log


@pytest.fixture
def log(aeon, plan_file) -> Path:
    assert aeon("run", "--plan", plan_file, "--log", "run.jsonl").code == 0
    return Path("run.jsonl")


def test_help_lists_every_command_and_its_exit_codes(capsys):
    assert run(["--help"]) == 0
    told = capsys.readouterr().out
    for command in ("run", "log", "doctor", "tool", "config", "model", "serve"):
        assert f"\n  {command} " in told
    assert "3 not ended (TTL expired, or waiting for a person)" in " ".join(told.split())
    assert max(map(len, told.splitlines())) <= 80


def test_help_loads_nothing_heavy():
    """`aeon --help` is under 300 ms because of this."""
    check = (
        "import sys; from aeon.cli.entrypoint import run; run(['--help']); "
        "print(sorted({name.partition('.')[0] for name in sys.modules} & "
        "{'pydantic', 'rich', 'httpx2', 'yaml', 'jsonschema_rs', 'json_repair', 'xllamacpp', 'sqlite3'}))"
    )
    ended = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert ended.stdout.strip().splitlines()[-1] == "[]"


def test_only_the_command_that_is_named_is_built(capsys):
    """Building all of them takes longer than many a command."""
    run(["--help"])
    names = [
        line.split()[0] for line in capsys.readouterr().out.partition("Commands:")[2].splitlines() if line[2:3].strip()
    ]
    for name in names:
        app = app_for([name, "--json"])
        assert len(app.registered_groups) + len(app.registered_commands) == 1, name
    for argv in ([], ["rnu"], ["--help"]):
        app = app_for(argv)
        assert len(app.registered_groups) + len(app.registered_commands) == len(names)


def test_version(aeon):
    import aeon as package

    assert aeon("--version").out == f"aeon {package.__version__}\n"


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["rnu"], "No such command 'rnu'. Did you mean 'run'?"),
        (["tool", "lst"], "No such command 'lst'. Did you mean 'list'?"),
        (["runs"], "No such command 'runs'. Did you mean 'run'?"),
        (["xyzzy"], "Try 'aeon -h' for help."),
        (["user"], "No such command 'user'. It is a part of another: `aeon serve user`."),
        (["jobs", "list"], "It is a part of another: `aeon process job`."),
        (["serve", "drain"], "It is a part of another: `aeon serve worker drain`."),
        (["run", "x", "--tll", "3"], "No such option: --tll"),
        (["what is 2+2"], "For a request: aeon run 'what is 2+2'."),
        (["run", "what", "is", "it?"], "Unexpected: is 'it?'. Put a text in quotes: 'what is it?'."),
        (["tool", "call", "date_math", "start=today"], "Give inputs as options: --input start=today."),
        (["process", "run", "p", "a=b", "c=d e"], "--input a=b --input 'c=d e'."),
        (["tool", "show", "a", "b"], "Error: Unexpected: b.\n"),
        (["tool", "show", "a", "\x1b[2J"], "Unexpected: '\\x1b[2J'."),
        (["run", "list"], "`aeon log list` lists what ran."),
    ],
)
def test_a_wrong_command_names_the_nearest_and_is_code_2(aeon, argv, said):
    ended = aeon(*argv)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err


@pytest.mark.slow
def test_python_dash_m_is_the_same_command(process):
    import aeon as package

    assert process("--version").out == f"aeon {package.__version__}\n"
    assert process("rnu").code == 2


def test_tools_are_listed_shown_and_called(aeon):
    listed = aeon("tool", "list")
    assert listed.cells("NAME", "SOURCE")[0] == ("calculator", "built-in")
    assert any(len(line) > 80 for line in listed.out.splitlines()), "nothing is cut in a pipe"
    assert [tool["name"] for tool in aeon("tool", "list", "--json").json][:2] == ["calculator", "echo"]
    assert "input_schema" in aeon("tool", "show", "echo").out
    assert aeon("tool", "call", "calculator", "--input", '{"expression": "2^10"}').json == {"result": 1024}
    assert aeon("tool", "call", "echo", "--input", "-", "--json", stdin=b'{"text": "hi"}').json["result"] == {
        "text": "hi"
    }
    assert not Path(".aeon").exists(), "looking around creates nothing"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("[1]", "not an object"),
        ("{", "not JSON"),
        ('{"expresion": "1"}', '"expression" is a required property'),
        ('{"expression": 1}', "$.arguments.expression"),
    ],
)
def test_a_call_is_checked_before_it_is_made(aeon, arguments, said):
    ended = aeon("tool", "call", "calculator", "--input", arguments)
    assert ended.code == 2
    assert said in ended.err


def test_inputs_are_given_in_each_form(aeon):
    Path("in.json").write_text('{"text": "hi"}')
    Path("text.txt").write_text("hi\n")
    forms = (
        ["text=hi"],
        ["text@text.txt"],
        ['{"text": "hi"}'],
        ["@in.json"],
        ["-"],
        ["@-"],
        ['{"text": "no"}', "text=hi"],
    )
    for form in forms:
        argv = [word for each in form for word in ("--input", each)]
        assert aeon("tool", "call", "echo", *argv, stdin=b'{"text": "hi"}').json == {"text": "hi"}, form
    assert aeon("tool", "call", "memory_write", "--input", "key=a", "--input", "value=1").code == 0
    assert aeon("tool", "call", "calculator", "--input", "expression=5").json == {"result": 5}, "a number as a text"
    assert aeon("tool", "call", "echo", "--input", "@lost.json").code == 2


def test_a_plan_is_shown_without_being_run(aeon, plan_file):
    shown = aeon("run", "--plan", plan_file, "--dry-run")
    assert [step["tool"] for step in shown.json["steps"]] == ["calculator", "echo"]
    assert not Path(".aeon/logs").exists()


def test_a_call_that_fails_is_code_1(aeon):
    ended = aeon("tool", "call", "calculator", "--input", '{"expression": "1/0"}', "--json")
    assert ended.code == 1
    assert ended.json["error"]["type"] == "ToolError"


def test_a_broken_plugin_is_reported_and_stops_nothing(aeon, plugin):
    ended = aeon("tool", "list")
    assert ended.code == 0
    assert "hang" in ended.out
    assert "warning: A tool could not be loaded: lost (aeon_lost:TOOL)" in ended.err


@pytest.mark.parametrize("name", ["Plan", "plan-step", "ORCHESTRATIONSTATE", "tool", "tool_call", "memory entry"])
def test_schemas_are_found_in_any_spelling(aeon, name):
    schema = aeon("config", "schema", name).json
    assert schema["type"] == "object"
    assert schema["properties"]


def test_every_entity_has_a_schema_that_holds(aeon, log):
    """The schema of LogEntry accepts what runs write, the schema of Tool what is exported."""
    from aeon.base.json_schema import CompiledSchema

    assert len(aeon("config", "schema").out.splitlines()) == 13
    entries = CompiledSchema(aeon("config", "schema", "LogEntry").json)
    assert [entries.problems(entry) for entry in read_log(log).entries] == [[], [], []]
    tools = CompiledSchema(aeon("config", "schema", "Tool").json)
    names = [tool["name"] for tool in aeon("tool", "list", "--json").json]
    assert "dice-roller.roll" in names
    assert not any(tools.problems(aeon("tool", "show", name, "--json").json) for name in names)


def test_an_unknown_schema_names_the_nearest(aeon):
    ended = aeon("config", "schema", "log-entri")
    assert ended.code == 2
    assert "Did you mean LogEntry?" in ended.err


def test_config_explain_says_where_each_value_comes_from(aeon, monkeypatch):
    Path("aeon.toml").write_text('[run]\nlog_dir = "logs"\n')
    monkeypatch.setenv("AEON_RUN_TTL", "7")
    ended = aeon("config", "list")
    assert "run.ttl = 7  (AEON_RUN_TTL)" in ended.out
    assert 'model.provider = "auto"  (default)' in ended.out
    values = aeon("config", "list", "--json").json["values"]
    assert values["run.log_dir"]["origin"] == str(Path("aeon.toml").absolute())
    assert values["run.log_dir"]["value"] == str(Path("logs").absolute())


def test_config_explain_never_shows_a_secret(aeon, monkeypatch):
    monkeypatch.setenv("AEON_MODEL_API_KEY_ENV", "MY_KEY")
    monkeypatch.setenv("MY_KEY", "sk-very-secret")
    for argv in (["config", "list"], ["config", "list", "--json"], ["doctor", "--quick"]):
        ended = aeon(*argv)
        assert "sk-very-secret" not in ended.out + ended.err


def test_a_wrong_configuration_is_code_2_everywhere_and_a_finding_of_doctor(aeon, plan_file):
    Path("aeon.toml").write_text("[run]\nttll = 3\n")
    for argv in (["run", "--plan", plan_file], ["config", "list"], ["tool", "list"]):
        ended = aeon(*argv)
        assert ended.code == 2
        assert "run.ttll is unknown; did you mean run.ttl?" in " ".join(ended.err.split())
    ended = aeon("doctor", "--json")
    assert ended.code == 1
    assert "run.ttll" in str(ended.json["findings"])


def test_doctor_is_content_with_a_model_that_answers(aeon, double):
    double("ready")
    ended = aeon("doctor")
    assert ended.code == 0
    assert "ok      answer: 'ready' after" in ended.out
    assert not Path(".aeon/logs").exists()


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("", "ok      runs: a step is on disk before it counts as complete"),
        ('[engine]\ndurability = "relaxed"\n', "note    runs: engine.durability is relaxed: a power cut may lose"),
        ('[engine]\naddress = "memory"\n', "note    runs: engine.address is memory: runs end with their process"),
    ],
)
def test_doctor_says_what_a_power_cut_may_take_of_runs(aeon, settings, said):
    """Rule 42"""
    Path("aeon.toml").write_text(settings)
    assert said in aeon("doctor", "--quick").out


@pytest.mark.parametrize(
    ("settings", "missing", "said"),
    [
        ("", None, "ok      embeddings: all-MiniLM-L6-v2-onnx-int8 in this process"),
        ("", "onnxruntime", "note    embeddings: The embedding model needs onnxruntime, which is not installed."),
        (
            '[embeddings]\nprovider = "remote"\n',
            None,
            "broken  embeddings: embeddings.provider is remote, and the server",
        ),
    ],
)
def test_doctor_says_which_model_makes_embeddings(aeon, uninstall, settings, missing, said):
    if missing:
        uninstall(missing)
    Path("aeon.toml").write_text(settings)
    assert said in " ".join(aeon("doctor", "--quick").out.replace("\n          ", " ").split("\n"))


@pytest.fixture
def closed_port():
    """A port of loopback on which nothing listens."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        yield unused.getsockname()[1]


def findings(aeon, name):
    return [found for found in aeon("doctor", "--quick", "--json").json["findings"] if found["name"] == name]


def test_doctor_names_the_record_and_the_engine_and_creates_neither(aeon):
    assert [findings(aeon, name)[0]["state"] for name in ("record", "engine")] == ["ok", "ok"]
    assert not Path(".aeon/aeon.db").exists()
    assert not Path(".aeon/runs.db").exists()
    aeon("init")
    assert "aeon.db, version" in findings(aeon, "record")[0]["text"]
    Path(".aeon/aeon.db").write_text("This is not a database, but a text that is long enough to be read as one. " * 9)
    assert findings(aeon, "record")[0]["state"] == "broken"


def test_doctor_reports_a_read_only_folder_as_such(aeon, tmp_path, monkeypatch):
    """Opening the database of runs touched the file, and the error of the system was called a defect."""
    with small_disk(tmp_path / "disk", "8m") as disk:
        monkeypatch.chdir(disk)
        aeon("init")
        aeon("process", "run", "answer_and_keep", "--input", "request=hello")
        assert Path(".aeon/runs.db").exists()
        subprocess.run([shutil.which("mount"), "-o", "remount,ro", disk], check=True)
        ended = aeon("doctor", "--quick", "--json")
        monkeypatch.chdir(tmp_path)
    assert ended.code == 1
    broken = {each["name"]: each["text"] for each in ended.json["findings"] if each["state"] == "broken"}
    assert {"record", "engine"} <= broken.keys()
    assert "runs.db cannot be used: Read-only file system." in broken["engine"]


@pytest.mark.parametrize(
    ("variable", "scheme", "name"),
    [
        ("AEON_STORE_ADDRESS", "postgresql://ann@127.0.0.1:{}/aeon", "record"),
        ("AEON_ENGINE_ADDRESS", "postgresql://ann@127.0.0.1:{}/aeon", "engine"),
        ("AEON_ENGINE_ADDRESS", "temporal://127.0.0.1:{}/default", "engine"),
    ],
)
def test_doctor_says_which_server_does_not_answer(aeon, monkeypatch, closed_port, variable, scheme, name):
    """Every error of the store names `aeon doctor`, which looked at neither."""
    pytest.importorskip("psycopg" if scheme.startswith("postgresql") else "temporalio")
    monkeypatch.setenv(variable, scheme.format(closed_port))
    (found,) = findings(aeon, name)
    assert found["state"] == "broken"
    assert f"127.0.0.1:{closed_port}" in found["text"]
    assert "address" in found["advice"]
    assert "aeon doctor" not in found["advice"]


@pytest.mark.server
def test_doctor_tells_a_wrong_password_from_tables_that_are_missing(aeon, monkeypatch, tmp_path):
    from aeon.testing.postgres_server import PostgresTestServer, missing_for_postgres

    if missing := missing_for_postgres():
        pytest.skip(missing)
    server = PostgresTestServer(tmp_path / "postgres", listen="127.0.0.1", settings={"fsync": "off"})
    server.start()
    try:
        server.create_database()
        monkeypatch.setenv("AEON_STORE_ADDRESS", server.address("db0"))
        (empty,) = findings(aeon, "record")
        assert (empty["state"], "has no record" in empty["text"]) == ("broken", True)
        assert "aeon store migrate" in empty["advice"]
        assert aeon("store", "migrate").code == 0
        assert "version" in findings(aeon, "record")[0]["text"]
        server.execute("CREATE ROLE ann LOGIN PASSWORD 'right'")
        monkeypatch.setenv("AEON_STORE_ADDRESS", server.address("db0", user="ann"))
        monkeypatch.setenv("AEON_STORE_PASSWORD_ENV", "THE_PASSWORD")
        monkeypatch.setenv("THE_PASSWORD", "right")
        for granted in ("SELECT 1", "GRANT USAGE ON SCHEMA aeon TO ann"):
            server.execute(granted, "db0")
            assert "next: Connect as the owner of the schema" in " ".join(aeon("store", "migrate").err.split())
        monkeypatch.setenv("THE_PASSWORD", "wrong")
        (refused,) = findings(aeon, "record")
        assert "refused the connection" in refused["text"]
        assert "does not answer" not in refused["text"]
        assert "password_env" in refused["advice"]
    finally:
        server.kill()


def test_doctor_says_what_is_broken_and_what_to_do(aeon, monkeypatch, plugin):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        monkeypatch.setenv("AEON_MODEL_BASE_URL", f"http://127.0.0.1:{unused.getsockname()[1]}/v1")
    monkeypatch.setenv("AEON_MEMORY_PATH", "/proc/nowhere/m.db")
    ended = aeon("doctor", "--json")
    broken = {found["name"]: found for found in ended.json["findings"] if found["state"] == "broken"}
    assert ended.code == 1
    assert broken.keys() == {"memory", "model"}
    assert "AEON_MODEL_NAME" in broken["model"]["advice"]
    assert any(found["name"] == "tool plugin" for found in ended.json["findings"])


def test_doctor_says_what_of_this_folder_a_repository_has(aeon, double, git):
    """Measured P5"""
    double("ready")
    aeon("doctor")  # opens the memory
    git(".", "init", "-q")
    git(".", "add", ".")
    assert "repository" not in aeon("doctor").out
    git(".", "add", "-f", ".aeon/memory.db")
    assert "note    repository: git tracks .aeon/memory.db" in aeon("doctor").out
    Path(".aeon/master.key").write_text("x")
    git(".", "add", "-f", ".aeon/master.key")
    ended = aeon("doctor")
    assert ended.code == 1
    assert "broken  repository: git tracks .aeon/master.key" in ended.out
    assert "git rm -r --cached .aeon" in ended.out


@pytest.mark.parametrize("name", ["aeon.db", "aeon.db.lock", "runs.db", "vault.db", "memory.db", "results", "logs"])
def test_doctor_names_a_link_in_the_projects_folder(aeon, double, tmp_path, name):
    """Measured P1: of most files it said nothing, though every command that opened them refused."""
    double("ready")
    aeon("init")
    path = Path(".aeon") / name
    if path.exists():
        path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    ended = aeon("doctor")
    assert ended.code == 1
    told = " ".join(ended.out.split())
    assert "broken project folder: " in told
    assert f"{name} is a symbolic link to" in told


def test_doctor_says_whose_the_projects_folder_is_and_where_its_key_lies(aeon, double, monkeypatch, tmp_path):
    """Platform 21."""
    double("ready")
    assert "project folder" not in aeon("doctor").out
    assert aeon("secret", "list").code == 0
    told = aeon("doctor").out
    assert "ok      project folder: " in told
    assert "ok      master key: outside the project" in told
    project_key_file(Path.cwd(), os.environ).rename(".aeon/master.key")
    beside = aeon("doctor")
    assert (beside.code, "broken  master key: it is in" in beside.out) == (1, True)
    assert "note: The master key was moved out of the project" in " ".join(aeon("secret", "list").err.split())
    assert "ok      master key" in aeon("doctor").out
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "other state"))
    foreign = aeon("doctor")
    assert (foreign.code, "broken  project folder: " in foreign.out) == (1, True)
    assert "`aeon init --adopt`" in " ".join(foreign.out.split())


def test_models_are_listed_and_missing_weights_say_how_to_get_them(aeon):
    listed = aeon("model", "list", "--json").json
    assert [model["name"] for model in listed] == ["standard", "small", "tiny"]
    assert not any(model["fetched"] for model in listed)
    assert aeon("model", "list").cells("NAME", "SIZE", "STATE")[0] == ("standard", "1,117 MB", "not fetched")
    ended = aeon("model", "path", "tiny")
    assert ended.code == 1
    assert "aeon model fetch tiny" in ended.err


@pytest.mark.usefixtures("llama")
def test_weights_are_fetched_with_lines_of_progress_and_once(aeon, monkeypatch, fetch_from):
    from aeon.adapters.weights import CATALOG
    from aeon.testing.weights import ScriptedSource, make_weights

    content = bytes(1000)
    monkeypatch.setitem(CATALOG, "tiny", make_weights(content, "tiny"))
    fetch_from(ScriptedSource([content], "hub"))
    first = aeon("model", "fetch", "tiny")
    assert first.code == 0
    assert Path(first.out.strip()).read_bytes() == content
    assert "fetching the weights of the model 'tiny', once" in first.err
    second = aeon("model", "fetch", "tiny")
    assert (second.code, second.out, second.err) == (0, first.out, "")
    assert aeon("model", "path", "tiny").out == first.out


def test_before_weights_are_fetched_it_is_said_that_they_cannot_be_used_here(aeon, monkeypatch, uninstall):
    """They are large, and a small container has no libgomp."""
    uninstall("xllamacpp")
    monkeypatch.setenv("AEON_MODEL_SOURCES", "nowhere")
    ended = aeon("model", "fetch", "tiny")
    said = " ".join(ended.err.split())
    assert said.index("warning: The embedded model needs xllamacpp") < said.index("next: ") < said.index("error: ")


def test_weights_that_were_not_checked_yet_are_checked_aloud(aeon, monkeypatch):
    """Nothing is fetched under --no-input, and a file that is not the published one is said to be that."""
    from aeon.bootstrap.embedded_models import stored_models

    (tiny,) = [model for model in stored_models(os.environ) if model.weights.name == "tiny"]
    tiny.file.parent.mkdir(parents=True)
    with tiny.file.open("wb") as file:
        file.truncate(tiny.weights.size)
    ended = aeon("run", "hello", "--no-input", "--model", "tiny")
    told = " ".join(ended.err.split())
    assert ended.code == 1
    assert told.startswith("verifying the weights of the model 'tiny', once verifying tiny:")
    assert "is not what was published as the model 'tiny'" in told
    assert "`aeon model fetch tiny`" in told
    assert tiny.file.exists()


def test_a_projects_file_is_refused_where_it_would_send_a_key_away(aeon, monkeypatch, plan_file):
    """Decision 0012, from the command's point of view: what needs no model still works."""
    Path("aeon.toml").write_text('[model]\nname = "m"\nbase_url = "https://keys.example/v1"\napi_key_env = "MY_KEY"\n')
    monkeypatch.setenv("MY_KEY", "sk-very-secret")
    ended = aeon("run", "hello")
    told = " ".join(ended.err.split())
    assert (ended.code, ended.out) == (2, "")
    assert f"{Path('aeon.toml').absolute()} would have the key in MY_KEY sent to https://keys.example/v1" in told
    assert "export AEON_MODEL_BASE_URL=https://keys.example/v1" in told
    assert "sk-very-secret" not in told
    assert aeon("doctor", "--quick").code == 1
    assert aeon("run", "--plan", plan_file).out == "it is 352\n"


def test_a_log_is_shown_verified_and_replayed(aeon, log):
    shown = aeon("log", "show", log)
    assert shown.out.splitlines()[:2] == [
        "1 supplied plan, 2 step(s), ttl 50: add two numbers and say so",
        "2 complete s1 (tool): add",
    ]
    whole = aeon("log", "show", log, "--entry", 3).json
    assert whole["entry"]["step_number"] == 3
    assert [step["status"] for step in whole["plan"]["steps"]] == ["complete", "pending"]
    assert len(aeon("log", "show", log, "--json").json["entries"]) == 3
    assert aeon("log", "verify", log).out == f"3 entries, chain ok\nhead {read_log(log).last_hash}\n"
    assert aeon("log", "replay", log, "--json").json["reproduced"] == 3
    assert aeon("log", "show", log, "--entry", 4).code == 2


def test_a_changed_log_is_code_1_with_its_line(aeon, log):
    """Core 13."""
    log.write_bytes(log.read_bytes().replace(b'"result":352', b'"result":353'))  # no hash and no time reads like that
    for argv in (["log", "verify", log], ["log", "replay", log], ["log", "resume", log], ["log", "show", log]):
        ended = aeon(*argv, "--json")
        assert ended.code == 1
        assert "line 3" in ended.err
        assert json.loads(ended.out)["error"]["line"] == 3


def test_a_torn_last_line_is_reported_and_is_no_error(aeon, log):
    log.write_bytes(log.read_bytes()[:-20])
    ended = aeon("log", "verify", log)
    assert ended.code == 0
    assert ended.out.startswith("2 entries, chain ok")
    assert "note: The last line is incomplete" in ended.err
    assert aeon("log", "resume", log).out == "it is 352\n"
    assert aeon("log", "verify", log).out.startswith("3 entries")


@pytest.mark.parametrize(("name", "field"), [("Process", "steps"), ("service", "connectionSchema")])
def test_the_schemas_of_what_is_applied_are_there_too(aeon, name, field):
    """Measured E10: `aeon config schema` knew no Process."""
    ended = aeon("config", "schema", name)
    assert (ended.code, field in ended.json["properties"]) == (0, True)
