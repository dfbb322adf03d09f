"""Whatever is given to `aeon skill`: a clear error, the right code, no trace of Python, nothing lost or left over."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SAY = "talker/scripts/say.sh"
ENTRY = {"toolId": "a", "toolPath": SAY}


def told(ended) -> str:
    assert "Traceback" not in ended.err
    assert "does not expect" not in ended.err
    return " ".join(ended.err.split())


@pytest.fixture
def talker(skill) -> Path:
    return skill("talker", say="speaks", fail="fails")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b" \n\t", "is empty"),
        (b"[1", "is not JSON"),
        (b"\xff\xfe\x00", "not text (UTF-8)"),
        (b'{"tools": [], "tools": []}', "is not JSON"),
        (b'{"tools": NaN}', "is not JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[]", "$: must be a JSON object"),
        (b'"tools"', "$: must be a JSON object"),
        (b"{}", "$.tools: is missing"),
        (b'{"tools": 3}', "$.tools"),
        (b'{"tools": [{"toolId": "a b", "toolPath": "x"}]}', "$.tools[0].toolId: must have no spaces"),
        (b'{"tols": []}', "$.tols: unknown field; known are requestId, narrative, tools"),
        (b"\0" * 300_000, "is not JSON"),
    ],
    ids=lambda value: str(value[:20]) if isinstance(value, bytes) else "",
)
def test_a_file_that_is_no_plan_is_code_2(aeon, content, said):
    Path("p.json").write_bytes(content)
    is_json = content.lstrip()[:1] in (b"{", b"[")  # anything else on stdin is a request
    for argument, stdin in [("p.json", b""), *([("-", content)] if is_json else [])]:
        ended = aeon("skill", "run", argument, stdin=stdin)
        assert (ended.code, ended.out) == (2, "")
        assert said in told(ended)
    assert not Path(".aeon").exists(), "nothing ran, so there is nothing to keep"


def test_every_mistake_of_form_is_said_at_once(aeon):
    Path("p.json").write_text('{"tols": 1, "tools": [{"toolId": "", "x": 1}], "metadata": {"generationAttempt": 0}}')
    said = told(aeon("skill", "run", "p.json"))
    for path in ("$.tols", "$.tools[0].toolId", "$.tools[0].toolPath", "$.tools[0].x", "$.metadata.generationAttempt"):
        assert path in said


@pytest.mark.parametrize(("path", "said"), [("none.json", "No such file"), ("f/x.json", "Not a")])
def test_a_place_that_holds_no_plan_is_code_2(aeon, path, said):
    Path("f").touch()
    for command in (("skill", "run"), ("log", "replay")):
        ended = aeon(*command, path)
        assert (ended.code, ended.out) == (2, "")
        assert said in told(ended)


@pytest.mark.slow
def test_a_file_larger_than_is_read_is_refused_without_reading_it_all(aeon):
    with Path("big.json").open("wb") as file:
        file.truncate(1_000_000_000)
    with Path("big.json").open("r+b") as file:
        file.write(b'{"tools": [')
    ended = aeon("skill", "run", "big.json")
    assert ended.code == 2
    assert "characters, the limit" in told(ended)


def test_every_fault_of_a_plan_is_said_at_once_before_anything_runs(aeon, talker, plan):
    """Skills 7: unknown dependency, duplicate, unknown script, bad input, cycle, bad reference; each as what it is."""
    roll = "dice-roller/scripts/roll.sh"
    wrong = plan(
        ("ok", SAY),
        ("a", roll, {"input": {"notation": "nope"}, "dependencies": ["zz"]}),
        ("a", "dice-roler/scripts/roll.sh"),
        ("c", roll, {"dependencies": ["d"]}),
        ("d", roll, {"dependencies": ["c"]}),
        ("e", SAY, {"input": {"path": "{tool.q.x}"}}),
    )
    ended = aeon("skill", "run", wrong)
    said = told(ended)
    assert (ended.code, ended.out) == (2, "")
    assert "it has 7 problem(s)" in said
    for fault in (
        "unknown_dependency: $.tools[1].dependencies[0]: 'zz' is not a node",
        "invalid_input: $.tools[1].input.notation",
        "duplicate_id: $.tools[2].toolId",
        "unknown_script: $.tools[2].toolPath: 'dice-roler/scripts/roll.sh' is not a script of any skill; did you mean",
        "circular_dependency: $.tools[3].dependencies[0]: depends on itself: c -> d -> c",
        "unknown_reference: $.tools[5].input.path",
    ):
        assert fault in said
    assert not (talker / "data").exists(), "not even the sound node ran"
    problems = aeon("skill", "run", wrong, "--json").json["error"]["problems"]
    assert [problem["type"] for problem in problems][:2] == ["unknown_dependency", "invalid_input"]


@pytest.mark.parametrize(
    "path", ["talker/scripts/../scripts/say.sh", "talker/scripts/say.sh\0", "talker/scripts/say .sh", "/bin/sh", " "]
)
def test_nothing_is_run_but_a_script_that_was_found(aeon, talker, plan, path):
    """Skills 7: nothing else is ever executed, whatever the path holds."""
    ended = aeon("skill", "run", plan(("a", path)))
    assert ended.code == 2
    assert "unknown_script" in told(ended)


def test_a_script_with_spaces_in_its_name_runs(aeon, plan):
    folder = Path("skills/spacy")
    (folder / "scripts").mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: spacy\ndescription: Has spaces.\n---\n")
    (folder / "scripts" / "a b.sh").write_text('#!/bin/sh\necho "said $1"\n')
    ended = aeon("skill", "run", plan(("a", "spacy/scripts/a b.sh", {"input": {"args": ["; exit 3"]}})))
    assert ended.code == 0
    assert "said ; exit 3" in ended.out
    ended = aeon("skill", "run", plan(("a", "spacy/scripts/a b.sh", {"input": {"args": ["x\0y"]}})))
    assert ended.code == 1
    assert "NUL" in told(ended)


def test_ten_thousand_nodes_are_checked_and_a_few_faults_shown(aeon, talker, plan):
    """Skills 7: linear in nodes."""
    ended = aeon("skill", "run", plan(*((f"n{n}", "no/where") for n in range(10_000))))
    assert ended.code == 2
    assert "it has 10,000 problem(s)" in told(ended)
    assert "and 9,980 more" in told(ended)
    assert len(ended.err.splitlines()) < 150


@pytest.mark.slow
def test_ten_thousand_nodes_that_cannot_all_run_in_time_are_counted(aeon, talker, plan):
    """Skills 4: what the deadline leaves is not begun, and not told one by one."""
    nodes = [(f"n{n}", SAY) for n in range(10_000)]
    ended = aeon("skill", "run", plan(*nodes), "--timeout", 0.2)
    assert ended.code == 1
    assert "more" in ended.err.partition("not run: n")[2]
    assert "not run: n" in ended.err
    assert len(ended.err.splitlines()) < 1_000


@pytest.mark.slow
def test_a_chain_of_a_thousand_is_no_recursion(aeon, talker, plan):
    chain = [(f"n{n}", SAY, {"dependencies": [f"n{n - 1}"] if n else []}) for n in range(1000)]
    ended = aeon("skill", "run", plan(*chain), "--timeout", 1)
    assert ended.code == 1
    assert "[n0] completed" in ended.err
    circle = [*chain[1:], ("n0", SAY, {"dependencies": ["n999"]})]
    ended = aeon("skill", "run", plan(*circle))
    assert ended.code == 2
    assert "circular_dependency" in told(ended)


def test_a_script_that_is_gone_is_said_with_its_skill(aeon, talker, plan):
    """Skills 13: a missing script is a permanent failure of its skill."""
    (talker / "scripts" / "say.sh").unlink()
    ended = aeon("skill", "run", plan(("a", SAY)))
    assert ended.code == 2
    assert "the skill 'talker' is permanentFailure; the notes about the skills say why" in told(ended)
    assert "say.sh" in aeon("skill", "check").out


def test_a_script_deleted_between_plan_and_run_fails_its_node(aeon, skill, talker, plan):
    """Skills 7 was true when it was checked; the run goes on."""
    script = (talker / "scripts" / "say.sh").absolute()
    skill(
        "thief",
        steal=f"""#!/bin/sh
