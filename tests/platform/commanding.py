"""Carries out commands of `aeon` one after another in this process: each a line of JSON with `argv` and `stdin`.

`broken` is the type of operation whose executor raises what it was given from then on. The exit codes go to the file
that is named.
"""

import io
import json
import sys
from pathlib import Path

from aeon.adapters.operations.mcp import McpExecutor
from aeon.adapters.operations.rest import RestExecutor
from aeon.cli.entrypoint import run

EXECUTORS = {"rest_request": RestExecutor, "mcp_call": McpExecutor}


def broken(_executor, work):
    """A defect of an executor: what it says holds the secret."""
    value = work.secret.reveal()
    raise KeyError(work, value, *value.values())


def main(codes):
    for line in sys.stdin.read().splitlines():
        command = json.loads(line)
        if kind := command.get("broken"):
            EXECUTORS[kind].execute = broken
            continue
        sys.stdin = io.TextIOWrapper(io.BytesIO(command["stdin"].encode()))
        codes.append([command["argv"], run(command["argv"])])


if __name__ == "__main__":
    ended: list[object] = []
    try:
        main(ended)
    finally:
        Path(sys.argv[1]).write_text(json.dumps(ended))
