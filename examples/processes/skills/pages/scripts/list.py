"""Names the text files of a folder. Reads one JSON object from stdin, writes one JSON event per line to stdout."""

import json
import sys
from pathlib import Path

folder = Path(json.load(sys.stdin)["input"]["folder"])
files = sorted(str(each) for each in folder.glob("*.txt"))
print(json.dumps({"version": "0", "type": "state_patch", "patch": {"files": files}}))
print(json.dumps({"version": "0", "type": "done", "ok": True, "summary": f"{len(files)} files."}))
