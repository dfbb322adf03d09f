"""`aeon skill run NAME/script.py --args`: one script without a plan file (skills 9, issue S12)."""

import json
import shutil
from pathlib import Path

import pytest
from tests.wheels import offline_uv, write_wheel

from aeon.cli.skills.script_words import names_script

SHOWS = """#!/usr/bin/env python3
import sys
print(" ".join(sys.argv[1:]))
"""


@pytest.fixture
def shower() -> None:
    folder = Path("skills/shower/scripts")
    folder.mkdir(parents=True)
    (folder.parent / "SKILL.md").write_text("---\nname: shower\ndescription: Shows words.\n---\nRun it.\n")
    (folder / "show.py").write_text(SHOWS)


@pytest.mark.parametrize("name", ["shower/show.py", "shower/scripts/show.py", "shower/show"])
def test_all_that_follows_the_script_goes_to_it_skills_9(aeon, shower, name):
    ended = aeon("skill", "run", "--sandbox", "auto", name, "--json", "-x", "a b", "-h", "-o", "yaml", "--input", "n=1")

    assert ended.code == 0, ended.err
    assert ended.out == "--json -x a b -h -o yaml --input n=1\n"


@pytest.mark.parametrize("name", ["shower/show all.py", "shower/scripts/show all.py"])
def test_the_name_of_a_script_may_have_blanks(aeon, shower, name):
    Path("skills/shower/scripts/show.py").rename("skills/shower/scripts/show all.py")
    ended = aeon("skill", "run", "--sandbox", "auto", name, "--json", "-x", "a b")

    assert (ended.code, ended.out) == (0, "--json -x a b\n"), ended.err


@pytest.mark.parametrize("request_", ["either/or this week", "Explain skills/shower/show all.py", "read/write 2.5"])
def test_a_request_with_a_slash_names_no_script(request_):
    assert not names_script(request_)


def test_options_of_aeon_stand_before_the_script(aeon, shower):
    ended = aeon("skill", "run", "--json", "--input", "n=2", "shower/show.py", "last")

    assert ended.json["executionTrace"][0]["output"] == {"text": "-n 2 last\n"}


def test_an_input_that_is_true_is_a_flag_and_a_number_keeps_its_digits(aeon, shower):
    ended = aeon("skill", "run", "--input", "verbose=true", "--input", "price=1.50", "shower/show.py")
    assert ended.out == "--verbose --price 1.50\n"


def test_the_history_names_the_script_that_ran(aeon, shower):
    aeon("skill", "run", "shower/show.py", "hi")
    assert aeon("log", "list").cells("KIND", "WHAT") == [("skill", "shower/scripts/show.py")]
    assert aeon("log", "show", "last").out.startswith("completed: shower/scripts/show.py\n")


@pytest.mark.parametrize("words", [("--count", "3"), ("extra",)], ids=["an option", "a word"])
def test_a_declared_script_takes_no_arguments(aeon, words):
    ended = aeon("skill", "run", "dice-roller/roll", *words)

    assert ended.code == 2
    assert f"takes no arguments such as {words[0]!r}" in " ".join(ended.err.split())


def test_a_declared_script_gets_its_input_by_name_json_and_file(aeon):
    Path("in.json").write_text(json.dumps({"notation": "3d6"}))
    ended = aeon("skill", "run", "--json", "dice-roller/roll", "--input", "notation=2d6", "--input", "@in.json")

    assert ended.code == 0, ended.err
    assert ended.json["executionTrace"][0]["output"]["dice"]["notation"] == "3d6"


@pytest.mark.parametrize("written", ["no-equals", "{", "@nowhere.json", "[1]"])
def test_an_input_that_cannot_be_read_is_code_2(aeon, written):
    assert aeon("skill", "run", "--input", written, "dice-roller/roll").code == 2


def test_an_unknown_script_is_code_2_with_the_closest(aeon, shower):
    ended = aeon("skill", "run", "shower/shaw.py")

    assert ended.code == 2
    assert "Did you mean 'shower/scripts/show.py'?" in " ".join(ended.err.split())


def test_what_is_piped_in_is_the_stdin_of_a_published_script(aeon, process):
    folder = Path("skills/counter/scripts")
    folder.mkdir(parents=True)
    (folder.parent / "SKILL.md").write_text("---\nname: counter\ndescription: Counts.\n---\nRun it.\n")
    (folder / "count.sh").write_text("#!/bin/sh\nwc -c\n")

    assert process("skill", "run", "counter/count.sh", stdin=b"a\nbc").out.strip() == "4"
    assert process("skill", "run", "--input", "stdin=x", "counter/count.sh", stdin=b"abc").out.strip() == "1"
    assert process("skill", "run", "--no-input", "counter/count.sh", stdin=b"abc").out.strip() == "0"
    assert process("skill", "run", "--input", "notation=2d6", "dice-roller/roll", stdin=b"abc").code == 0


