"""Which embedding model the settings choose, and who gets its key."""

import pytest

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
