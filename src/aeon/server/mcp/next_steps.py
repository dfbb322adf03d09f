"""Next steps as tools of the MCP server."""

from collections.abc import Mapping
from typing import Final

TOOLS: Final[Mapping[str, str]] = {
    "runs.explain": "See the questions of the run {run} with run.look.",
    "runs.retry": "Then start the process again: this server cannot retry the run {run}.",
    "runs.view": "Look at the run {run} with run.look.",
}
