"""Which embedding model the settings choose, and who gets its key."""

import pytest

from aeon.adapters.embeddings.minilm import MiniLMEmbedder
from aeon.application.project import Project
from aeon.base.errors import ConfigError
from aeon.bootstrap.embedding_choice import choose_embeddings
from aeon.settings import EmbeddingSettings

KEY = "sk-canary-4711-embeddings"
REMOTE = EmbeddingSettings(provider="remote", base_url="https://models.example/v1", model="m", api_key_env="MY_KEY")


def test_the_settings_choose_the_model():
    assert choose_embeddings(EmbeddingSettings(), {}).title == "all-MiniLM-L6-v2-onnx-int8 in this process, for English"
    choice = choose_embeddings(REMOTE, {"MY_KEY": KEY})
    assert choice.title == "m at https://models.example/v1"
    assert KEY not in repr(choice)
    assert choice.open().model == "m"
    with pytest.raises(ConfigError, match="MY_KEY, which must hold the API key, is not set"):
        choose_embeddings(REMOTE, {})
    with pytest.raises(ConfigError, match=r"the server or its model is not named"):
        choose_embeddings(REMOTE.model_copy(update={"model": None}), {})


def test_a_projects_file_does_not_decide_who_gets_the_key(tmp_path):
    """Decision 12."""
    chosen = {"embeddings.base_url": tmp_path / "aeon.toml"}
    with pytest.raises(ConfigError, match=r"key in MY_KEY sent to https://models\.example") as raised:
        choose_embeddings(REMOTE, {"MY_KEY": KEY}, chosen)
    assert "export AEON_EMBEDDINGS_BASE_URL=" in raised.value.advice
    local = REMOTE.model_copy(update={"base_url": "http://localhost:1/v1"})
    assert choose_embeddings(local, {"MY_KEY": KEY}, chosen).api_key == KEY


def test_what_users_said_is_sent_to_no_embedding_server(tmp_path):
    """The search in what is known uses a model of this process alone; a server is for `/v1/embeddings`."""
    environ = {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}
    remote = {"embeddings.provider": "remote", "embeddings.base_url": "http://127.0.0.1:9/v1", "embeddings.model": "m"}
    for settings, name in ((remote, None), ({}, MiniLMEmbedder().model)):
        with Project.open(tmp_path / "project", environ=environ, settings=settings) as project:
            found = project._app.find_embedder()
            assert (found and found.model) == name
            assert project._app.embedder().model == (name or "m")
