"""The composition root: which model is chosen and why, and that nothing is opened before it is used."""

from collections.abc import Callable
from pathlib import Path

import pytest

from aeon.adapters.weights import CATALOG
from aeon.base.errors import ConfigError, LLMError, MissingExtraError, WeightsError
from aeon.bootstrap.app import App, build_app
from aeon.bootstrap.embedded_models import WeightsPhase, WeightsProgress, available_memory, stored_models
from aeon.bootstrap.model_choice import choose_model
from aeon.bootstrap.passwords import is_loopback
from aeon.llm.interface import LLMRequest
from aeon.settings import MemorySettings, ModelSettings, Settings


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"AEON_HOME": str(tmp_path), "HOME": str(tmp_path)}


@pytest.fixture
def without_embedded(uninstall: Callable[..., None]) -> None:
    uninstall("xllamacpp")


def app(environ: dict[str, str], **model: object) -> App:
    return build_app(
        Settings(model=ModelSettings(**model), memory=MemorySettings(path=":memory:")), environ, folder=Path.cwd()
    )


def pretend_fetched(environ: dict[str, str], name: str) -> None:
    (found,) = [model for model in stored_models(environ) if model.weights.name == name]
    found.file.parent.mkdir(parents=True, exist_ok=True)
    with found.file.open("wb") as file:
        file.truncate(found.weights.size)


@pytest.mark.parametrize(
    ("settings", "keys", "provider", "url", "key"),
    [
        ({"base_url": "http://host/v1", "name": "m"}, {}, "openai", "http://host/v1", None),
        ({"base_url": "http://host/v1", "name": "m"}, {"OPENAI_API_KEY": "k"}, "openai", "http://host/v1", None),
        (
            {"api_key_env": "OPENAI_API_KEY", "name": "m"},
            {"OPENAI_API_KEY": "k"},
            "openai",
            "https://api.openai.com/v1",
            "k",
        ),
        (
            {"provider": "anthropic", "name": "m"},
            {"ANTHROPIC_API_KEY": "k"},
            "anthropic",
            "https://api.anthropic.com/v1",
            "k",
        ),
        (
            {"api_key_env": "ANTHROPIC_API_KEY", "name": "m"},
            {"ANTHROPIC_API_KEY": "k"},
            "anthropic",
            "https://api.anthropic.com/v1",
            "k",
        ),
        (
            {"provider": "vllm", "base_url": "http://v/v1", "api_key_env": "K", "name": "m"},
            {"K": "k"},
            "vllm",
            "http://v/v1",
            "k",
        ),
    ],
)
def test_a_configured_server_is_used_and_a_key_goes_only_where_it_belongs(environ, settings, keys, provider, url, key):
    choice = choose_model(ModelSettings(**settings), {**environ, **keys})
    assert (choice.provider, choice.base_url, choice.api_key) == (provider, url, key)
    assert "api_key=" not in repr(choice)


PROJECT = Path("/clone/aeon.toml")
EVIL = "https://keys.example/v1"


@pytest.mark.parametrize(
    ("settings", "from_project"),
    [
        ({"base_url": EVIL, "api_key_env": "OPENAI_API_KEY"}, ["model.base_url"]),
        ({"base_url": EVIL, "api_key_env": "OPENAI_API_KEY"}, ["model.base_url", "model.api_key_env"]),
        ({"base_url": EVIL, "api_key_env": "UNSET"}, ["model.base_url"]),
        ({"base_url": EVIL, "api_key_env": "MINE", "provider": "vllm"}, ["model.base_url"]),
        ({"base_url": "http://127.0.0.1.keys.example/v1", "api_key_env": "MINE"}, ["model.base_url"]),
        ({"api_key_env": "MINE", "provider": "anthropic"}, ["model.provider"]),
    ],
)
def test_a_projects_file_does_not_decide_who_gets_a_key(environ, settings, from_project):
    """Decision 0012: the file, the address and the variable are named, and what to do."""
    given = ModelSettings(name="m", **settings)
    keys = {**environ, "OPENAI_API_KEY": "sk-hidden", "MINE": "sk-hidden"}
    with pytest.raises(ConfigError) as caught:
        choose_model(given, keys, dict.fromkeys(from_project, PROJECT))
    told = str(caught.value)
    address = given.base_url or "https://api.anthropic.com/v1"
    assert all(words in told for words in (str(PROJECT), address, given.api_key_env or ""))
    said = f"AEON_MODEL_BASE_URL={given.base_url}" if given.base_url else "AEON_MODEL_PROVIDER=anthropic"
    assert told.endswith(f"export {said}")
    assert "sk-hidden" not in told


@pytest.mark.parametrize(
    ("settings", "from_project"),
    [
        ({"base_url": EVIL, "api_key_env": "MINE"}, ["model.api_key_env", "model.name"]),
        ({"base_url": "http://localhost:8000/v1", "api_key_env": "MINE"}, ["model.base_url", "model.api_key_env"]),
        ({"provider": "anthropic"}, ["model.provider"]),
        ({"provider": "anthropic", "api_key_env": "ANTHROPIC_API_KEY"}, ["model.provider", "model.api_key_env"]),
    ],
)
def test_a_key_goes_to_the_users_own_address_to_this_machine_and_to_its_vendor(environ, settings, from_project):
    keys = {**environ, "MINE": "k", "ANTHROPIC_API_KEY": "k"}
    choice = choose_model(ModelSettings(name="m", **settings), keys, dict.fromkeys(from_project, PROJECT))
    assert choice.api_key == "k"


