"""A memory of your own that keeps each value in a file, given to a project.

Run it: python examples/own_memory.py [FOLDER]
`aeon.testing.memory_conformance` tests what every memory owes the kernel.
"""

import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from aeon import Memory, Plan, Project
from aeon.memory.interface import check_prefix, decode_value, encode_value


class FolderMemory(Memory):
    """Keeps each value in a JSON file that people can read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def write(self, key: str, value: Any) -> None:
        text = encode_value(key, value)
        unfinished = self._file(key).with_suffix(".new")
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(self._file(key))

    def read(self, key: str) -> Any:
        file = self._file(key)
        return decode_value(key, file.read_text(encoding="utf-8")) if file.exists() else None

    def search(self, prefix: str) -> list[tuple[str, Any]]:
        check_prefix(prefix)
        keys = sorted(unquote(file.stem) for file in self._folder.glob("*.json"))
        return [(key, self.read(key)) for key in keys if key.startswith(prefix)]

    def delete(self, key: str) -> bool:
        is_there = self.read(key) is not None
        self._file(key).unlink(missing_ok=True)
        return is_there

    def _file(self, key: str) -> Path:
        return self._folder / f"{quote(key, safe='')}.json"


PLAN = Plan.model_validate(
    {
        "goal": "Add two numbers.",
        "steps": [
            {
                "step_id": "add",
                "description": "add them",
                "tool": "calculator",
                "arguments": {"expression": "15*23+7"},
            }
        ],
    }
)


def main(folder: str) -> None:
    """Run a plan, and show what the memory holds then."""
    memory = FolderMemory(Path(folder) / "values")
    with Project.open(folder, memory=memory) as project:
        print(project.run_plan(PLAN).status)
    for key, value in memory.search(""):
        print(key, value)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else ".")
