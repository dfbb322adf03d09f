"""What a user grants to scripts of a run, by flags (skills 15): nothing grants itself anything."""

import json
import socket
from pathlib import Path

import pytest

CONNECTS = """#!/usr/bin/env python3
import socket, sys
socket.create_connection(("127.0.0.1", int(sys.argv[1])), 2)
print("connected")
"""
WRITES = """#!/bin/sh
echo written > "$1/made.txt"
"""


def published(name: str, script: str, source: str) -> None:
    """A skill as they are published: a SKILL.md, and a script that knows of no protocol."""
    folder = Path("skills") / name
    (folder / "scripts").mkdir(parents=True)
    (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: Does {name}.\n---\nDo it.\n")
    (folder / "scripts" / script).write_text(source)
    (folder / "scripts" / script).chmod(0o755)


@pytest.fixture
def port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.mark.parametrize(("flags", "code"), [((), 1), (("--allow-network",), 0)])
def test_a_published_script_has_the_network_when_it_is_granted(aeon, plan, port, flags, code):
    published("caller", "call.py", CONNECTS)
    file = plan(("a", "caller/scripts/call.py", {"input": {"args": [str(port)]}}))
    ended = aeon("skill", "run", file, "--sandbox", "landlock", *flags)

    assert ended.code == code, ended.err


@pytest.mark.parametrize("granted", [False, True])
def test_a_script_writes_where_it_was_granted(aeon, plan, granted):
    published("maker", "make.sh", WRITES)
    Path("out").mkdir()
    file = plan(("a", "maker/scripts/make.sh", {"input": {"args": [str(Path("out").absolute())]}}))
    ended = aeon("skill", "run", file, "--sandbox", "require", *(("--allow-write", "out") if granted else ()))

    assert ended.code == (0 if granted else 1)
    assert Path("out/made.txt").exists() is granted


def test_a_grant_of_what_is_no_folder_is_refused(aeon, plan):
    ended = aeon("skill", "run", plan(), "--allow-write", "nowhere")

    assert ended.code == 2
    assert "--allow-write needs a folder, but these are not folders: nowhere" in ended.err


def test_a_skill_of_the_project_that_asks_is_refused_with_the_flag(aeon, skill, plan):
    folder = skill("asker", say="speaks")
    manifest = json.loads((folder / "skill.json").read_text())
    (folder / "skill.json").write_text(json.dumps({**manifest, "capabilities": ["network"]}))
    file = plan(("a", "asker/scripts/say.sh"))

    refused = aeon("skill", "run", file)
    assert refused.code == 1
    assert "--allow-network" in " ".join(refused.err.split())
    assert aeon("skill", "run", file, "--allow-network").code == 0


@pytest.mark.parametrize("setting", ["allow_network = true", "allow_model = true", 'allow_write = ["."]'])
def test_a_project_s_file_grants_nothing(aeon, plan, setting):
    Path("aeon.toml").write_text(f"[skills]\n{setting}\n")
    ended = aeon("skill", "run", plan())

    assert ended.code == 2
    assert "a project's file may not make one" in " ".join(ended.err.split())


def test_a_skill_that_was_trusted_runs_until_one_of_its_files_changes(aeon, skill, plan):
    """Skills 15: remembered by its digest, outside of the project; a changed one is another skill."""
    folder = skill("asker", say="speaks")
    manifest = json.loads((folder / "skill.json").read_text())
    (folder / "skill.json").write_text(json.dumps({**manifest, "capabilities": ["network"]}))
    file = plan(("a", "asker/scripts/say.sh"))

    assert aeon("skill", "run", file).code == 1
    trusted = aeon("skill", "trust", "asker")
    assert (trusted.code, trusted.out) == (0, "trusted asker with its current files, granting the network\n")
    assert aeon("skill", "run", file).code == 0
    (folder / "data").mkdir(exist_ok=True)
    (folder / "data" / "notes").write_text("its own")
    assert aeon("skill", "run", file).code == 0, "what it keeps is no change of it"
    script = folder / "scripts" / "say.sh"
    script.write_text(script.read_text() + "# changed\n")
    assert aeon("skill", "run", file).code == 1
    assert aeon("skill", "trust", "asker").code == 0
    assert aeon("skill", "distrust", "asker").code == 0
    assert aeon("skill", "run", file).code == 1


def test_a_trusted_published_script_has_what_it_was_granted(aeon, plan, port):
    published("caller", "call.py", CONNECTS)
    file = plan(("a", "caller/scripts/call.py", {"input": {"args": [str(port)]}}))
    assert aeon("skill", "trust", "caller", "--allow-network").code == 0

    assert aeon("skill", "run", file, "--sandbox", "landlock").code == 0


def test_trust_that_others_could_have_written_counts_for_nothing(aeon, skill, plan, monkeypatch, tmp_path):
    """As with the marks of folders: who may write there could grant itself anything."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = skill("asker", say="speaks")
    manifest = json.loads((folder / "skill.json").read_text())
    (folder / "skill.json").write_text(json.dumps({**manifest, "capabilities": ["network"]}))
    assert aeon("skill", "trust", "asker").code == 0
    (tmp_path / "state" / "aeon" / "skills").chmod(0o777)

    assert aeon("skill", "run", plan(("a", "asker/scripts/say.sh"))).code == 1


@pytest.fixture
def _asking(monkeypatch, tmp_path):
    """The user has not said that all projects are theirs, and has trusted nothing so far."""
    monkeypatch.delenv("AEON_SKILLS_TRUST_PROJECT")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.mark.usefixtures("_asking")
def test_a_skill_of_the_project_runs_when_it_is_trusted_and_until_it_changes(aeon, skill, plan):
    """Skills 15: a clone or a pull can bring one; without a terminal it is refused, saying what to do."""
    script = skill("greeter", say="speaks") / "scripts" / "say.sh"
    file = plan(("a", "greeter/scripts/say.sh"))

    refused = aeon("skill", "run", file)
    assert refused.code == 1
    assert "you have not trusted its current files" in " ".join(refused.err.split())
    assert "`aeon skill trust greeter`" in " ".join(refused.err.split())
    assert aeon("skill", "trust", "greeter").code == 0
    assert aeon("skill", "run", file).code == 0
    script.write_text(script.read_text() + "# pulled\n")
    assert aeon("skill", "run", file).code == 1


@pytest.mark.usefixtures("_asking")
def test_shipped_and_installed_skills_need_no_word(aeon, skill, plan):
    skill("mine", say="speaks", folder=str(Path.home() / ".agents" / "skills"))

    assert aeon("skill", "run", plan(("a", "mine/scripts/say.sh"))).code == 0
    assert aeon("skill", "run", plan(("a", "dice-roller/scripts/roll.sh", {"input": {"notation": "1d6"}}))).code == 0


@pytest.mark.usefixtures("_asking")
def test_lists_say_which_skill_is_not_trusted_and_what_one_is_granted(aeon, skill):
    script = skill("greeter", say="speaks") / "scripts" / "say.sh"

    def shown():
        (state,) = [state for name, state in aeon("skill", "list").cells("NAME", "STATE") if name == "greeter"]
        whole, data = aeon("skill", "show", "greeter"), aeon("skill", "show", "greeter", "--json").json
        assert f"\nstate: {state}\n" in whole.out
        assert ("aeon skill trust greeter" in whole.err) is not data["isTrusted"]
        assert ("granted: the network\n" in whole.out) is data["grants"]["network"]
        return state, data["grants"]["network"]

    assert shown() == ("not trusted", False)
    aeon("skill", "trust", "greeter", "--allow-network")
    assert shown() == ("healthy", True)
    script.write_text(script.read_text() + "# pulled\n")
    assert shown() == ("not trusted", False)


@pytest.mark.usefixtures("_asking")
def test_an_untrusted_skill_is_neither_planned_with_nor_offered_as_a_tool(aeon, skill):
    skill("greeter", say="speaks")

    ended = aeon("skill", "run", "Do greeter", "--no-input")
    assert "you have not trusted them: greeter." in " ".join(ended.err.split())
    assert "greeter/scripts" not in ended.out + ended.err
    told = " ".join(aeon("run", "Do greeter", "--no-input").err.split())
    assert "you have not trusted them: greeter. They are not used" in told
    called = aeon("tool", "call", "greeter.say", "--input", "{}")
    assert called.code == 1
    assert "`aeon skill trust greeter`" in " ".join(called.err.split())


@pytest.mark.usefixtures("_asking")
def test_a_project_cannot_trust_itself(aeon, plan):
    Path("aeon.toml").write_text("[skills]\ntrust_project = true\n")
    assert aeon("skill", "run", plan()).code == 2


@pytest.mark.slow
@pytest.mark.usefixtures("_asking")
def test_on_a_terminal_the_user_is_asked_once(terminal, aeon, skill, plan):
    skill("greeter", say="speaks")
    file = plan(("a", "greeter/scripts/say.sh"))

    code, screen = terminal("skill", "run", file, typed="n\n")
    assert code == 1
    assert "Trust this skill with its current files, granting nothing beyond its own folders?" in " ".join(
        screen.split()
    )
    assert terminal("skill", "run", file, typed="y\n")[0] == 0
    code, screen = terminal("skill", "run", file)
    assert code == 0
    assert "Trust this skill" not in screen
    assert aeon("skill", "run", file).code == 0


FAILS = """#!/bin/sh
echo tried >> tries.txt
exit 4
"""


@pytest.mark.parametrize(
    ("flags", "retry_policy", "attempts"),
    [
        ((), None, 4),
        (("--allow-write", "."), None, 1),
        (("--allow-network",), None, 1),
        (("--allow-write", "."), {"maxRetries": 1, "backoffMs": 0}, 2),
        (("--sandbox", "plain"), None, 1),
    ],
)
def test_a_script_is_repeated_only_if_that_can_do_no_harm_or_its_author_wants_it(aeon, flags, retry_policy, attempts):
    """Decision 99: a failed attempt with a grant may have sent a mail, or written half a file."""
    published("failing", "fail.sh", "#!/bin/sh\nexit 4\n" if flags in ((), ("--allow-network",)) else FAILS)
    if retry_policy is not None:
        manifest = {"name": "failing", "version": "1.0.0", "description": "d", "retryPolicy": retry_policy}
        Path("skills/failing/skill.json").write_text(json.dumps(manifest))
    ended = aeon("skill", "run", *flags, "--json", "failing/fail.sh")

    node = json.loads(ended.out)["executionTrace"][0]
    assert (node["error"]["type"], node["retryCount"] + 1) == ("exit_code", attempts)
    if "--allow-write" in flags:
        assert Path("tries.txt").read_text() == "tried\n" * attempts


def test_a_refusal_names_the_command_that_grants_the_folder(aeon, plan):
    published("maker", "make.sh", WRITES)
    Path("out").mkdir()
    ended = aeon("skill", "run", "--sandbox", "require", "maker/make.sh", "out")

    said = " ".join(ended.err.split())
    assert f"aeon skill trust maker --allow-write {Path('out').absolute()}" in said
    assert f"aeon skill run --allow-write {Path('out').absolute()}" in said


@pytest.mark.parametrize("level", ["landlock", "bubblewrap"])
def test_a_script_without_the_network_is_not_repeated_and_names_the_grant(aeon, port, level):
    published("dialer", "call.py", CONNECTS)
    ended = aeon("skill", "run", "--sandbox", level, "dialer/call.py", port)

    assert ended.code == 1
    assert "attempt 2" not in ended.err
    said = " ".join(ended.err.split())
    assert "the network is not granted" in said
    assert "aeon skill trust dialer --allow-network" in said


def test_the_kernel_names_commands_for_a_skill_that_is_not_trusted(aeon, monkeypatch):
    monkeypatch.delenv("AEON_SKILLS_TRUST_PROJECT", raising=False)
    published("dialer", "call.py", CONNECTS)
    ended = aeon("tool", "call", "dialer.call", "--input", '{"args": ["1"]}')

    said = " ".join(ended.err.split())
    assert "`aeon skill trust dialer`" in said
    assert "then trust the skill dialer" not in said
    assert "--allow-write" not in said
    plan = {"goal": "g", "steps": [{"step_id": "s", "description": "d", "tool": "dialer.call", "arguments": {}}]}
    Path("by-hand.json").write_text(json.dumps(plan))
    assert "`aeon skill trust dialer`" in " ".join(aeon("run", "--plan", "by-hand.json").err.split())
