"""What others are told of a tool's effects."""

from typing import get_args

import pytest

from aeon.platform.catalog.kernel_tool import StoredTool
from aeon.platform.catalog.model import Tool
from aeon.platform.catalog.operations import Effect
from aeon.server.mcp.offered_tools import offer_stored_tools

TOLD = {
    "pure": {"read_only": True, "open_world": False},
    "read": {"read_only": True},
    "idempotent": {"read_only": False, "idempotent": True},
    "once": {"read_only": False, "idempotent": False},
}


def stored(**more) -> StoredTool:
    said = {
        "id": "t1",
        "name": "stock",
        "ownerId": "me",
        "createdAt": "2026-01-01T00:00:00Z",
        "updatedAt": "2026-01-01T00:00:00Z",
        "serviceId": "s1",
        "operation": {"type": "rest_request", "method": "POST", "path": "/"},
        "inputSchema": {"type": "object"},
        "outputSchema": {},
        **more,
    }
    return StoredTool(Tool.model_validate(said), lambda _given: pytest.fail("it is only offered"))


@pytest.mark.parametrize("effect", get_args(Effect))
def test_the_effect_of_a_stored_tool_is_told_and_nothing_that_is_not_known(effect):
    ((tool, hints),) = offer_stored_tools([stored(effect=effect)])
    assert tool.name == "stock"
    assert {name: said for name, said in hints._asdict().items() if said is not None} == TOLD[effect]


def test_where_its_owner_says_nothing_its_operation_does():
    """RFC 9110, section 9.2.2: a POST is not to be done twice."""
    ((_, hints),) = offer_stored_tools([stored()])
    assert hints.idempotent is False
