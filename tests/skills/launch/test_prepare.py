"""What is started for a script: command line, stdin, folder, environment, rights (skills 1, 9, 11)."""

import json
import os
import subprocess
from dataclasses import replace

import pytest

from aeon.base.errors import ConfigError, InputError, SkillError
from aeon.base.json_schema import compile_schema
from aeon.cli.next_steps import advice_of
from aeon.skills.discovery.script_files import PLAIN_INPUT_SCHEMA
from aeon.skills.launch.grants import Grants, NotGrantedError
from aeon.skills.launch.interpreters import script_search_path
from aeon.skills.launch.preparation import prepare_invocation
from aeon.skills.models import Skill, SkillScript

ECHO = "import json, os, sys\nimport sibling\nprint(json.dumps([sys.argv[1:], sys.stdin.read(), os.getcwd(), dict(os.environ)]))\n"


@pytest.fixture
def skill(tmp_path):
    folder = tmp_path / "my greet"
    (folder / "scripts").mkdir(parents=True)
    (folder / "scripts" / "run.py").write_text(ECHO)
    (folder / "scripts" / "sibling.py").write_text("")
    script = SkillScript(
        "run", folder / "scripts" / "run.py", "greet/scripts/run.py", is_executable=False, protocol="ndjson"
    )
    return Skill("greet", "d", folder, folder / "SKILL.md", data_home=folder, scripts=(script,))


def prepared(skill, given=None, protocol="ndjson", environ=None, **more):
    script = replace(skill.scripts[0], protocol=protocol, timeout=2.5)
    return prepare_invocation(
        skill,
        script,
        given or {},
        "r-1",
        environ=environ or {"PATH": script_search_path(os.environ["PATH"]), "SECRET": "x"},
        **more,
    )


def run(invocation):
    done = subprocess.run(
        invocation.command,
        input=invocation.stdin,
        cwd=invocation.cwd,
        env=invocation.env,
        capture_output=True,
        check=True,
    )
    return json.loads(done.stdout)


def test_a_script_gets_one_canonical_line_its_folder_and_six_variables(skill, tmp_path):
    """Skills 1 and 11: and nothing of the parent's environment; siblings can be imported, no exec bit is needed."""
    invocation = prepared(skill, {"b": 1, "a": "ä"})
    argv, stdin, cwd, environ = run(invocation)
    data = skill.data_home / "data"

    assert stdin == '{"input":{"a":"\\u00e4","b":1},"operation":"run","requestId":"r-1","tool":"greet"}\n'
    assert (argv, cwd) == ([], str(data))
    environ.pop("LC_CTYPE", None)  # Python's own
    assert environ == {
        "PATH": script_search_path(os.environ["PATH"]), "HOME": str(data), "LANG": "C.UTF-8", "TMPDIR": str(data / "tmp"),
        "AEON_SKILL_CONFIG": "{}", "AEON_SKILL_DATA": str(data),
    }  # fmt: skip
    assert [(data / name).stat().st_mode & 0o777 for name in (".", "tmp")] == [0o700, 0o700]
    assert invocation.timeout == 2.5
    assert invocation.is_ndjson


def test_a_published_script_gets_arguments_and_stdin(skill):
    """Skills 9: flags, lists repeated, true alone, then args; no value becomes a flag by beginning with a dash."""
    given = {
        "count": 3, "tag": ["a", "-b"], "v": True, "quiet": False, "none": None, "o": "-x", "ratio": 0.5,
        "text": "a b", "args": ["in.txt", 4, "--raw"], "stdin": "hallo ä",
    }  # fmt: skip
    assert compile_schema(PLAIN_INPUT_SCHEMA).problems(given) == [], "a plan may ask for all of it"
    argv, stdin, *_ = run(prepared(skill, given, "plain"))

    assert argv == [
        "--count", "3", "--tag", "a", "--tag=-b", "-v", "-o-x", "--ratio", "0.5", "--text", "a b",
        "in.txt", "4", "--raw",
    ]  # fmt: skip
    assert stdin == "hallo ä"


def test_json_in_an_argument_and_on_stdin_keeps_its_letters(skill):
    """A script that is no parser of JSON, such as `grep`, sees them."""
    given = {"filter": {"ort": "K\u00f6ln"}, "args": [["J\u00fcrgen"]], "stdin": ["\u00c4"]}
    argv, stdin, *_ = run(prepared(skill, given, "plain"))
    assert argv == ["--filter", '{"ort":"K\u00f6ln"}', '["J\u00fcrgen"]']
    assert stdin == '["\u00c4"]'


def test_what_no_command_line_can_carry_is_an_error_of_the_input(skill):
    for given in ({"args": ["a\0b"]}, {"args": ["x" * 200_000]}, {"text": ["x" * 1000] * 2000}):
        with pytest.raises(InputError):
            prepared(skill, given, "plain")


def test_what_a_script_may_touch(skill, tmp_path):
    """Skills 11: its folder and the named files, its data; network by capability, plain scripts by a grant."""
    file = tmp_path / "in.csv"
    access = prepared(skill, input_files=[file]).access

    assert (access.read, access.write) == ((skill.directory_path, file), (skill.data_home / "data",))
    assert not access.network
    assert prepared(replace(skill, capabilities=("network",))).access.network


