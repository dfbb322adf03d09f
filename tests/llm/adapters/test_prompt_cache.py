"""Instructions are read once on a machine; the cache never fails a question and keeps no request."""

import pytest

from aeon.llm.adapters.llama_cpp import LlamaCppAdapter
from aeon.llm.adapters.llama_runtime import RuntimeSettings
from aeon.llm.adapters.prompt_cache import MIN_CACHED_CHARACTERS, PromptCache, make_private_folder
from aeon.llm.interface import LLMRequest
from aeon.testing.wire_double import WireDouble

INSTRUCTIONS = "You answer with one word. " + "Colours are red, green and blue. " * 80
QUESTION = LLMRequest("Name a colour.", INSTRUCTIONS, max_tokens=4, temperature=0.0)


def settings(tmp_path):
    weights = tmp_path / "model.gguf"
    weights.write_bytes(b"GGUF")
    return RuntimeSettings(weights, 4096, 1, "key", tmp_path)


@pytest.mark.server
def test_a_server_that_cannot_save_costs_nothing_but_time(tmp_path):
    read = []
    with WireDouble([]) as double:
        cache = PromptCache(tmp_path, settings(tmp_path))
        cache.load_instructions(double.base_url, INSTRUCTIONS, lambda: read.append(1))
        cache.load_instructions(double.base_url, INSTRUCTIONS, lambda: read.append(1))

    assert read == [1], "read once, in this process"
    assert list(tmp_path.glob("*.state")) == []


def test_an_address_where_nobody_listens_costs_nothing_but_time(tmp_path):
    read = []

    PromptCache(tmp_path, settings(tmp_path)).load_instructions(
        "http://127.0.0.1:9", INSTRUCTIONS, lambda: read.append(1)
    )

    assert read == [1]


def test_short_instructions_are_not_kept(tmp_path):
    PromptCache(tmp_path, settings(tmp_path)).load_instructions(
        "http://127.0.0.1:9", "x" * (MIN_CACHED_CHARACTERS - 1), pytest.fail
    )


def test_the_folder_is_private_and_its_absence_no_error(tmp_path):
    (tmp_path / "file").write_text("")

    assert (make_private_folder(tmp_path / "states") or tmp_path).stat().st_mode & 0o777 == 0o700
    assert make_private_folder(tmp_path / "file" / "states") is None


@pytest.mark.model
@pytest.mark.slow
def test_the_next_process_restores_what_the_first_one_read(tiny_model, tmp_path):
    answers = []
    for _ in range(2):
        with LlamaCppAdapter(tiny_model, states=tmp_path / "states") as model:
            answers.append(model.complete(QUESTION).text)
    files = list((tmp_path / "states").iterdir())

    assert answers[0] == answers[1]
    assert [file.suffix for file in files] == [".state"]


@pytest.mark.model
@pytest.mark.slow
def test_a_damaged_file_is_replaced(tiny_model, tmp_path):
    folder = tmp_path / "states"
    with LlamaCppAdapter(tiny_model, states=folder) as model:
        first = model.complete(QUESTION).text
    (file,) = folder.iterdir()
    size = file.stat().st_size
    file.write_bytes(b"nothing a model could know" * 10)

    with LlamaCppAdapter(tiny_model, states=folder) as model:
        second = model.complete(QUESTION).text

    assert second == first
    assert file.stat().st_size == size


@pytest.mark.model
@pytest.mark.slow
def test_no_request_is_in_a_file(tiny_model, tmp_path):
    """Two requests leave the one file they share, as it was before the second."""
    folder = tmp_path / "states"
    with LlamaCppAdapter(tiny_model, states=folder) as model:
        model.complete(QUESTION)
        (file,) = folder.iterdir()
        before = file.read_bytes()
        model.complete(LLMRequest("My secret is 4711.", INSTRUCTIONS, max_tokens=4, temperature=0.0))

    assert file.read_bytes() == before