rm '{script}'
echo '{{"version": "0", "type": "done", "ok": true}}'
""",
    )
    nodes = ("t", "thief/scripts/steal.sh"), ("a", SAY, {"dependencies": ["t"]}), ("b", "dice-roller/scripts/roll.sh")
    ended = aeon("skill", "run", plan(*nodes), "--sandbox", "plain")
    assert ended.code == 1
    assert "cannot_start" in told(ended)
    assert "say.sh" in told(ended)
    assert "failed: a\n" in ended.err


def test_two_skills_of_one_name_and_the_first_counts(aeon, skill):
    """Skills 9."""
    skill("talker", say="speaks")
    skill("talker", folder=".agents/skills", say="fails")
    ended = aeon("skill", "check")
    assert ended.code == 1
    assert "another skill 'talker'" in ended.out
    assert str(Path("skills/talker")) in aeon("skill", "show", "talker").out


def test_folders_that_cannot_be_read_do_not_hide_the_others(aeon, talker):
    """The issue's bad input: a loop of links, a link to itself, a huge SKILL.md, a manifest with every field wrong."""
    Path("skills/loop").symlink_to(".")
    Path("skills/self").symlink_to("self")
    Path("skills/huge").mkdir()
    with Path("skills/huge/SKILL.md").open("wb") as file:
        file.truncate(1_000_000_000)
    Path("skills/wrong").mkdir()
    fields = (
        "displayName",
        "author",
        "license",
        "homepage",
        "prompt",
        "configSchema",
        "description",
        "version",
        "name",
    )
    script = {"name": 1, "path": "../x", "description": 2, "inputSchema": 3, "timeout": "a", "required": "maybe"}
    wrong = {**dict.fromkeys(fields, 1), "scripts": [script], "capabilities": 1, "dependencies": {}, "priority": 1000}
    Path("skills/wrong/skill.json").write_text(json.dumps(wrong))
    ended = aeon("skill", "check")
    assert ended.code == 1
    assert told(ended) == "4 note(s)"
    for said in ("is the same folder as", "Too many levels", "is larger than", *(f"$.{name}:" for name in fields)):
        assert said in ended.out
    listed = aeon("skill", "list")
    assert listed.code == 0
    assert listed.out.splitlines()[1].startswith("talker ")