def test_a_published_script_has_the_network_only_by_a_grant(skill):
    """Skills 15: the least trusted had it always."""
    asks = replace(skill, capabilities=("network", "model"))

    assert not prepared(skill, protocol="plain").access.network
    assert not prepared(asks, protocol="plain").access.network
    assert prepared(skill, protocol="plain", grants=Grants(network=True)).access.network
    assert not prepared(asks, protocol="plain", grants=Grants(model=True)).access.local_sockets


def test_a_script_may_write_where_the_user_granted_it(skill, tmp_path):
    access = prepared(skill, grants=Grants(write=(tmp_path / "out",))).access

    assert access.write == (skill.data_home / "data", tmp_path / "out")


@pytest.mark.parametrize(
    ("asks", "granted", "flags"),
    [
        (["network"], Grants(), "--allow-network"),
        (["model"], Grants(network=True), "--allow-model"),
        (["network", "model"], Grants(), "--allow-network --allow-model"),
    ],
)
def test_a_skill_of_a_project_grants_itself_nothing(skill, asks, granted, flags):
    """Skills 15: what skill.json declares is only asked for; refused, saying which flag grants it."""
    foreign = replace(skill, is_from_project=True, capabilities=tuple(asks))
    with pytest.raises(NotGrantedError, match="'greet' came with the project") as refused:
        prepared(foreign, grants=granted)
    assert f"grants this with {flags} for one run" in advice_of(refused.value)


def test_a_skill_of_a_project_uses_what_was_granted(skill, tmp_path):
    foreign = replace(skill, is_from_project=True, capabilities=("network", "model"))
    more = {"extra_env": {"AEON_MODEL_TOKEN": "t"}, "extra_read": [tmp_path / "sock"]}
    invocation = prepared(foreign, grants=Grants(network=True, model=True), **more)

    assert invocation.access.network
    assert invocation.access.local_sockets
    assert invocation.env["AEON_MODEL_TOKEN"] == more["extra_env"]["AEON_MODEL_TOKEN"]


def test_only_a_skill_that_asks_for_the_model_gets_to_it(skill, tmp_path):
    more = {"extra_env": {"AEON_MODEL_TOKEN": "t", "PATH": "/evil"}, "extra_read": [tmp_path / "sock"]}
    without, given = prepared(skill, **more), prepared(replace(skill, capabilities=("model",)), **more)

    assert "AEON_MODEL_TOKEN" not in without.env
    assert given.env["AEON_MODEL_TOKEN"] == more["extra_env"]["AEON_MODEL_TOKEN"]
    assert given.env["PATH"] == script_search_path(os.environ["PATH"])
    assert given.access.read[-1] == tmp_path / "sock"
    assert without.access.read == (skill.directory_path,)


def test_settings_reach_the_script_filled_in(skill):
    """Skills 10 and 11: as AEON_SKILL_CONFIG; bad ones start nothing."""
    schema = {"x-env": ["KEY"], "properties": {"k": {"type": "string"}}, "required": ["k"]}
    configured = replace(skill, config_schema=schema)
    with pytest.raises(ConfigError, match='"k" is a required'):
        prepared(configured)
    (skill.data_home / "config.json").write_text('{"k": "${KEY}"}')

    assert prepared(configured, environ={"KEY": "v"}).env["AEON_SKILL_CONFIG"] == '{"k":"v"}'
    assert prepared(configured, environ={"KEY": "v"}).env["PATH"] == "/usr/local/bin:/usr/bin:/bin"
    with pytest.raises(ConfigError, match="larger than"):
        prepared(configured, environ={"KEY": "v" * 200_000})


def test_a_script_that_is_gone_or_was_swapped_is_an_error_of_the_skill(skill):
    """Skills 7: nothing but the skill's own scripts is ever started, however old the plan."""
    path = skill.scripts[0].path
    path.unlink()
    with pytest.raises(SkillError, match="cannot be read"):
        prepared(skill)
    path.symlink_to("/etc/profile")
    with pytest.raises(SkillError, match="leads out of its skill's folder"):
        prepared(skill)


def test_a_missing_interpreter_is_named(skill):
    path = skill.directory_path / "scripts" / "run.rb"
    path.touch()
    ruby = replace(skill, scripts=(replace(skill.scripts[0], path=path),))
    with pytest.raises(SkillError, match="ruby"):
        prepared(ruby, environ={"PATH": "/nowhere"})


def test_a_data_folder_is_the_skills_own(skill, tmp_path):
    """Skills 11: a link that stands in its place, put there by the skill, opens nothing."""
    (skill.data_home / "data").symlink_to(tmp_path)
    with pytest.raises(SkillError, match="is a link to"):
        prepared(skill)
    (skill.data_home / "data").unlink()
    (skill.data_home / "data").mkdir()
    (skill.data_home / "data" / "tmp").symlink_to(tmp_path)
    prepared(skill)
    assert not (skill.data_home / "data" / "tmp").is_symlink()


def test_a_data_folder_that_cannot_be_made_is_said(skill, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(SkillError, match="has no data folder"):
        prepared(replace(skill, data_home=tmp_path / "file" / "x"))
