"""Skills without scripts at every door: `aeon skill run`, `/name`, `aeon run`, `aeon mcp` (skills 14)."""

from pathlib import Path

import pytest


@pytest.fixture
def pirate() -> Path:
    folder = Path("skills/pirate")
    folder.mkdir(parents=True)
    text = "---\nname: pirate\ndescription: Rewrites a text as a pirate would say it.\n---\nSay arr before $ARGUMENTS."
    (folder / "SKILL.md").write_text(text)
    return folder


def told(text: str) -> str:
    return " ".join(text.split())


def test_it_is_chosen_by_the_planner_and_followed_skills_14(aeon, double, pirate):
    server = double({"skills": ["pirate"]}, "Arr, hello.")
    ended = aeon("skill", "run", "Say hello as a pirate")

    assert (ended.code, ended.out) == (0, "Arr, hello.\n")
    assert "Say arr before Say hello as a pirate." in str(server.requests[1])


def test_it_is_called_by_name_skills_14(aeon, double, pirate):
    server = double("Arr, hello.")
    ended = aeon("skill", "run", "/pirate", "hello", "there")

    assert (ended.code, ended.out) == (0, "Arr, hello.\n")
    assert "Say arr before hello there." in str(server.requests[0])


def test_aeon_run_follows_it_by_name_skills_14(aeon, double, pirate):
    server = double("Arr, hello.")
    ended = aeon("run", "/pirate hello there")

    assert ended.code == 0, ended.err
    assert "Arr, hello." in ended.out
    assert "Say arr before hello there." in str(server.requests[0])


def test_aeon_run_offers_it_as_a_tool_after_the_common_ones_skills_14(aeon, double, pirate):
    step = {"step_id": "s1", "description": "rewrite it as a pirate", "tool": "pirate.follow"}
    step["arguments"] = {"request": "Say hello as a pirate"}
    server = double({"goal": "Say hello as a pirate", "steps": [step]}, "Arr, hello.", "Arr, hello.")
    ended = aeon("run", "Say hello as a pirate")

    assert "pirate.follow" in str(server.requests[0])
    assert "Arr, hello." in ended.out, ended.err


@pytest.mark.parametrize("command", [("skill", "run"), ("run",)])
def test_a_skill_of_the_project_is_not_followed_before_it_is_trusted(aeon, double, pirate, monkeypatch, command):
    monkeypatch.delenv("AEON_SKILLS_TRUST_PROJECT")
    server = double("Arr.", "Arr.", "Arr.")
    ended = aeon(*command, "/pirate hello")

    assert ended.code != 0
    assert "you have not trusted its current files" in told(ended.err)
    assert "Say arr" not in str(server.requests)


def test_a_skill_that_is_only_for_the_model_is_not_called_by_name(aeon, double, pirate):
    text = (pirate / "SKILL.md").read_text().replace("\n---\nSay", "\nuser-invocable: false\n---\nSay")
    (pirate / "SKILL.md").write_text(text)
    double()

    for command in (("skill", "run"), ("run",)):
        ended = aeon(*command, "/pirate hello")
        assert ended.code == 2
        assert "not meant to be called by name" in told(ended.err)


def test_a_skill_that_is_only_for_the_user_is_not_shown_to_the_planner(aeon, double, pirate):
    text = (pirate / "SKILL.md").read_text().replace("\n---\nSay", "\ndisable-model-invocation: true\n---\nSay")
    (pirate / "SKILL.md").write_text(text)
    server = double({"skills": ["none"]}, "Hello.", "Arr.")

    assert aeon("skill", "run", "Say hello as a pirate").code == 0
    assert "pirate would" not in str(server.requests[0])
    assert aeon("skill", "run", "/pirate hello").out == "Arr.\n"
