"""`aeon skill list`, `show`, `check`, `new`, `export`, `config`, and what other commands say of skills."""

import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
import termios
from pathlib import Path

import pytest

SHIPPED = ["csv-report", "dice-roller", "http-fetch", "memory", "storyteller"]
SCHEMA = {
    "type": "object",
    "properties": {
        "tone": {"type": "string", "default": "warm"},
        "words": {"type": "integer", "minimum": 1, "default": 100},
        "token": {"type": "string", "writeOnly": True},
    },
    "required": ["token"],
    "x-env": ["TALKER_TOKEN"],
    "additionalProperties": False,
}


def widest(text: str) -> int:
    return max(map(len, text.splitlines()))


def test_without_any_folder_the_shipped_skills_are_there(aeon):
    """The issue's bad input: no skills folder."""
    ended = aeon("skill", "list")
    assert ended.code == 0
    assert [name for (name,) in ended.cells("NAME")] == SHIPPED
    assert ended.err == ""
    listed = aeon("skill", "list", "--json").json
    assert [skill["name"] for skill in listed["skills"]] == SHIPPED
    assert not Path(".aeon").exists(), "looking makes nothing"


def test_a_project_s_skill_comes_first_and_is_shown_whole(aeon, skill):
    skill("talker", say="speaks")
    assert aeon("skill", "list").cells("NAME")[0] == ("talker",)
    shown = aeon("skill", "show", "talker")
    assert shown.code == 0
    assert "talker 1.0.0: Does talker." in shown.out
    assert "talker/scripts/say.sh (ndjson)" in shown.out
    data = aeon("skill", "show", "talker", "--json").json
    assert data["scripts"][0]["toolPath"] == "talker/scripts/say.sh"


def test_an_unknown_name_is_code_2_with_the_nearest(aeon, skill):
    skill("talker", say="speaks")
    for command in ("show", "config", "export"):
        words = ["out", "talkr"] if command == "export" else ["talkr"]
        ended = aeon("skill", command, *words)
        assert (ended.code, ended.out) == (2, "")
        assert "The skill 'talkr' does not exist. Did you mean 'talker'?" in ended.err


def test_a_skill_that_was_skipped_says_why_instead_of_being_unknown(aeon):
    """Skills 9: every skip has its reason."""
    Path("skills/mute").mkdir(parents=True)
    Path("skills/mute/SKILL.md").write_text("---\nname: mute\n---\n")
    ended = aeon("skill", "show", "mute")
    assert ended.code == 2
    assert "The skill 'mute' cannot be read" in " ".join(ended.err.split())
    assert "description" in ended.err


def test_a_new_skill_works_at_once_and_complains_of_nothing(aeon, plan):
    made = aeon("skill", "new", "greeter", "--language", "bash")
    assert (made.code, made.out) == (0, "skills/greeter\n")
    assert aeon("skill", "check", "skills/greeter").code == 0
    assert aeon("skill", "check").code == 0
    script = aeon("skill", "show", "greeter", "--json").json["scripts"][0]["toolPath"]
    ran = aeon("skill", "run", plan(("g", script, {"input": {"name": "Ada"}})))
    assert ran.code == 0
    assert "Ada" in ran.out


@pytest.mark.parametrize("name", ["Wrong Name", "", "../up", "a" * 100, "x\0y"])
def test_a_new_skill_needs_a_name_that_is_one(aeon, name):
    ended = aeon("skill", "new", name)
    assert (ended.code, ended.out) == (2, "")
    assert "Traceback" not in ended.err
    assert not Path("skills").exists()


def test_a_new_skill_never_writes_over_one(aeon, skill):
    skill("talker", say="speaks")
    ended = aeon("skill", "new", "talker")
    assert ended.code == 1
    assert "already exists" in ended.err


def test_exported_skills_are_read_again_and_only_force_writes_over(aeon, skill):
    skill("talker", say="speaks")
    assert aeon("skill", "export", "out", "talker").out == "out/talker\n"
    assert aeon("skill", "check", "out/talker").code == 0
    again = aeon("skill", "export", "out", "talker")
    assert again.code == 1
    assert "--force" in again.err
    assert aeon("skill", "export", "out", "talker", "--force").code == 0
    assert aeon("skill", "export", "all").code == 0
    assert len(list(Path("all").iterdir())) == 1 + len(SHIPPED)


