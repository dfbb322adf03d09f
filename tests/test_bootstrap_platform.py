"""The platform of a folder belongs to nobody: every verb takes a user."""

import os
from contextlib import closing
from pathlib import Path

import pytest

from aeon.bootstrap.app import build_app
from aeon.platform.catalog.model import NewService, NewTool
from aeon.platform.ledger import MutationRequest
from aeon.settings import Settings

ENDPOINT = {"type": "object", "required": ["endpoint"]}
SERVICE = {"name": "api", "type": "rest_api", "protocol": "http", "connectionSchema": ENDPOINT}
TOOL = {"connectionParams": {"endpoint": "http://x"}, "operation": {"type": "rest_request"}, "inputSchema": {}}


@pytest.fixture
def app(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with closing(build_app(Settings(), os.environ, folder=Path.cwd())) as made:
        yield made


def test_what_a_second_user_is_given_is_not_the_firsts(app):
    catalog = app.platform().catalog
    for user in ("me", "bob"):
        catalog.add_user(user)
        service = catalog.services.add(NewService.parsed(SERVICE), MutationRequest(user))
        new = NewTool.parsed({**TOOL, "name": f"of_{user}", "serviceId": service.id})
        catalog.tools.add(new, MutationRequest(user))
    assert [tool.name for tool in app.register_stored_tools("me")] == ["of_me"]
    assert [tool.name for tool in app.platform().tools_for_kernel("bob")] == ["of_bob"]


def test_a_stored_tool_whose_name_has_spaces_is_there_for_plans(app):
    catalog = app.platform().catalog
    catalog.add_user("me")
    service = catalog.services.add(NewService.parsed(SERVICE), MutationRequest("me"))
    for name in ("lager stand", "other"):
        catalog.tools.add(NewTool.parsed({**TOOL, "name": name, "serviceId": service.id}), MutationRequest("me"))
    app.register_stored_tools("me")
    assert app.registry.get("lager_stand").name == "lager_stand"
    assert app.registry.get("other").name == "other"
    assert app.warnings == []
