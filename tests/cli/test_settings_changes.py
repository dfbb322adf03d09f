"""`aeon init`, `aeon config get|set|edit` and `aeon model use|remove`: settings files that are made and changed."""

import tomllib
from pathlib import Path

import pytest

from aeon.settings import KEYS
from aeon.settings.files import commented_settings


def test_a_new_project_has_every_setting_as_a_comment(aeon):
    first, second = aeon("init"), aeon("init")
    assert (first.code, second.code) == (0, 0)
    text = Path("aeon.toml").read_text()
    assert all(f"# {key.partition('.')[2]} = " in text for key in KEYS)
    assert "made aeon.toml" in first.err
    assert "made" not in second.err
    assert not any(tomllib.loads(text).values())


def test_init_never_overwrites(aeon):
    Path("aeon.toml").write_text("# mine\n")
    assert aeon("init").code == 0
    assert Path("aeon.toml").read_text() == "# mine\n"


def test_every_setting_of_a_new_file_is_valid_as_it_is_shown(aeon):
    lines = commented_settings().splitlines()
    shown = [line.removeprefix("# ") if " = " in line else line for line in lines if '= ""' not in line]
    Path("aeon.toml").write_text("\n".join(line for line in shown if line.startswith("[") or " = " in line))
    assert aeon("config", "list").code == 0


def test_a_setting_is_changed_and_comments_stay(aeon):
    Path("aeon.toml").write_text("# mine\n[run]\nttl = 3  # few\n")
    assert aeon("config", "set", "run.ttl", "7").code == 0
    assert Path("aeon.toml").read_text() == "# mine\n[run]\nttl = 7  # few\n"
    assert aeon("config", "get", "run.ttl").out == "7\n"
    assert aeon("config", "get", "run.ttl", "--json").json["origin"] == str(Path("aeon.toml").absolute())


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["set", "run.ttl", "0"], "run.ttl is wrong"),
        (["set", "run.ttll", "4"], "Did you mean run.ttl?"),
        (["get", "run.ttll"], "Did you mean run.ttl?"),
        (["set", "skills.allow_network", "true"], "a project's file may not make one"),
        (["edit"], "An editor needs a terminal"),
    ],
)
def test_what_is_not_valid_changes_nothing(aeon, argv, said):
    Path("aeon.toml").write_text("[run]\nttl = 3\n")
    ended = aeon("config", *argv)
    assert (ended.code, said in " ".join(ended.err.split())) == (2, True)
    assert Path("aeon.toml").read_text() == "[run]\nttl = 3\n"


def test_the_users_own_file_is_changed_where_asked_for(aeon, tmp_path):
    assert aeon("config", "set", "skills.allow_network", "true", "--user-file").code == 0
    assert "allow_network = true" in (tmp_path / "home/.config/aeon/aeon.toml").read_text()
    assert not Path("aeon.toml").exists()


def test_an_editor_changes_the_file_if_it_is_valid(terminal):
    Path("edit.sh").write_text('#!/bin/sh\nprintf "[run]\\nttl = $TTL\\n" > "$1"\n')
    for ttl, code in (("9", 0), ("none", 2)):
        assert terminal("config", "edit", env={"EDITOR": "sh edit.sh", "TTL": ttl})[0] == code
    assert Path("aeon.toml").read_text() == "[run]\nttl = 9\n"


def test_a_variable_that_overrides_the_file_is_told(aeon, monkeypatch):
    monkeypatch.setenv("AEON_RUN_TTL", "5")
    assert "AEON_RUN_TTL sets run.ttl to 5" in " ".join(aeon("config", "set", "run.ttl", "7").err.split())


def test_a_model_is_chosen(aeon):
    assert aeon("model", "use", "gpt-x", "--at", "http://127.0.0.1:9/v1").code == 0
    assert tomllib.loads(Path("aeon.toml").read_text())["model"] == {
        "name": "gpt-x",
        "base_url": "http://127.0.0.1:9/v1",
    }


def test_weights_that_are_not_there_are_not_removed(aeon):
    ended = aeon("model", "remove", "tiny", "--yes")
    assert (ended.code, "Fetched are: none." in ended.err) == (2, True)


def test_a_settings_folder_that_cannot_be_read_is_no_defect(aeon, monkeypatch):
    """Measured U9."""

    def refused(_path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "is_file", refused)
    ended = aeon("config", "list")
    assert (ended.code, "cannot be read" in ended.err, "defect" in ended.err) == (2, True, False)


def test_a_secret_without_a_value_is_told_as_such(aeon):
    """Measured U9: it said to check the path."""
    ended = aeon("secret", "set", "k", stdin=b"")
    assert (ended.code, "on stdin is empty" in ended.err, "path" in ended.err) == (2, True, False)


def test_a_remote_model_is_listed_once_it_is_chosen(aeon):
    assert [name for (name,) in aeon("model", "list").cells("NAME")] == ["standard", "small", "tiny"]
    assert aeon("model", "use", "gpt-x", "--at", "http://127.0.0.1:9/v1").code == 0
    listed = aeon("model", "list")
    assert listed.cells("NAME", "STATE")[-1] == ("gpt-x", "chosen")
    assert "http://127.0.0.1:9/v1" in listed.out
    assert aeon("model", "list", "--json").json[-1]["base_url"] == "http://127.0.0.1:9/v1"


def test_settings_without_a_model_do_not_keep_the_list_from_being_printed(aeon, monkeypatch):
    monkeypatch.setenv("AEON_MODEL_BASE_URL", "http://127.0.0.1:9/v1")
    assert aeon("model", "list").code == 0


def test_an_address_is_no_name_of_a_model(aeon):
    ended = aeon("model", "use", "http://127.0.0.1:9/v1")
    assert (ended.code, "aeon model use NAME --at http://127.0.0.1:9/v1" in " ".join(ended.err.split())) == (2, True)
    assert not Path("aeon.toml").exists()
