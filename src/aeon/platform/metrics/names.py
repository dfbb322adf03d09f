"""What a metric is called outside: one legal name for each, since no two of a scope differ in punctuation alone."""

from aeon.platform.metrics.model import MetricScope


def prometheus_name(scope: MetricScope, name: str) -> str:
    """The name in an exposition, which is unique: `tool.calls` of a tool is `aeon_tool_calls`."""
    rest = name.removeprefix(f"{scope}.").replace(".", "_")
    return f"aeon_{scope}_{rest}"
