"""What carrying a Process out costs: `python benchmarks/processes/run.py [--rounds N] [--only PEER] [--shapes SHAPE]`.

`--prefect-python PATH` is an interpreter that has Prefect, which does not install beside the rest: an environment of
its own (`uv venv ENV`, `uv pip install --python ENV/bin/python prefect`), without Aeon. `--long` measures whole
histories instead: runs of 1,000, 3,000 and 10,000 steps, each to its end, and what they leave on the disk.

Aeon on SQLite beside bare DBOS doing the same steps, and beside LangGraph with its SQLite saver,
Prefect and Temporal's dev server where they are installed. No-op tools. Each peer runs in a process of its own; the
processes take turns, round by round, so that whatever else the machine does meets all of them. Times are medians of
the rounds, each the median of the runs in it, after one run that is not counted.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from histories import measured_histories
from peers import PEERS, missing

SHAPES = {
    "chain of 10": ("chain", 10, 7),
    "chain of 100": ("chain", 100, 2),
    "fan of 10": ("fan", 10, 7),
    "fan of 100": ("fan", 100, 5),
    "fan of 1000": ("fan", 1000, 1),
    "loop of 1000": ("loop", 1000, 1),
    "loop of 10000": ("loop", 10_000, 1),
}
"""The kind, how many steps, and how many runs in a round."""

CHAIN_AND_LOOP = ("langgraph", "prefect", "temporal")
"""Peers that are asked about the short chain and the loop of 1,000 alone, LangGraph about both loops."""


def measured(peer: str, python: str, kind: str, width: int, runs: int) -> float | None:
    """The median milliseconds of a run, in a fresh process; None where it fails, with why on stderr."""
    with tempfile.TemporaryDirectory() as folder:
        command = [python, str(Path(__file__).with_name("peers.py")), peer, kind, str(width), str(runs), folder]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        except subprocess.TimeoutExpired:
            print(f"{peer} {kind} {width}: more than 300 s", file=sys.stderr)
            return None
    if done.returncode:
        print(f"{peer} {kind} {width}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return None
    return median(json.loads(done.stdout.splitlines()[-1]))


def compared(rounds: int, only: list[str], shapes: list[str], pythons: dict[str, str]) -> dict[str, dict[str, float]]:
    """Median milliseconds by shape and peer; `pythons` are the interpreters of peers that have one of their own."""
    chosen = {shape: how for shape, how in SHAPES.items() if not shapes or shape in shapes}
    times: dict[str, dict[str, list[float]]] = {shape: {} for shape in chosen}
    peers = [peer for peer in PEERS if not only or peer in only]
    for _ in range(rounds):
        for shape, (kind, width, runs) in chosen.items():
            for peer in peers:
                python = pythons.get(peer)
                is_short = shape in {"chain of 10", "loop of 1000"}
                is_asked = peer not in CHAIN_AND_LOOP or is_short or (kind == "loop" and peer == "langgraph")
                if (python is None and missing(peer)) or not is_asked:
                    continue
                if (taken := measured(peer, python or sys.executable, kind, width, runs)) is not None:
                    times[shape].setdefault(peer, []).append(taken)
    return {shape: {peer: median(found) for peer, found in by.items()} for shape, by in times.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--shapes", nargs="*", default=[], choices=SHAPES)
    parser.add_argument("--prefect-python", metavar="PATH")
    parser.add_argument("--long", action="store_true")
    asked = parser.parse_args()
    if asked.long:
        print("\n".join(measured_histories()))
        return
    pythons = {"prefect": asked.prefect_python} if asked.prefect_python else {}
    found = compared(asked.rounds, asked.only, asked.shapes, pythons)
    lines = ["| shape | peer | ms | beside bare DBOS |", "|---|---|---|---|"]
    for shape, by in found.items():
        floor = by.get("dbos")
        for peer, taken in by.items():
            ratio = f"{taken / floor:.2f}" if floor else ""
            lines.append(f"| {shape} | {peer} | {taken:.1f} | {ratio} |")
    print("\n".join(lines))
    for peer in PEERS:
        if peer not in pythons and (why := missing(peer)):
            print(f"not measured: {peer}: {why}")


if __name__ == "__main__":
    main()
