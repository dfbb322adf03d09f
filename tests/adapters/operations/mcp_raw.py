"""An MCP server on stdio that breaks rules, as those of others do. What it gets goes to the file of its first argument.

It prints a line that is not JSON, lists `order` on its second page only, and returns what the caller asks for.
"""

import json
import sys
from pathlib import Path

SCHEMA = {"type": "object", "required": ["number"], "properties": {"number": {"type": "integer"}}}
TOOLS = {
    None: {"tools": [{"name": "first", "inputSchema": {"type": "object"}}], "nextCursor": "2"},
    "2": {"tools": [{"name": "order", "inputSchema": {"type": "object"}, "outputSchema": SCHEMA}]},
}
INFO = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "raw", "version": "1"}}
UNKNOWN = {"code": -32601, "message": "Method not found"}


def answer(message):
    params = message.get("params", {})
    match message["method"]:
        case "initialize":
            return INFO
        case "ping":
            return {}
        case "tools/list":
            return TOOLS[params.get("cursor")]
        case "tools/call":
            return params["arguments"]["result"]


def send(line):
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main():
    send("ready, and this is not JSON")
    for line in sys.stdin:
        message = json.loads(line)
        with Path(sys.argv[1]).open("a") as log:
            log.write(message["method"] + "\n")
        if message["method"] == "server/discover":
            send(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": UNKNOWN}))
        elif "id" in message and (result := answer(message)) is not None:
            send(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}))


if __name__ == "__main__":
    main()
