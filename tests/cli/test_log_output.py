"""`aeon --log-level`: the standard logging on stderr."""

import logging

import pytest

from aeon.base.loggers import room_logger
from aeon.cli.entrypoint import run
from aeon.cli.log_output import show_log

PLAN = '{"goal": "say", "steps": [{"step_id": "s", "description": "say", "tool": "echo", "arguments": {"text": "hi"}}]}'


@pytest.fixture(autouse=True)
def _restored():
    logger = logging.getLogger("aeon")
    handlers, level = list(logger.handlers), logger.level
    yield
    logger.handlers[:] = handlers
    logger.setLevel(level)


@pytest.fixture
def plan(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "plan.json").write_text(PLAN)
    return "plan.json"


def test_a_command_shows_no_log_by_default(plan, capsys):
    assert run(["run", "--plan", plan]) == 0
    assert "aeon.kernel" not in capsys.readouterr().err


@pytest.mark.parametrize("argv", [["--log-level", "debug"], []])
def test_a_level_shows_the_records_with_their_run(plan, capsys, monkeypatch, argv):
    if not argv:
        monkeypatch.setenv("AEON_LOG", "debug")
    assert run([*argv, "run", "--plan", plan, "--log", "told.jsonl"]) == 0
    captured = capsys.readouterr()
    assert captured.out == "hi\n"
    assert "INFO aeon.kernel [told] plan supplied: 1 steps" in captured.err
    assert "DEBUG aeon.tools [told] tool echo answered" in captured.err


def test_a_level_that_is_none_is_refused(plan, capsys):
    assert run(["--log-level", "loud", "run", "--plan", plan]) == 2
    assert "loud" in capsys.readouterr().err


def test_warnings_that_no_command_reports_are_always_shown(capsys):
    show_log(None)
    room_logger("engine").warning("a worker is gone")
    room_logger("kernel").warning("shown by the display")
    assert capsys.readouterr().err == "a worker is gone\n"
