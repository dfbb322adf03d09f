"""The composition root: which model is chosen and why, and that nothing is opened before it is used."""

from pathlib import Path

import pytest

from aeon.base.errors import ConfigError, LLMError, MissingExtraError, WeightsError
from aeon.bootstrap import App, available_memory, build, choose_model, stored_models
from aeon.llm.interface import Request
from aeon.settings import MemorySettings, ModelSettings, Settings


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"AEON_HOME": str(tmp_path), "HOME": str(tmp_path)}


@pytest.fixture
def without_embedded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "xllamacpp" else object())


def app(environ: dict[str, str], **model: object) -> App:
    return build(Settings(model=ModelSettings(**model), memory=MemorySettings(path=":memory:")), environ)


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


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"base_url": "http://host/v1"}, "AEON_MODEL_NAME"),
        ({"provider": "vllm", "name": "m"}, "AEON_MODEL_BASE_URL"),
        ({"provider": "openai", "name": "m"}, "OPENAI_API_KEY"),
        ({"api_key_env": "SOME_KEY", "name": "m"}, "whose key SOME_KEY holds"),
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
    for words in ("pip install 'aeon-orchestrator[embedded]'", "aeon model fetch", "AEON_MODEL_BASE_URL"):
        assert words in str(caught.value)


@pytest.mark.parametrize(
    ("available", "fetched", "chosen"),
    [(8, [], "standard"), (8, ["small"], "small"), (8, ["small", "standard"], "standard"), (1, ["standard"], "small")],
)
def test_the_embedded_model_suits_the_memory_and_what_was_fetched(environ, monkeypatch, available, fetched, chosen):
    monkeypatch.setattr("aeon.bootstrap.available_memory", lambda: available * 1024**3)
    for name in fetched:
        pretend_fetched(environ, name)
    assert choose_model(ModelSettings(), environ).name == chosen


def test_available_memory_is_zero_where_the_system_does_not_say(tmp_path):
    assert available_memory(tmp_path / "missing") == 0
    (tmp_path / "meminfo").write_text("MemTotal: 8 kB\nMemAvailable:    4 kB\n")
    assert available_memory(tmp_path / "meminfo") == 4096


def test_building_opens_nothing(environ, tmp_path, monkeypatch, without_embedded):
    monkeypatch.chdir(tmp_path)
    whole = build(Settings(), environ)
    assert whole.registry.list_all()[:2] == ["calculator", "echo"]
    whole.close()
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_is_not_there_is_to_a_run_one_that_does_not_answer(environ):
    """Core 7: the run gets an LLMError; nothing is downloaded behind its back."""
    whole = app(environ, name="small")
    with pytest.raises(WeightsError, match="aeon model fetch small"):
        whole.prepare_model(None)
    with pytest.raises(LLMError, match="aeon model fetch small"):
        whole.model.complete(Request("hello"))


def test_a_file_that_is_not_the_published_one_is_not_used(environ):
    pretend_fetched(environ, "tiny")
    whole = app(environ, name="tiny")
    with pytest.raises(WeightsError):
        whole.prepare_model(None)


def test_weights_come_from_the_sources_in_the_order_that_is_set(environ, monkeypatch):
    from aeon.testing.weights import GivenSource, weights_of

    content = b"weights"
    hub, index = GivenSource([content], "hub"), GivenSource([content], "index")
    monkeypatch.setattr("aeon.bootstrap.default_sources", lambda _: (hub, index))
    monkeypatch.setattr("aeon.bootstrap.resolve", lambda _: weights_of(content))
    whole = app(environ, sources=["index", "hub"])
    assert whole.fetch("sample", lambda _: None).read_bytes() == content
    assert (hub.calls, index.calls) == (0, 1)
