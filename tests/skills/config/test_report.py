"""A skill's settings: checked whole, filled in when a script starts, secrets never shown (skills 10, 11)."""

import json

import pytest

from aeon.base.errors import ConfigError
from aeon.skills.config.skill_settings import (
    missing_required_fields,
    read_config,
    redact_config,
    resolve_config,
    secret_values,
    set_config,
    with_config,
)
from aeon.skills.models import ErrorState, Skill

SCHEMA = {
    "type": "object",
    "x-env": ["API_KEY", "PORT"],
    "properties": {
        "apiKey": {"type": "string", "writeOnly": True, "minLength": 4},
        "port": {"type": "integer", "default": 80, "minimum": 1},
        "ratio": {"type": "number"},
        "isOn": {"type": "boolean", "default": False},
        "hosts": {"type": "array", "items": {"type": "string"}, "default": []},
        "ports": {"type": "array", "items": {"type": "integer"}},
        "tone": {"enum": ["warm", "dry"]},
        "login": {
            "type": "object",
            "properties": {"user": {"type": "string", "default": "me"}, "word": {"$ref": "#/$defs/secret"}},
            "default": {},
        },
    },
    "$defs": {"secret": {"type": "string", "format": "password"}},
    "required": ["apiKey"],
    "additionalProperties": False,
}


@pytest.fixture
def skill(tmp_path):
    return Skill("greet", "d", tmp_path, tmp_path / "SKILL.md", data_home=tmp_path / "home", config_schema=SCHEMA)


def write(skill, text):
    skill.data_home.mkdir(exist_ok=True)
    (skill.data_home / "config.json").write_text(text if isinstance(text, str) else json.dumps(text))


def problems(skill, **environ):
    return [str(problem) for problem in read_config(skill, environ).problems]


def test_defaults_are_filled_in_at_every_level(skill):
    """Skills 10."""
    write(skill, {"apiKey": "12345", "login": {"word": "x"}})

    assert resolve_config(skill, {}) == {
        "apiKey": "12345", "port": 80, "isOn": False, "hosts": [], "login": {"user": "me", "word": "x"},
    }  # fmt: skip


def test_every_error_at_once_with_its_path(skill):
    """Skills 10."""
    write(skill, {"port": 0, "ratio": "x", "tone": "loud", "hosts": [1], "other": 1, "login": {"user": 3}})
    said = problems(skill)

    for path in ("$.port", "$.ratio", "$.tone", "$.hosts[0]", "$.login.user", '"apiKey" is a required', "'other'"):
        assert any(path in each for each in said), (path, said)


def test_variables_are_filled_in_from_the_environment_and_never_written_back(skill):
    """Skills 10: only those that x-env lists; a number where the field wants one."""
    text = '{"apiKey": "k-${API_KEY}-$$1", "port": "${PORT:-8080}", "hosts": ["${PORT:-h}"]}'
    write(skill, text)

    assert resolve_config(skill, {"API_KEY": "abc"})["apiKey"] == "k-abc-$1"
    assert [resolve_config(skill, {"API_KEY": "a", "PORT": p})["port"] for p in ("", "99")] == [8080, 99]
    assert (skill.data_home / "config.json").read_text() == text


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("${API_KEY}", "$.apiKey: names ${API_KEY}, which is not set"),
        ("${HOME}", "$.apiKey: names ${HOME}, which the schema does not list in x-env"),
        ("${HOME:-x}", "does not list in x-env"),
        ("${1}", "without a variable name"),
        ("${API_KEY", "without a variable name"),
    ],
)
def test_what_cannot_be_filled_in_is_an_error_for_its_field(skill, value, said):
    """Skills 10."""
    write(skill, {"apiKey": value})
    found = problems(skill, HOME="/h")

    assert len(found) == 1
    assert said in found[0]


def test_secrets_are_masked_and_named_for_masking(skill):
    """Skills 10: never shown or logged, wherever in the schema they are marked."""
    write(skill, {"apiKey": "${API_KEY}", "login": {"user": "u", "word": "geheim"}})
    environ = {"API_KEY": "topsecret"}
    report = read_config(skill, environ)

    assert redact_config(report.values, SCHEMA)["apiKey"] == "[hidden]"
    assert redact_config(report.values, SCHEMA)["login"] == {"user": "u", "word": "[hidden]"}
    assert secret_values(skill, environ) == ("topsecret", "geheim")
    assert "topsecret" not in repr(report) + repr(with_config(skill, environ))


def test_no_error_quotes_a_secret(skill):
    """Skills 10: the validator's messages quote values."""
    write(skill, {"apiKey": "abc", "login": {"word": ["hush"]}, "extra": {"x": "abc"}})
    skill_with_any = Skill(**{**vars(skill), "config_schema": {**SCHEMA, "not": {"required": ["apiKey"]}}})
    said = " ".join(problems(skill) + problems(skill_with_any))

    assert "hush" not in said
    assert '"abc"' not in said
    assert "the value is hidden" in said


