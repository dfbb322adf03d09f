"""Settings: one precedence, every origin, every mistake at once, no secret in any message."""

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.base.errors import ConfigError
from aeon.settings import KEYS, environment_variable, load_settings


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home" / ".config" / "aeon").mkdir(parents=True)
    (tmp_path / "project" / ".git").mkdir(parents=True)
    (tmp_path / "project" / "deep" / "er").mkdir(parents=True)
    return tmp_path / "home"


@pytest.fixture
def project(tmp_path: Path, home: Path) -> Path:
    return tmp_path / "project"


def problems(folder: Path, home: Path, **environ: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load_settings({}, {"HOME": str(home), **environ}, folder)
    found = caught.value.details["problems"]
    assert all(problem in str(caught.value) for problem in found)
    return found


def test_flags_win_over_environment_over_project_over_user_over_default(project, home):
    user, own = home / ".config" / "aeon" / "aeon.toml", project / "aeon.toml"
    user.write_text("[run]\nttl = 2\n")
    environ = {"HOME": str(home)}
    seen = [load_settings({}, environ, project)]
    own.write_text("[run]\nttl = 3\n")
    seen.append(load_settings({}, environ, project / "deep" / "er"))
    environ["AEON_RUN_TTL"] = "4"
    seen.append(load_settings({}, environ, project))
    seen.append(load_settings({"run.ttl": ("--ttl", 5)}, environ, project))
    user.unlink()
    seen.append(load_settings({}, {"HOME": str(home)}, project / "deep"))
    assert [(loaded.settings.run.ttl, loaded.origins["run.ttl"]) for loaded in seen] == [
        (2, str(user)),
        (3, str(own)),
        (4, "AEON_RUN_TTL"),
        (5, "--ttl"),
        (3, str(own)),
    ]


def test_every_key_has_a_value_an_origin_and_a_variable(project, home):
    loaded = load_settings({}, {"HOME": str(home)}, project)
    assert set(loaded.origins) == set(KEYS)
    assert set(loaded.origins.values()) == {"default"}
    assert environment_variable("model.base_url") == "AEON_MODEL_BASE_URL"


def test_files_are_looked_for_up_to_the_project_root_and_in_the_users_folder(project, home):
    found = load_settings({}, {"HOME": str(home)}, project / "deep").files
    assert [path for path, _ in found] == [
        project / "deep" / "aeon.toml",
        project / "aeon.toml",
        home / ".config" / "aeon" / "aeon.toml",
    ]


def test_relative_paths_of_a_file_are_relative_to_it(project, home):
    (project / "aeon.toml").write_text(
        '[run]\nlog_dir = "logs"\n[memory]\npath = ":memory:"\n[model]\nname = "own.gguf"\n'
    )
    settings = load_settings({}, {"HOME": str(home)}, project / "deep").settings
    assert settings.run.log_dir == str(project / "logs")
    assert settings.memory.path == ":memory:"
    assert settings.model.name == str(project / "own.gguf")


def test_it_is_known_which_values_stand_in_a_projects_file(project, home):
    user, own = home / ".config" / "aeon" / "aeon.toml", project / "aeon.toml"
    user.write_text('[model]\napi_key_env = "MINE"\ntimeout = 5.0\n')
    own.write_text('[model]\nbase_url = "https://h/v1"\ntimeout = 6.0\n[run]\nttl = 3\n')
    loaded = load_settings({"run.ttl": ("--ttl", 4)}, {"HOME": str(home)}, project / "deep")
    assert loaded.from_project == {"model.base_url": own, "model.timeout": own}
    assert load_settings({}, {"HOME": str(home)}, user.parent).from_project == {}, (
        "the user's own file, wherever one stands"
    )


@pytest.mark.parametrize(("key", "section"), [("run.log_dir", "[run]\nlog_dir"), ("memory.path", "[memory]\npath")])
@pytest.mark.parametrize("place", ["../out", "/etc/x", "~/x", "link/x", "in/../../out"])
def test_a_projects_file_writes_nowhere_else(project, home, key, section, place):
    """Decision 0012."""
    (project / "link").symlink_to(home)
    (project / "aeon.toml").write_text(f'{section} = "{place}"\n')
    (found,) = problems(project, home)
    assert found.startswith(f"{project / 'aeon.toml'}: {key} leads out of the project's folder")
    assert environment_variable(key) in found
    load_settings({}, {"HOME": str(home), environment_variable(key): "/etc/x"}, project)


@pytest.mark.parametrize("place", ["in", "in/../other", "./x", ":memory:"])
def test_a_projects_file_writes_in_its_own_folder(project, home, place):
    (project / "aeon.toml").write_text(f'[memory]\npath = "{place}"\n')
    assert load_settings({}, {"HOME": str(home)}, project).from_project.keys() == {"memory.path"}


def test_the_users_own_file_writes_where_it_likes(project, home):
    (home / ".config" / "aeon" / "aeon.toml").write_text('[memory]\npath = "/somewhere/m.db"\n')
    assert load_settings({}, {"HOME": str(home)}, project).settings.memory.path == "/somewhere/m.db"


@pytest.mark.parametrize("place", ["~nobody-of-that-name/x", "a\\u0000b"])
def test_a_place_that_cannot_be_is_a_problem_and_no_trace(project, home, place):
    (project / "aeon.toml").write_text(f'[memory]\npath = "{place}"\n')
    problems(project, home)


def test_every_mistake_of_every_source_is_reported_at_once(project, home):
    (project / "aeon.toml").write_text(
        'ttl = 3\n[modle]\n[model]\nprovidr = "a"\nprovider = "opnai"\ntimeout = "5"\n[run]\nttl = "7"\nlogdir = "x"\n'
    )
    (home / ".config" / "aeon" / "aeon.toml").write_text("memory = 3\n")
    found = problems(project, home, AEON_TTL="3", AEON_MODEL_TIMEOUT="soon", AEON_MEMORY_PAHT="x")
    for words in (
        "AEON_TTL is unknown; did you mean AEON_RUN_TTL?",
        "AEON_MEMORY_PAHT is unknown; did you mean AEON_MEMORY_PATH?",
        "AEON_MODEL_TIMEOUT is wrong",
        "aeon.toml: ttl is unknown; did you mean run.ttl?",
        "modle is unknown; did you mean model?",
        "model.providr is unknown; did you mean model.provider?",
        "model.provider is wrong: input should be 'auto'",
        "model.timeout is wrong",
        "run.ttl is wrong",
        "run.logdir is unknown; did you mean run.log_dir?",
        "memory must be a table, written as [memory]",
    ):
        assert any(words in problem for problem in found), words
    assert len(found) == 11


@pytest.mark.parametrize(
    "text",
    [
        '[model]\napi_key = "sk-topsecret-1"',
        '[model]\napi_key_env = "sk-topsecret-1"',
        '[model]\napi_key_env = "gsk_Topsecret1"',
        '[model]\nbase_url = "https://me:topsecret@host/v1"',
    ],
)
def test_a_key_in_a_file_is_refused_with_advice_and_never_repeated(project, home, text):
    (project / "aeon.toml").write_text(text)
    (found,) = problems(project, home)
    assert "topsecret" not in found.casefold()
    assert "NAME" in found or "name a variable" in found


def test_a_key_in_the_environment_has_a_variable_of_its_own_name(project, home):
    assert "AEON_MODEL_API_KEY_ENV" in problems(project, home, AEON_MODEL_API_KEY="sk-topsecret")[0]
    (project / "aeon.toml").write_text('[model]\napi_key_env = "AEON_MODEL_API_KEY"')
    load_settings({}, {"HOME": str(home), "AEON_MODEL_API_KEY": "sk-topsecret"}, project)


def test_the_users_own_weights_are_one_variable(project, home):
    loaded = load_settings({}, {"HOME": str(home), "AEON_MODEL_PATH": "/m/x.gguf"}, project)
    assert (loaded.settings.model.provider, loaded.settings.model.name) == ("embedded", "/m/x.gguf")
    assert loaded.origins["model.name"] == "AEON_MODEL_PATH"
    assert "cannot be set together" in problems(project, home, AEON_MODEL_PATH="/m", AEON_MODEL_NAME="small")[0]


def test_sources_are_a_list_in_the_environment_too(project, home):
    loaded = load_settings({}, {"HOME": str(home), "AEON_MODEL_SOURCES": "index, hub"}, project)
    assert loaded.settings.model.sources == ["index", "hub"]
    assert problems(project, home, AEON_MODEL_SOURCES="elsewhere")


def test_variables_of_others_are_left_alone(project, home):
    load_settings(
        {}, {"HOME": str(home), "AEON_HOME": "/h", "AEONIC": "1", "AEON_WALLET": "1", "AEON_RUN_TTL": ""}, project
    )


@given(st.binary(max_size=200))
def test_no_file_brings_anything_but_settings_or_a_config_error(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("any")
    (folder / ".git").mkdir()
    (folder / "aeon.toml").write_bytes(data)
    with contextlib.suppress(ConfigError):
        load_settings({}, {"HOME": str(folder)}, folder)


@pytest.mark.parametrize("line", ['host = "0.0.0.0"', 'oidc_issuer = "https://evil.example"', 'names = ["a.example"]'])
def test_a_projects_file_does_not_decide_who_may_use_this_machine_platform_31(project, home, line):
    (project / "aeon.toml").write_text(f"[server]\n{line}\n")
    (found,) = problems(project, home)
    assert "decides who may use this machine; a project's file may not do that" in found
    assert f"AEON_SERVER_{line.partition(' ')[0].upper()}" in found
    user = home / ".config" / "aeon" / "aeon.toml"
    (project / "aeon.toml").unlink()
    user.write_text(f"[server]\n{line}\n")
    load_settings({}, {"HOME": str(home)}, project)


@pytest.mark.parametrize(
    "line",
    [
        'oidc_issuer = "http://login.example.org"',
        'oidc_issuer = "https://login.example.org/?a=b"',
        'oidc_issuer = "https://me@login.example.org"',
        'oidc_client_secret_env = "s3cret-value"',
        'oidc_scopes = ["email"]',
        'names = ["https://aeon.example.org"]',
    ],
)
def test_settings_of_the_server_that_cannot_be_right_are_refused(project, home, line):
    user = home / ".config" / "aeon" / "aeon.toml"
    user.write_text(f"[server]\n{line}\n")
    (found,) = problems(project, home)
    assert "s3cret" not in found
    assert "server." in found