def test_a_file_that_vanishes_with_the_sandbox_s_tmp_is_warned_of(aeon, tmp_path):
    folder = Path("skills/saver/scripts")
    folder.mkdir(parents=True)
    (folder.parent / "SKILL.md").write_text("---\nname: saver\ndescription: Saves.\n---\nRun it.\n")
    (folder / "save.sh").write_text('#!/bin/sh\necho saved > "$1"\n')
    lost = f"/tmp/{tmp_path.name}.txt"  # noqa: S108  # the sandbox's own, not this machine's
    ended = aeon("skill", "run", "--sandbox", "bubblewrap", "saver/save.sh", lost)

    assert ended.code == 0
    assert f"what it wrote to {lost} is lost" in " ".join(ended.err.split())
    kept = aeon("skill", "run", "--sandbox", "bubblewrap", "--allow-write", tmp_path, "saver/save.sh", tmp_path / "k")
    assert (kept.code, (tmp_path / "k").read_text()) == (0, "saved\n")
    assert "is lost" not in kept.err


def test_a_plan_on_stdin_is_a_plan_and_words_are_a_request(aeon, shower):
    plan = {"tools": [{"toolId": "a", "toolPath": "shower/scripts/show.py", "input": {"args": ["hi"]}}]}

    assert aeon("skill", "run", "-", stdin=json.dumps(plan).encode()).out == "hi\n"
    assert aeon("skill", "run", "Roll", "3d6", stdin=b"").code == 0
    assert aeon("skill", "run", "-", stdin=b"Roll 3d6").code == 0


def test_a_plan_of_another_program_runs_and_what_was_assumed_is_said(aeon, shower):
    """Issue S11: comments, and defaults of `parallel` and `async` that are the other way round there."""
    node = {"$comment": "first", "toolId": "a", "toolPath": "skills/shower/scripts/show.py", "input": {"args": ["hi"]}}
    Path("plan.json").write_text(json.dumps({"$comment": "by hand", "requestId": "r", "tools": [node]}))
    ended = aeon("skill", "run", "plan.json")

    assert (ended.code, ended.out) == (0, "hi\n")
    said = " ".join(ended.err.split())
    assert "comments in it were ignored" in said
    assert "parallel and async were assumed to be true" in said


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed: apt-get install nodejs")
@pytest.mark.parametrize(("name", "source"), [("a.js", "require('left-pad')"), ("b.mjs", "import pad from '@s/pad/x'")])
def test_a_missing_package_of_node_is_named_without_a_stack_trace_skills_16(aeon, name, source):
    folder = Path("skills/padder")
    (folder / "scripts").mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: padder\ndescription: Pads.\n---\nRun it.")
    (folder / "package.json").write_text('{"dependencies": {"left-pad": "1"}}')
    (folder / "scripts" / name).write_text(source)
    ended = aeon("skill", "run", f"padder/{name}")

    said = " ".join(ended.err.split())
    assert ended.code == 1
    assert (
        f"needs the Node.js package '{'left-pad' if name == 'a.js' else '@s/pad'}', which Aeon does not install" in said
    )
    assert "Run `npm install` in the folder of the skill" in said
    assert "attempt 2" not in said
    assert "Node.js v" not in said


def test_a_script_imports_folders_of_its_skill_as_python_m_does_skills_9(aeon):
    """Published scripts say `from scripts.words import WORD`; their SKILL.md says `python -m scripts.show`."""
    scripts = Path("skills/shower/scripts")
    scripts.mkdir(parents=True)
    (scripts.parent / "SKILL.md").write_text("---\nname: shower\ndescription: Shows.\n---\nRun it.")
    (scripts / "words.py").write_text("WORD = 'hello'")
    (scripts / "show.py").write_text("from scripts.words import WORD\nprint(WORD)")

    assert aeon("skill", "run", "shower/show.py").out == "hello\n"


def test_packages_that_are_named_are_installed_and_it_is_said_skills_16(aeon, tmp_path, monkeypatch):
    for name, value in offline_uv(write_wheel(tmp_path / "wheels")).items():
        monkeypatch.setenv(name, value)
    scripts = Path("skills/packed/scripts")
    scripts.mkdir(parents=True)
    (scripts.parent / "SKILL.md").write_text("---\nname: packed\ndescription: Shows.\n---\nRun it.")
    (scripts / "show.py").write_text("import tinypack\nprint(tinypack.WORD)")

    missing = aeon("skill", "run", "packed/show.py")
    assert "others with --with PACKAGE" in " ".join(missing.err.split())
    first, second = (aeon("skill", "run", "--with", "tinypack", "packed/show.py") for _ in range(2))
    assert (first.code, first.out) == (0, "from the package\n"), first.err
    assert first.err.count("installing packages: tinypack") == 1
    assert "installing packages" not in second.err

    trusted = aeon("skill", "trust", "packed", "--with", "tinypack")
    assert "granting the package tinypack" in trusted.out
    assert aeon("skill", "run", "packed/show.py").out == "from the package\n"
