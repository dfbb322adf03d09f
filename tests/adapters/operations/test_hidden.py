"""No object that holds a secret shows it (platform 3)."""

import httpx2
import pytest

from aeon.adapters.operations.graph_falkordb import FalkorQueryClient
from aeon.adapters.operations.graph_neo4j import Neo4jQueryClient
from aeon.adapters.operations.graph_results import GraphEndpoint, login_of
from aeon.adapters.operations.http_client import HttpRequest
from aeon.adapters.operations.llm_endpoints import model_server
from aeon.adapters.operations.mcp_sessions import session_key
from aeon.adapters.operations.mcp_transports import McpEndpoint
from aeon.platform.catalog.oauth_tokens import OAuthTokens
from aeon.platform.catalog.operations import LlmCall
from aeon.platform.catalog.secrets import SecretRepository
from aeon.platform.catalog.tool_calls import OperationRequest
from aeon.platform.vault import SecretValue
from aeon.testing.clock import FakeClock

CANARY = "canary-7741"
SECRET = SecretValue({"key": CANARY})
PASSWORD = SecretValue({"username": "ann", "password": CANARY})
CONNECTION = {"endpoint": "http://127.0.0.1:1", "model": "m"}
WORK = OperationRequest("me", LlmCall(prompt_template="?", allow_private=True), "http", CONNECTION, {}, SECRET, {})
REACH = McpEndpoint("http", CONNECTION, SECRET, allow_private=True)
PLACE = GraphEndpoint("bolt", "127.0.0.1", 1, None)


@pytest.mark.parametrize(
    "holder",
    [
        WORK,
        REACH,
        session_key(REACH),
        HttpRequest("GET", httpx2.URL(f"http://x/?key={CANARY}"), {"authorization": CANARY}, CANARY.encode()),
        FalkorQueryClient(PLACE, login_of(PASSWORD)),
        Neo4jQueryClient(PLACE, login_of(PASSWORD)),
        model_server(WORK),
    ],
    ids=lambda holder: type(holder).__name__,
)
def test_platform_3_neither_repr_nor_str_shows_a_secret(holder):
    assert CANARY not in f"{holder!r} {holder}"


def test_platform_3_what_refreshes_tokens_keeps_none():
    kept = vars(
        OAuthTokens(SecretRepository.__new__(SecretRepository), SecretRepository.__new__(SecretRepository), FakeClock())
    )
    assert set(kept) == {"_secrets", "_server", "_clock", "_locks"}