def test_a_projects_server_without_a_key_is_used(environ):
    choice = choose_model(ModelSettings(name="m", base_url=EVIL), environ, {"model.base_url": PROJECT})
    assert (choice.base_url, choice.api_key) == (EVIL, None)


def test_the_command_that_is_advised_is_safe_to_paste(environ):
    settings = ModelSettings(name="m", base_url="https://h/$(touch x)", api_key_env="K")
    with pytest.raises(ConfigError, match=r"='https://h/\$\(touch x\)'$"):
        choose_model(settings, environ, {"model.base_url": PROJECT})


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("http://localhost/v1", True),
        ("http://127.8.9.1:80/v1", True),
        ("http://[::1]:1/v1", True),
        ("http://localhost.keys.example/v1", False),
        ("http://127.0.0.1.keys.example", False),
        ("http://0.0.0.0/v1", False),
        ("http://192.168.0.1/v1", False),
        ("http://keys.example/127.0.0.1", False),
        ("http://keys.example\\.127.0.0.1/", False),
        ("http://127.1/v1", False),
    ],
)
def test_loopback_goes_by_spelling(address, expected):
    assert is_loopback(address) is expected


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"base_url": "http://host/v1"}, "AEON_MODEL_NAME"),
        ({"provider": "vllm", "name": "m"}, "AEON_MODEL_BASE_URL"),
        ({"provider": "openai", "name": "m"}, "OPENAI_API_KEY"),
        ({"api_key_env": "SOME_KEY", "name": "m"}, "provider of the key in SOME_KEY is unknown"),
        ({"name": "nothing"}, "no model called"),
    ],
)
def test_settings_that_name_no_model_say_what_is_missing(environ, settings, said):
    with pytest.raises(ConfigError, match=said):
        choose_model(ModelSettings(**settings), environ)


def test_a_key_that_lies_in_the_environment_is_not_a_configured_server(environ):
    """Nothing is sent anywhere because some other program needed a key."""
    assert choose_model(ModelSettings(), {**environ, "OPENAI_API_KEY": "k"}).is_embedded


@pytest.mark.parametrize("name", ["small", "own.gguf"])
def test_a_name_of_the_catalogue_or_a_file_means_the_embedded_model(environ, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    Path("own.gguf").write_bytes(b"GGUF")
    choice = choose_model(ModelSettings(name=name, base_url="http://host/v1"), environ)
    assert choice.is_embedded
    assert choice.name == name


def test_without_any_model_the_error_names_every_way_to_one(environ, without_embedded):
    with pytest.raises(MissingExtraError) as caught:
        choose_model(ModelSettings(), environ)
    for words in ("pip install 'aeon-orchestrator[embedded]'", "fetch a model", "AEON_MODEL_BASE_URL"):
        assert words in str(caught.value)


@pytest.mark.parametrize(
    ("available", "fetched", "chosen"),
    [(8, [], "standard"), (8, ["small"], "small"), (8, ["small", "standard"], "standard"), (1, ["standard"], "small")],
)
def test_the_embedded_model_suits_the_memory_and_what_was_fetched(environ, monkeypatch, available, fetched, chosen):
    monkeypatch.setattr("aeon.bootstrap.embedded_models.available_memory", lambda: available * 1024**3)
    for name in fetched:
        pretend_fetched(environ, name)
    assert choose_model(ModelSettings(), environ).name == chosen


def test_available_memory_is_zero_where_the_system_does_not_say(tmp_path):
    assert available_memory(tmp_path / "missing") == 0
    (tmp_path / "meminfo").write_text("MemTotal: 8 kB\nMemAvailable:    4 kB\n")
    assert available_memory(tmp_path / "meminfo") == 4096


def test_building_opens_nothing(environ, tmp_path, monkeypatch, without_embedded):
    monkeypatch.chdir(tmp_path)
    whole = build_app(Settings(), environ, folder=Path.cwd())
    assert whole.registry.list_all()[:2] == ["calculator", "echo"]
    whole.close()
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_is_not_there_is_to_a_run_one_that_does_not_answer(environ):
    """Core 7: the run gets an LLMError; nothing is downloaded behind its back."""
    whole = app(environ, name="small")
    with pytest.raises(WeightsError, match=r"not on this machine.*Fetch the model small"):
        whole.prepare_model(pytest.fail, may_fetch=False)
    with pytest.raises(LLMError, match="Fetch the model small"):
        whole.model.complete(LLMRequest("hello"))


def test_a_file_that_is_not_the_published_one_is_not_used_and_its_checking_is_reported(environ):
    pretend_fetched(environ, "tiny")
    whole = app(environ, name="tiny")
    told: list[WeightsProgress] = []
    with pytest.raises(WeightsError, match=r"is not what was published.*Fetch the model tiny"):
        whole.prepare_model(told.append, may_fetch=False)
    assert {progress.phase for progress in told} == {WeightsPhase.VERIFYING}


def test_weights_come_from_the_sources_in_the_order_that_is_set(environ, monkeypatch):
    from aeon.testing.weights import ScriptedSource, make_weights

    content = b"weights"
    hub, index = ScriptedSource([content], "hub"), ScriptedSource([content], "index")
    monkeypatch.setattr("aeon.bootstrap.app.default_sources", lambda _: (hub, index))
    monkeypatch.setitem(CATALOG, "sample", make_weights(content))
    whole = app(environ, sources=["index", "hub"])
    assert whole.fetch_weights("sample", lambda _: None).read_bytes() == content
    assert (hub.calls, index.calls) == (0, 1)
