"""No object that holds a secret shows it (platform 3)."""

import httpx2
import pytest

from aeon.adapters.operations.exchange import Asked
from aeon.adapters.operations.graph_falkordb import FalkorServer
from aeon.adapters.operations.graph_neo4j import Neo4jServer
from aeon.adapters.operations.graph_rows import Place, login
from aeon.adapters.operations.llm_servers import model_server
from aeon.adapters.operations.mcp_sessions import reach_key
from aeon.adapters.operations.mcp_transports import Reach
from aeon.platform.catalog.calling import Work
from aeon.platform.catalog.operations import LlmCall
from aeon.platform.catalog.secrets import Secrets
from aeon.platform.catalog.tokens import Tokens
from aeon.platform.vault import Revealed
from aeon.testing.clock import FakeClock

CANARY = "canary-7741"
SECRET = Revealed({"key": CANARY})
PASSWORD = Revealed({"username": "ann", "password": CANARY})
CONNECTION = {"endpoint": "http://127.0.0.1:1", "model": "m"}
WORK = Work("me", LlmCall(prompt_template="?", allow_private=True), "http", CONNECTION, {}, SECRET, {})
REACH = Reach("http", CONNECTION, SECRET, allow_private=True)
PLACE = Place("bolt", "127.0.0.1", 1, None)


@pytest.mark.parametrize(
    "holder",
    [
        WORK,
        REACH,
        reach_key(REACH),
        Asked("GET", httpx2.URL(f"http://x/?key={CANARY}"), {"authorization": CANARY}, CANARY.encode()),
        FalkorServer(PLACE, login(PASSWORD)),
        Neo4jServer(PLACE, login(PASSWORD)),
        model_server(WORK),
    ],
    ids=lambda holder: type(holder).__name__,
)
def test_platform_3_neither_repr_nor_str_shows_a_secret(holder):
    assert CANARY not in f"{holder!r} {holder}"


def test_platform_3_what_refreshes_tokens_keeps_none():
    kept = vars(Tokens(Secrets.__new__(Secrets), Secrets.__new__(Secrets), FakeClock()))
    assert set(kept) == {"_secrets", "_server", "_clock", "_locks"}
