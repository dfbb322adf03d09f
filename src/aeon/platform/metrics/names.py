"""What a metric is called outside: one legal name for each, since no two of a scope differ in punctuation alone."""

from aeon.platform.metrics.model import Scope
from aeon.platform.records import KEY_SEPARATOR


def exposed_name(scope: Scope, name: str) -> str:
    """The name in an exposition: `tool.calls` of a tool is `aeon_tool_calls`."""
    return f"aeon_{scope}_{_rest(scope, name)}"


def name_key(scope: Scope, name: str) -> str:
    """What is unique for a metric: two that would be exposed as one are one."""
    return f"{scope}{KEY_SEPARATOR}{_rest(scope, name)}"


def _rest(scope: Scope, name: str) -> str:
    return name.removeprefix(f"{scope}.").replace(".", "_")
