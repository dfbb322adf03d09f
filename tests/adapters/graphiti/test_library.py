"""Graphiti is imported without telemetry, without a log of contents, and without reading `.env` files."""

import os
import subprocess
import sys

import pytest

from aeon.adapters.graphiti import open_graphiti
from aeon.base.errors import ConfigError, MissingExtraError
from aeon.testing.embedding import HashEmbedder

PROGRAM = """
import asyncio, logging, os, sys
before = dict(os.environ)
import dotenv.main
dotenv.main.find_dotenv = lambda *given, **named: ".env"  # the one of a folder above Graphiti's
from aeon.adapters.graphiti import open_graphiti
assert "graphiti_core" not in sys.modules
from aeon.testing.embedding import HashEmbedder
opened = open_graphiti("falkordb://127.0.0.1:1", None, HashEmbedder(), lambda: None)
from graphiti_core import Graphiti
from graphiti_core.driver.falkordb_driver import FalkorDriver
from graphiti_core.telemetry.telemetry import is_telemetry_enabled
from aeon.adapters.graphiti.clients import AeonEmbedderClient, AeonLLMClient, KeptOrder
Graphiti(graph_driver=FalkorDriver(falkor_db=object()), llm_client=AeonLLMClient(lambda: None),
         embedder=AeonEmbedderClient(HashEmbedder()), cross_encoder=KeptOrder())
print(is_telemetry_enabled(), {name for name in os.environ if name not in before}, "posthog" in sys.modules,
      logging.getLogger("graphiti_core").isEnabledFor(logging.ERROR))
"""


@pytest.mark.slow
def test_nothing_is_sent_or_written_and_no_env_file_is_read(tmp_path):
    """In a process of its own: Graphiti sends nothing where pytest is loaded."""
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / ".env").write_text("FROM_ENV_FILE=1\n")
    environ = {"HOME": str(home), "PATH": os.environ["PATH"]}
    told = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environ, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert told.stdout.split() == ["False", "{'GRAPHITI_TELEMETRY_ENABLED'}", "False", "False"], told.stderr
    assert not (home / ".cache").exists()
    assert list(home.iterdir()) == []


def test_without_the_extra_the_error_names_it(uninstall):
    uninstall("graphiti_core")
    with pytest.raises(MissingExtraError, match=r"aeon-orchestrator\[graphiti\]"):
        open_graphiti("falkordb://127.0.0.1:1", None, HashEmbedder(), lambda: None)


@pytest.mark.parametrize("address", ["falkordb://127.0.0.1:1/more", "http://127.0.0.1", "bolt://127.0.0.1:x"])
def test_an_address_that_is_none_is_refused(address):
    with pytest.raises(ConfigError):
        open_graphiti(address, None, HashEmbedder(), lambda: None)
