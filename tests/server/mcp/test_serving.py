"""Serving without what it takes. With it, it is served in tests/cli/test_mcp.py, as a process."""

import pytest

from aeon.base.errors import MissingExtraError
from aeon.base.masking import Mask
from aeon.server.mcp import McpCallHandler, serve, stdio_server


def test_without_the_extra_it_is_named(monkeypatch):
    monkeypatch.setattr(stdio_server, "find_spec", lambda _name: None)
    with pytest.raises(MissingExtraError, match="needs mcp") as missing:
        serve(McpCallHandler({}, Mask()))
    assert "aeon-orchestrator[platform]" in missing.value.advice
