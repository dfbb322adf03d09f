"""`write_file` on a terminal: the user is asked about a file elsewhere; without a terminal nobody is."""

import json
import re
from pathlib import Path

import pytest

QUESTION = "Write letters/sum.txt? [y/N]"


@pytest.fixture
def writing() -> Path:
    """A plan that writes into a folder that was not allowed."""
    step = {"step_id": "w", "description": "write", "tool": "write_file"}
    step["arguments"] = {"path": "letters/sum.txt", "text": "the sum"}
    Path("letters").mkdir()
    Path("w.json").write_text(json.dumps({"goal": "write the sum", "steps": [step]}))
    return Path("w.json")


def plain(seen: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", seen).replace("\r", "\n")


@pytest.mark.slow
def test_the_user_is_asked_and_says_yes(terminal, writing):
    code, seen = terminal("run", "--plan", writing, typed="y\n")
    assert code == 0, seen
    assert QUESTION in plain(seen)
    assert Path("letters/sum.txt").read_text() == "the sum"
    assert "[1/1] complete w: write" in plain(seen), "the display goes on"


@pytest.mark.slow
@pytest.mark.parametrize("answer", ["n\n", "\n", "maybe\n"])
def test_anything_but_yes_writes_nothing(terminal, writing, answer):
    code, seen = terminal("run", "--plan", writing, typed=answer)
    assert code == 1
    assert QUESTION in plain(seen)
    assert "you did not allow it" in " ".join(plain(seen).split())
    assert not Path("letters/sum.txt").exists()


@pytest.mark.slow
@pytest.mark.parametrize("option", ["--no-input", "-q"])
def test_who_wants_no_questions_is_not_asked(terminal, writing, option):
    code, seen = terminal("run", "--plan", writing, option, typed="y\n")
    assert code == 1
    assert QUESTION not in plain(seen)
    assert not Path("letters/sum.txt").exists()


def test_without_a_terminal_nobody_is_asked(aeon, writing):
    ended = aeon("run", "--plan", writing, stdin=b"y\n")
    assert ended.code == 1
    assert QUESTION not in ended.err
    assert "--allow-write" in ended.err
    assert not Path("letters/sum.txt").exists()


@pytest.mark.slow
def test_ctrl_c_at_the_question_ends_the_run_and_writes_nothing(terminal, writing):
    code, seen = terminal("run", "--plan", writing, until=QUESTION)
    assert code == 130
    assert "interrupted" in plain(seen)
    assert not Path("letters/sum.txt").exists()
