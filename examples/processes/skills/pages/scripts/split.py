"""Gives the pages of a text file. Reads one JSON object from stdin, writes one JSON event per line to stdout."""

import json
import sys
from pathlib import Path

text = Path(json.load(sys.stdin)["input"]["file"]).read_text(encoding="utf-8")
parts = [part.strip() for part in text.split("\f") if part.strip()]
pages = [{"number": number, "text": part} for number, part in enumerate(parts, 1)]
print(json.dumps({"version": "0", "type": "state_patch", "patch": {"pages": pages}}))
print(json.dumps({"version": "0", "type": "done", "ok": True, "summary": f"{len(pages)} pages."}))