@pytest.mark.parametrize("text", ['{"apiKey": "12', "", "[]", '{"apiKey": NaN}', "\udcff"])
def test_a_half_written_file_degrades_the_skill(skill, text):
    """Skills 10: degraded, with a note, left out of planning."""
    skill.data_home.mkdir()
    (skill.data_home / "config.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    degraded = with_config(skill, {})

    assert degraded.error_state is ErrorState.DEGRADED
    assert not degraded.can_be_planned
    assert degraded.notes[0].path.name == "config.json"
    assert missing_required_fields(skill, {}) == ("apiKey",)


def test_a_missing_required_field_degrades_the_skill_and_can_be_asked_for(skill):
    """Skills 10."""
    assert with_config(skill, {}).error_state is ErrorState.DEGRADED
    assert missing_required_fields(skill, {}) == ("apiKey",)
    write(skill, {"apiKey": "12345"})
    assert missing_required_fields(skill, {}) == ()
    assert with_config(skill, {}).error_state is ErrorState.HEALTHY


def test_a_skill_without_a_schema_has_no_settings(tmp_path):
    plain = Skill("a", "d", tmp_path, tmp_path / "SKILL.md", data_home=tmp_path)
    write(plain, {"x": "${HOME}"})

    assert resolve_config(plain, {}) == {}
    assert with_config(plain, {}) is plain
    with pytest.raises(ConfigError, match="no settings"):
        set_config(plain, {"x": "1"}, {})


def test_values_are_set_from_text_as_the_schema_types_them(skill):
    """Skills 10: numbers, truth values, lists as JSON or with commas, fields inside others; for the user only."""
    set_config(
        skill,
        {"apiKey": "12345", "port": "81", "ratio": "0.5", "isOn": "yes", "hosts": "a.org, b.org", "ports": "[1, 2]",
         "tone": "dry", "login.user": "7"},
        {},
    )  # fmt: skip
    path = skill.data_home / "config.json"

    assert json.loads(path.read_text()) == {
        "apiKey": "12345", "port": 81, "ratio": 0.5, "isOn": True, "hosts": ["a.org", "b.org"], "ports": [1, 2],
        "tone": "dry", "login": {"user": "7"},
    }  # fmt: skip
    assert path.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in skill.data_home.iterdir()] == ["config.json"]


def test_nothing_is_written_when_anything_is_wrong(skill):
    """Skills 10: every problem at once; an unknown name comes with its nearest."""
    write(skill, {"apiKey": "12345"})
    with pytest.raises(ConfigError) as caught:
        set_config(skill, {"prot": "81", "ratio": "much", "apiKey": "x", "zzz": "1"}, {})

    for said in ("did you mean 'port'?", "$.ratio", "the value is hidden", "it has apiKey, hosts"):
        assert said in str(caught.value)
    assert json.loads((skill.data_home / "config.json").read_text()) == {"apiKey": "12345"}


def test_a_variable_may_be_set_before_it_is_there(skill):
    """Skills 10: `${NAME}` stays as it is on disk."""
    report = set_config(skill, {"apiKey": "${API_KEY}"}, {})

    assert [problem.path for problem in report.problems] == ["$.apiKey"]
    assert json.loads((skill.data_home / "config.json").read_text()) == {"apiKey": "${API_KEY}"}
    with pytest.raises(ConfigError, match="x-env"):
        set_config(skill, {"apiKey": "${HOME}"}, {})


def test_a_broken_file_is_not_written_over(skill):
    write(skill, "{")
    with pytest.raises(ConfigError, match="is not valid JSON"):
        set_config(skill, {"apiKey": "12345"}, {})
    assert (skill.data_home / "config.json").read_text() == "{"


@pytest.mark.parametrize("place", ["/etc/os-release", "config.json", "gone"])
def test_a_link_to_somebody_elses_file_is_no_configuration(skill, place):
    """Skills 11: a skill could bring it along to be handed secrets."""
    skill.data_home.mkdir()
    (skill.data_home / "config.json").symlink_to(place)
    assert "leads out of the skill's folder" in problems(skill)[0]


def test_a_folder_that_cannot_be_written_is_said(skill):
    skill.data_home.touch()
    with pytest.raises(ConfigError, match="cannot be written"):
        set_config(skill, {"apiKey": "12345"}, {})


def test_schemas_that_refer_to_themselves_end(skill):
    schema = {
        "properties": {"a": {"$ref": "#"}},
        "$ref": "#/x",
        "allOf": [{"$ref": "#"}, {"$ref": "#"}],
        "x": {"$ref": "#"},
    }
    looped = Skill(**{**vars(skill), "config_schema": schema})
    assert redact_config({"a": {"a": 1}}, schema) == {"a": {"a": 1}}
    assert missing_required_fields(looped, {}) == ()


def test_a_variable_that_is_withheld_is_nobody_s_whatever_x_env_lists(skill):
    """Skills 10, decision 18: neither read, nor replaced by a default, nor set."""
    kept = Skill(**{**vars(skill), "withheld_variables": frozenset({"API_KEY"})})
    kept.data_home.mkdir()
    (kept.data_home / "config.json").write_text('{"apiKey": "${API_KEY:-other}"}')
    report = read_config(kept, {"API_KEY": "12345"})
    assert [str(problem) for problem in report.problems] == [
        "$.apiKey: names ${API_KEY}, the model's key, which no skill of a project gets; use another variable"
    ]
    assert "12345" not in json.dumps(report.values)
    with pytest.raises(ConfigError, match="the model's key"):
        set_config(kept, {"apiKey": "${API_KEY}"}, {"API_KEY": "12345"})
    assert not read_config(skill, {"API_KEY": "12345"}).problems