def test_a_folder_of_skills_is_checked_skill_by_skill(aeon, skill):
    skill("talker", say="speaks")
    skill("mute", say="speaks")
    Path("skills/mute/skill.json").write_text('{"name": "mute"')
    ended = aeon("skill", "check", "skills")
    assert ended.code == 1
    assert "skills/mute/skill.json: skipped: " in ended.out
    assert "skills/talker/skill.json: the script 'say' has no inputSchema" in ended.out
    assert aeon("skill", "check", "skills/talker").code == 0
    assert "is not a folder" in aeon("skill", "check", "none").out


def test_what_an_export_could_not_keep_is_said(aeon, skill):
    skill("two--hyphens", say="speaks")
    ended = aeon("skill", "export", "out", "two--hyphens")
    assert (ended.code, ended.out) == (0, "out/two-hyphens\n")
    assert "warning: the name 'two--hyphens' became 'two-hyphens'" in ended.err


@pytest.mark.slow
def test_what_is_missing_is_asked_for_on_a_terminal_and_a_secret_is_not_echoed(skill):
    """Skills 10."""
    skill("talker", config_schema=SCHEMA, say="speaks")
    ours, theirs = pty.openpty()
    asking = subprocess.Popen(
        [sys.executable, "-m", "aeon", "skill", "config", "talker"], stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    seen = b""
    while b"token" not in seen:
        seen += os.read(ours, 1024)
    while termios.tcgetattr(ours)[3] & termios.ECHO:
        pass  # typed before the prompt has silenced the terminal, it would be echoed
    os.write(ours, b"s3cr3t-s3cr3t\n")
    with contextlib.suppress(OSError):  # how Linux says that nobody has the terminal open any more
        while data := os.read(ours, 1024):
            seen += data
    os.close(ours)
    assert asking.wait(20) == 0
    assert b"s3cr3t" not in seen
    assert json.loads(Path("skills/talker/config.json").read_text()) == {"token": "s3cr3t-s3cr3t"}


def test_settings_are_shown_with_their_defaults_and_without_secrets(aeon, skill):
    """Skills 10: fields marked writeOnly are never shown."""
    skill("talker", config_schema=SCHEMA, say="speaks")
    missing = aeon("skill", "config", "talker")
    assert missing.code == 1
    assert missing.out == 'tone = "warm" (default)\nwords = 100 (default)\ntoken is not set\n'
    assert "'token' is a required property" in missing.err.replace('"', "'")
    ended = aeon("skill", "config", "talker", "--set", "token=s3cr3t-s3cr3t", "--set", "words=7")
    assert ended.code == 0
    assert "words = 7\n" in ended.out
    for options in ([], ["--json"]):
        shown = aeon("skill", "config", "talker", *options)
        assert shown.code == 0
        assert "s3cr3t" not in shown.out + shown.err
    written = Path("skills/talker/config.json")
    assert json.loads(written.read_text()) == {"token": "s3cr3t-s3cr3t", "words": 7}
    assert written.stat().st_mode & 0o077 == 0


def test_wrong_settings_are_all_said_at_once_and_nothing_is_written(aeon, skill):
    """Skills 10: all errors at once, each with its path."""
    skill("talker", config_schema=SCHEMA, say="speaks")
    ended = aeon("skill", "config", "talker", "--set", "words=many", "--set", "tine=x", "--set", "token=s3cr3t")
    told = " ".join(ended.err.split())
    assert ended.code == 2
    assert "$.words" in told
    assert "$.tine: is not a setting of this skill; did you mean 'tone'?" in told
    assert "s3cr3t" not in told
    assert not Path("skills/talker/config.json").exists()
    assert aeon("skill", "config", "talker", "--set", "token").code == 2
    assert aeon("skill", "config", "memory").code == 2, "it has none"


def test_doctor_says_which_skills_there_are_and_how_isolated_they_run(aeon, skill):
    skill("talker", say="speaks")
    ended = aeon("doctor", "--quick", "--json")
    found = {finding["name"]: finding for finding in ended.json["findings"]}
    assert "talker" in found["skills"]["text"]
    assert found["scripts of skills"]["state"] in ("ok", "note")
    Path("skills/talker/skill.json").write_text("{")
    assert "aeon skill check" in aeon("doctor", "--quick").out


def test_doctor_names_the_extra_that_is_missing(aeon, uninstall):
    uninstall("msgspec")
    ended = aeon("doctor", "--quick")
    assert ended.code == 0
    assert "pip install 'aeon-orchestrator[skills]'" in ended.out


@pytest.mark.parametrize("name", ["plan-json", "execution-result", "skill-manifest"])
def test_the_contracts_have_schemas(aeon, name):
    assert aeon("config", "schema", name).json["type"] == "object"


def test_a_script_is_a_tool_of_aeon_run_and_of_aeon_tools(aeon):
    """Issue point 8."""
    shown = aeon("tool", "show", "dice-roller.roll", "--json")
    assert shown.json["name"] == "dice-roller.roll"
    called = aeon("tool", "call", "dice-roller.roll", "--input", '{"notation": "3d6"}')
    assert called.code == 0
    assert 3 <= called.json["dice"]["total"] <= 18
    assert aeon("tool", "call", "dice-roller.roll", "--input", '{"notation": "x"}').code == 2
    steps = [
        {"step_id": "s1", "description": "roll", "tool": "dice-roller.roll", "arguments": {"notation": "1d2+40"}},
        {"step_id": "s2", "description": "say", "tool": "echo", "arguments": {"text": "{step.s1.dice.total}!"}},
    ]
    Path("k.json").write_text(json.dumps({"goal": "roll", "steps": steps}))
    ran = aeon("run", "--plan", "k.json", "--log", "run.jsonl")
    assert ran.code == 0
    assert ran.out in ("41!\n", "42!\n")
    assert aeon("log", "replay", "run.jsonl").code == 0


@pytest.mark.slow
def test_watching_lists_a_new_skill_and_ends_on_ctrl_c(skill):
    """Hot reload: a new catalog for each change, the old one untouched."""
    watching = subprocess.Popen(
        [sys.executable, "-m", "aeon", "skill", "list", "--watch"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    with watching:
        assert watching.stdout is not None
        assert watching.stderr is not None
        assert "press Ctrl-C to stop" in watching.stderr.readline()
        skill("talker", say="speaks")
        while not watching.stdout.readline().startswith("talker "):
            pass
        watching.send_signal(signal.SIGINT)
        _, err = watching.communicate(timeout=20)
    assert watching.returncode == 130
    assert "Traceback" not in err


def test_a_misspelt_script_is_told_the_nearest_one(aeon):
    done = aeon("tool", "call", "dice-roller.rol", "--input", "{}")

    assert done.code == 2
    assert "'dice-roller.roll'" in done.err


def test_a_text_that_hides_characters_is_shown_with_them_skills_15(aeon):
    """Issue S12: a name with a zero width space is another name, and a description cannot hide one."""
    folder = Path("skills/paypal")
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: pay\u200bpal\ndescription: Pays\u200b.\n---\nDo\u200b it.", "utf-8")
    shown, listed, checked = aeon("skill", "show", "pay-pal"), aeon("skill", "list"), aeon("skill", "check", folder)

    assert "\u200b" not in shown.out + shown.err + listed.out + listed.err + checked.out + checked.err
    assert "Pays\\u200b." in shown.out
    assert "Do\\u200b it." in shown.out
    assert "becomes 'pay-pal'" in " ".join((checked.out + checked.err).split())


@pytest.mark.parametrize("words", [(), ("skills/windows",)])
def test_a_shell_script_with_windows_line_ends_is_noted(aeon, skill, words):
    made = skill("windows", run="speaks")
    script = made / "scripts" / "run.sh"
    script.write_bytes(script.read_bytes().replace(b"\n", b"\r\n"))
    checked = aeon("skill", "check", *words)

    assert checked.code == 0
    assert "run.sh:1: has Windows line ends" in checked.out
