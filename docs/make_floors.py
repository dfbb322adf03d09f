"""Make docs/floors.md from the import contracts: the floors of the whole, of the skills and of the platform.

Run it as `python docs/make_floors.py [--check]`.
"""

import configparser
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
TARGET = Path(__file__).with_name("floors.md")
TITLES = {"aeon": "The whole", "aeon.skills": "Inside the skills", "aeon.platform": "Inside the platform"}


def floors() -> Iterator[tuple[str, list[list[str]]]]:
    """The containers of the layers contracts, each with its floors from top to bottom."""
    parser = configparser.ConfigParser()
    parser.read(ROOT / ".importlinter", encoding="utf-8")
    for name in parser.sections():
        section = parser[name]
        if section.get("type") == "layers" and section["containers"].strip() in TITLES:
            rows = [line.strip() for line in section["layers"].splitlines() if line.strip()]
            yield section["containers"].strip(), [[room.strip() for room in row.split("|")] for row in rows]


def purpose(container: str, room: str) -> str:
    """The first line of a room's docstring."""
    place = ROOT / "src" / Path(*container.split("."), room)
    file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    return file.read_text("utf-8").split('"""')[1].strip().splitlines()[0].replace("|", "\\|")


def page() -> str:
    lines = [
        "# The floors",
        "",
        "Made by `docs/make_floors.py` from `.importlinter`. A room imports only rooms on lower floors.",
    ]
    for container, rows in floors():
        lines += ["", f"## {TITLES[container]}: `{container}`", "", "```"]
        lines += [
            f"{number:2}  " + "  |  ".join(row) for number, row in zip(range(len(rows), 0, -1), rows, strict=True)
        ]
        lines += ["```", "", "| room | purpose |", "|---|---|"]
        lines += [f"| `{room}` | {purpose(container, room)} |" for row in rows for room in row if room != "__main__"]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the page, or with `--check` end with 1 if it is not current."""
    if "--check" not in sys.argv:
        TARGET.write_text(page(), "utf-8")
    elif not TARGET.exists() or TARGET.read_text("utf-8") != page():
        sys.exit(f"{TARGET.name} is not current: run python docs/make_floors.py")


if __name__ == "__main__":
    main()
