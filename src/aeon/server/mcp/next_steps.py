"""Next steps as tools of the MCP server."""

from collections.abc import Mapping
from typing import Final

TOOLS: Final[Mapping[str, str]] = {
    "runs.ask_again": "To be asked again, start the process again: this server cannot retry the run {run}.",
    "runs.explain": "See the questions of the run {run} with run.look.",
    "runs.list": "Use the id that starting the process returned as `run`: this server does not list runs.",
    "runs.resume": "Look at the run {run} with run.look; it goes on without the answer.",
    "runs.retry": "Then start the process again: this server cannot retry the run {run}.",
    "runs.view": "Look at the run {run} with run.look.",
}
