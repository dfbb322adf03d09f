"""Which store the settings mean, where it keeps what is the user's, and who gets a password."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from aeon.base.errors import ConfigError, MissingExtraError
from aeon.base.project_folder import state_folder
from aeon.bootstrap.model_choice import is_loopback, key_variables
from aeon.bootstrap.stores import open_store
from aeon.settings import EngineSettings, GraphSettings, Settings, StoreSettings

VARIABLE = "AEON_DB_PASSWORD"
ADDRESS = "postgresql://aeon@db.example.org/aeon"


@pytest.fixture
def opened(monkeypatch):
    """The addresses and passwords that PostgreSQL is opened with."""
    asked = []
    monkeypatch.setattr("aeon.adapters.store.postgresql.open_postgresql", lambda *given: asked.append(given))
    return asked


def test_without_an_address_the_record_is_a_file_in_the_projects_folder(tmp_path):
    project, state = tmp_path / "project", tmp_path / "state"
    project.mkdir()
    for _ in range(2):
        store = open_store(project, StoreSettings(), {"XDG_STATE_HOME": str(state)})
        assert store.dialect == "sqlite"
        store.close()
    assert (project / ".aeon" / "aeon.db").is_file()
    assert any(path.is_file() for path in (state / "aeon").rglob("*"))


@pytest.mark.parametrize(
    ("environ", "folder"),
    [
        ({"XDG_STATE_HOME": "/state", "HOME": "/home/ann"}, "/state/aeon"),
        ({"XDG_STATE_HOME": "", "HOME": "/home/ann"}, "/home/ann/.local/state/aeon"),
        ({"XDG_STATE_HOME": "state", "HOME": "/home/ann"}, "/home/ann/.local/state/aeon"),
    ],
)
def test_the_state_folder_is_the_users(environ, folder):
    assert state_folder(environ) == Path(folder)


def test_an_address_means_postgresql_with_the_password_of_the_variable(opened):
    settings = StoreSettings(address=ADDRESS, password_env=VARIABLE)
    open_store(Path(), settings, {VARIABLE: "word"})
    open_store(Path(), StoreSettings(address=ADDRESS), {VARIABLE: "word"})
    assert opened == [(ADDRESS, "word"), (ADDRESS, None)]


def test_a_variable_that_is_not_set_is_an_error():
    with pytest.raises(ConfigError, match=VARIABLE):
        open_store(Path(), StoreSettings(address=ADDRESS, password_env=VARIABLE), {})


@pytest.mark.parametrize(
    "address",
    [
        ADDRESS,
        "postgresql://aeon@localhost,db.example.org/aeon",
        "postgresql://aeon@localhost:5432,db.example.org:5432/aeon",
        "postgresql://aeon@localhost/aeon?host=db.example.org",
        "postgresql://aeon@localhost/aeon?%68ostaddr=192.0.2.1",
    ],
)
def test_a_projects_file_does_not_send_the_password_to_another_host(opened, address):
    settings = StoreSettings(address=address, password_env=VARIABLE)
    with pytest.raises(ConfigError, match="does not decide"):
        open_store(Path(), settings, {VARIABLE: "word"}, {"store.address": Path("aeon.toml")})
    assert opened == []
    assert not is_loopback(address)


def test_a_projects_file_may_name_this_machine(opened):
    address = "postgresql://aeon@localhost:5432/aeon?sslmode=disable"
    settings = StoreSettings(address=address, password_env=VARIABLE)
    open_store(Path(), settings, {VARIABLE: "word"}, {"store.address": Path("aeon.toml")})
    assert opened == [(address, "word")]


@pytest.mark.parametrize(
    "address",
    [
        "mysql://host/aeon",
        "postgresql:///aeon",
        "postgresql://user:word@host/aeon",
        "postgresql://host/aeon?password=word",
        "host",
    ],
)
def test_what_is_no_address_or_holds_a_password_is_refused(address):
    with pytest.raises(ValidationError) as raised:
        StoreSettings(address=address)
    assert "word" not in str(raised.value).replace("password", "")


def test_the_variables_of_passwords_are_kept_from_skills():
    store, graph, engine = (f"{name}_WORD" for name in ("STORE", "GRAPH", "ENGINE"))
    named = Settings(
        store=StoreSettings(password_env=store),
        graph=GraphSettings(password_env=graph),
        engine=EngineSettings(password_env=engine),
    )
    assert {store, graph, engine} <= key_variables(named)


def test_without_psycopg_the_extra_is_named(uninstall):
    uninstall("psycopg")
    with pytest.raises(MissingExtraError, match=r"aeon-orchestrator\[postgres\]"):
        open_store(Path(), StoreSettings(address=ADDRESS), {})
