"""Make the pictures of the terminal in docs/pictures: each shows commands that are run now, with their real output.

Run it as `python docs/make_pictures.py [--check]`.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "pictures"
WIDTH = 92

PICTURES = {
    "run": ("A plan by hand", ["aeon run --plan trip.yaml --log trip.jsonl", "aeon log replay trip.jsonl"]),
    "mistakes": (
        "All mistakes at once",
        ["sed 's/calculator/calculater/; s/fuel.result/petrol.result/' trip.yaml | aeon run --plan -"],
    ),
    "log": ("What happened", ["aeon log show trip.jsonl", "aeon log verify trip.jsonl | head -1"]),
}
"""By file name: the title of the window, and the commands. They run in this order, in one folder."""

TEMPLATE = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
  <style>
    .{unique_id}-matrix {{
      font-family: Menlo, Consolas, "DejaVu Sans Mono", monospace;
      font-size: {char_height}px;
      line-height: {line_height}px;
    }}
    .{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: sans-serif; }}
    {styles}
  </style>
  <defs>
    <clipPath id="{unique_id}-clip-terminal">
      <rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
    </clipPath>
    {lines}
  </defs>
  {chrome}
  <g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
    {backgrounds}
    <g class="{unique_id}-matrix">{matrix}</g>
  </g>
</svg>
"""
"""The picture, in the fields that rich fills. Rich's own template fetches fonts from another host."""


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    stale = [name for name, svg in drawn().items() if not is_written(FOLDER / f"{name}.svg", svg)]
    if stale:
        sys.exit(f"docs/pictures: {', '.join(stale)} stale; run: make pictures")


def is_written(picture: Path, svg: str) -> bool:
    """Whether the picture is as it is drawn now; without `--check` it is written."""
    if "--check" in sys.argv:
        return picture.exists() and picture.read_text("utf-8") == svg
    picture.write_text(svg, "utf-8")
    return True


def drawn() -> dict[str, str]:
    """All pictures as SVG, by name."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(ROOT / "examples" / "trip.yaml", folder)
        return {name: picture(name, title, commands, Path(folder)) for name, (title, commands) in PICTURES.items()}


def picture(name: str, title: str, commands: list[str], folder: Path) -> str:
    console = Console(record=True, width=WIDTH, file=StringIO(), force_terminal=True, highlight=False)
    for command in commands:
        console.print(Text.assemble(("$ ", "green"), (command, "bold")))
        console.print(Text(output_of(command, folder)))
    return console.export_svg(title=title, unique_id=name, code_format=TEMPLATE)


def output_of(command: str, folder: Path) -> str:
    """What a command prints, with what it says on stderr."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    own = {f"XDG_{kind}_HOME": str(folder / kind) for kind in ("CONFIG", "STATE", "DATA")}
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=folder,
        env={"PATH": path, "HOME": str(folder), "COLUMNS": str(WIDTH - 2), "LANG": "C.UTF-8", **own},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.stdout.rstrip("\n")


if __name__ == "__main__":
    main()