def test_a_folder_that_may_not_be_read_is_said(talker):
    Path("skills/secret").mkdir(mode=0)
    ended = subprocess.run(
        [*without_the_right_to_read_all(), sys.executable, "-m", "aeon", "skill", "check"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 1, ended.stderr
    assert "cannot be listed (Permission denied)" in ended.stdout


def without_the_right_to_read_all() -> list[str]:
    """What takes root's right to read what it may not from the command behind it."""
    if os.geteuid() != 0:
        return []
    taken = "-dac_override,-dac_read_search"
    return ["setpriv", f"--bounding-set={taken}", f"--inh-caps={taken}"]


def test_a_skills_folder_that_is_a_file_is_said(aeon):
    Path("skills").write_text("not a folder")
    assert aeon("skill", "list").code == 0
    assert "cannot be listed" in aeon("skill", "check").out


@pytest.mark.parametrize(
    "content", ['{"tone": "wa', "[]", '{"tone": "${UNSET}"}', '{"tone": "${HOME}"}', '{"tone": 3}']
)
def test_settings_that_cannot_be_used_leave_the_skill_out_with_the_reason(aeon, skill, plan, content):
    """Skills 10: half a file, a variable that is unset or not listed, a wrong type: degraded, with a warning."""
    schema = {"type": "object", "properties": {"tone": {"type": "string"}}, "x-env": ["UNSET"]}
    made = skill("talker", config_schema=schema, say="speaks")
    (made / "config.json").write_text(content)
    assert "degraded" in aeon("skill", "list").out
    assert "config.json" in aeon("skill", "check").out
    ended = aeon("skill", "run", plan(("a", SAY)))
    assert ended.code == 2
    assert "the skill 'talker' is degraded by its settings: " in told(ended)
    assert "aeon skill config talker --set NAME=VALUE" in told(ended)
    ended = aeon("skill", "config", "talker")
    assert ended.code == 1
    assert "error: " in ended.err


@pytest.mark.parametrize("place", ["--trace file/t.json", "--trace folder", "log_dir"])
def test_a_trace_that_cannot_be_kept_is_said_before_anything_runs(aeon, talker, plan, monkeypatch, place):
    Path("file").write_text("mine")
    Path("folder").mkdir()
    if place == "log_dir":
        monkeypatch.setenv("AEON_RUN_LOG_DIR", "file")
    ended = aeon("skill", "run", plan(("a", SAY)), *(place.split() if place != "log_dir" else []))
    assert (ended.code, ended.out) == (1, "")
    assert "error: The trace " in ended.err
    assert "next: Choose another path with --trace" in ended.err
    assert not (talker / "data").exists()
    assert list(Path("folder").iterdir()) == []


def test_what_is_missing_to_run_scripts_is_named(aeon, talker, plan, uninstall):
    uninstall("msgspec")
    assert aeon("skill", "list").code == 0, "looking takes nothing"
    ended = aeon("skill", "run", plan(("a", SAY)))
    assert (ended.code, ended.out) == (1, "")
    assert "next: Run: pip install 'aeon-orchestrator[skills]'" in told(ended)
    assert list(Path(".aeon/logs").iterdir()) == []


LIMITED = """
import os, resource, signal, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
os.execv(sys.executable, [sys.executable, "-m", "aeon", *sys.argv[2:]])
"""
"""Runs the command with no file larger than so many bytes: to the command, a disk that is full."""


@pytest.mark.slow
def test_a_disk_that_is_full_does_not_take_the_answer(skill, plan):
    lines = "\n".join(
        f"echo '{json.dumps({'version': '0', 'type': 'log', 'level': 'info', 'message': 'x' * 900})}'"
        for _ in range(40)
    )
    skill(
        "chatty",
        say=f"""#!/bin/sh
{lines}
echo '{{"version": "0", "type": "done", "ok": true, "summary": "said a lot"}}'
""",
    )
    ended = subprocess.run(
        [sys.executable, "-c", LIMITED, "30000", "skill", "run", str(plan(("a", "chatty/scripts/say.sh")))],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    said = " ".join(ended.stderr.split())
    assert (ended.returncode, ended.stdout) == (1, "said a lot\n")
    assert "error: The trace could not be written to .aeon/logs/" in said
    assert "File too large" in said
    assert list(Path(".aeon/logs").iterdir()) == [], "a trace is whole or not there"


@pytest.mark.slow
@pytest.mark.parametrize("argv", [["skill", "run", "-"], ["log", "replay", "-"], ["run", "-"]])
def test_a_closed_stdin_is_code_2(argv):
    ended = subprocess.run(
        ["/bin/sh", "-c", 'exec "$0" -m aeon "$@" <&-', sys.executable, *argv],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 2
    assert "stdin is closed" in ended.stderr


@pytest.mark.slow
@pytest.mark.parametrize("stdout", ["full", "closed"])
def test_an_answer_that_cannot_be_given_is_kept_in_the_trace(talker, plan, stdout):
    target = "> /dev/full" if stdout == "full" else ">&-"
    ended = subprocess.run(
        ["/bin/sh", "-c", f'exec "$0" -m aeon "$@" {target}', sys.executable, "skill", "run", str(plan(("a", SAY)))],
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert ended.returncode == (1 if stdout == "full" else 0)
    assert "Traceback" not in ended.stderr
    (trace,) = Path(".aeon/logs").iterdir()
    assert json.loads(trace.read_text())["success"] is True


def test_a_trace_goes_where_it_is_wanted_and_replaces_no_pipe_or_link(talker, plan):
    os.mkfifo("pipe")
    Path("real.json").touch()
    Path("link.json").symlink_to("real.json")
    with subprocess.Popen(["/bin/cat", "pipe"], stdout=subprocess.PIPE) as reader:
        command = [sys.executable, "-m", "aeon", "skill", "run", str(plan(("a", SAY))), "--trace"]
        assert subprocess.run([*command, "pipe"], capture_output=True, timeout=60, check=False).returncode == 0
        assert json.loads(reader.communicate(timeout=60)[0])["success"] is True
    assert subprocess.run([*command, "link.json"], capture_output=True, timeout=60, check=False).returncode == 0
    assert Path("pipe").is_fifo()
    assert Path("link.json").is_symlink()
    assert json.loads(Path("real.json").read_text())["success"] is True


def test_a_skill_behind_a_link_runs_as_any_other(aeon, skill, plan):
    """Skills 9, 11: what an isolated script is shown has no links into it."""
    skill("talker", folder="elsewhere", say="speaks")
    Path("skills").mkdir()
    Path("skills/talker").symlink_to("../elsewhere/talker")
    ended = aeon("skill", "run", plan(("a", SAY)))
    assert ended.code == 0, ended.err


def test_an_answer_is_written_whole_and_in_its_own_letters(aeon, skill, plan):
    made = skill("talker", say='head -c 9000 /dev/zero | tr "\\0" x; echo " Zoë"')
    (made / "skill.json").unlink()
    (made / "SKILL.md").write_text("---\nname: talker\ndescription: talks\n---\n")
    ended = aeon("skill", "run", plan(("a", SAY)))
    assert ended.out == "x" * 9000 + " Zoë\n"


def test_what_an_export_would_mix_up_is_refused_before_it(aeon, skill):
    for name in ("a-b", "a--b"):
        skill(name, say="speaks")
    ended = aeon("skill", "export", "out", "a-b", "a--b", "--force")
    assert ended.code != 0
    assert "the same name in the standard's form: 'a-b' and 'a--b' as 'a-b'" in told(ended)
    assert not Path("out").exists()
    ended = aeon("skill", "export", "skills/a-b/out", "a-b")
    assert ended.code != 0
    assert "inside the skill's own folder" in told(ended)
