"""What Aeon costs beside a bare loop and three other orchestrators: `python benchmarks/kernel/run.py [--rounds N]`.

Prints one Markdown table for each question and writes them to RESULTS.md beside this file. Every figure is from fresh
interpreters, system after system and round after round, so that whatever else the machine does meets all of them.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import Any

from one import SYSTEMS

HERE = Path(__file__).parent
RESULTS = HERE / "RESULTS.md"

SIZES = {10: 15, 100: 5}
"""Steps of a plan, and runs timed in each process."""

STARTS = {
    "python -c pass": (["-c", "pass"], None),
    "import aeon": (["-c", "import aeon"], 150),
    "from aeon import Orchestrator": (["-c", "from aeon import Orchestrator"], None),
    "aeon --help": (["-m", "aeon", "--help"], 300),
}
"""Command lines of a fresh interpreter, and the most wall milliseconds that each may take."""

_PEAK = """
import json, os, subprocess, sys, time
start = time.perf_counter()
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, used = os.wait4(process.pid, 0)
assert status == 0, f"exit status {status}"
print(json.dumps({"ms": (time.perf_counter() - start) * 1e3, "cpu": (used.ru_utime + used.ru_stime) * 1e3,
                  "mb": used.ru_maxrss / 1024}))
"""
"""Runs a command and says what it took; a process of its own, so that `ru_maxrss` is not that of this one."""

Taken = dict[str, list[dict[str, Any]]]


def steps(systems: Sequence[str], size: int, runs: int, rounds: int) -> Taken:
    """Each system in a fresh process, round after round."""
    taken: Taken = defaultdict(list)
    for _ in range(rounds):
        for system in systems:
            if not (taken[system] and "skipped" in taken[system][0]):
                taken[system].append(_child([str(HERE / "one.py"), system, str(size), str(runs)]))
    return taken


def starts(rounds: int) -> Taken:
    """Each command line, round after round; the first round only warms the file cache."""
    taken: Taken = defaultdict(list)
    for number in range(rounds + 1):
        for name, (arguments, _) in STARTS.items():
            found = _child(["-c", _PEAK, sys.executable, *arguments])
            if number:
                taken[name].append(found)
    return taken


def _child(arguments: list[str]) -> dict[str, Any]:
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        return {"skipped": (done.stderr.strip().splitlines() or ["no output"])[-1]}
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def step_table(taken: Taken) -> Iterable[str]:
    yield "| system | CPU us/step, median (min to max) | x floor | wall us/step | first run, CPU us/step | peak MB |"
    yield "|---|--:|--:|--:|--:|--:|"
    base = _typical(taken, "floor")
    for system, found in taken.items():
        if "skipped" in found[0]:
            yield f"| {system} | skipped: {found[0]['skipped']} | | | | |"
            continue
        cpu = [median(each["cpu"]) for each in found]
        yield (
            f"| {system} | {median(cpu):.0f} ({min(cpu):.0f} to {max(cpu):.0f}) | {median(cpu) / base:.1f} "
            f"| {median(median(each['wall']) for each in found):.0f} "
            f"| {median(each['first_cpu'] for each in found):.0f} | {median(each['peak_mb'] for each in found):.0f} |"
        )


def start_table(taken: Taken) -> Iterable[str]:
    yield "| command | wall ms, median (min to max) | CPU ms | peak MB |"
    yield "|---|--:|--:|--:|"
    for name, found in taken.items():
        if "skipped" in found[0]:
            yield f"| `{name}` | skipped: {found[0]['skipped']} | | |"
            continue
        wall = [each["ms"] for each in found]
        cpu, peak = (median(each[kind] for each in found) for kind in ("cpu", "mb"))
        yield f"| `{name}` | {median(wall):.0f} ({min(wall):.0f} to {max(wall):.0f}) | {cpu:.0f} | {peak:.0f} |"


def aims(sizes: dict[int, Taken], begun: Taken, long: Taken) -> Iterable[tuple[str, str, bool]]:
    """What the project aims at, what was measured, and whether that is enough."""
    for size, taken in sizes.items():
        base = _typical(taken, "floor")
        for system in (system for system in taken if system.startswith("Aeon")):
            times = _typical(taken, system) / base
            yield f"{system}, {size} steps: at most 6 x the floor", f"{times:.1f} x", times <= 6
        peers = {system: _typical(taken, system) for system in PEERS if "skipped" not in taken[system][0]}
        if peers:
            nearest = min(peers, key=lambda system: peers[system])
            times = peers[nearest] / _typical(taken, "Aeon")
            yield f"{size} steps: below every peer", f"the nearest, {nearest}, takes {times:.1f} x as long", times > 1
    few, many = (_typical(sizes[size], "Aeon") for size in (10, 100))
    yield "a step of 100 costs no more than one of 10", f"{many:.0f} against {few:.0f} us", many <= few
    for name, (_, most) in STARTS.items():
        if most and "skipped" not in begun[name][0]:
            wall = median(each["ms"] for each in begun[name])
            yield f"`{name}`: at most {most} ms", f"{wall:.0f} ms", wall <= most
    imported = median(each["mb"] for each in begun["import aeon"])
    yield "`import aeon`: at most 35 MB", f"{imported:.0f} MB", imported <= 35
    some, most = (median(each["first_cpu"] for each in long[name]) for name in ("1000 steps", "10000 steps"))
    yield "a step of 10,000 costs at most 1.2 x one of 1,000", f"{most:.0f} against {some:.0f} us", most <= 1.2 * some
    peak = max(each["peak_mb"] for each in long["10000 steps"])
    yield "10,000 steps by hand: under 150 MB", f"{peak:.0f} MB", peak < 150


PEERS = [system for system in SYSTEMS if system not in ("tools alone", "floor") and not system.startswith("Aeon")]


def long_plans(rounds: int) -> Taken:
    """Plans by hand of 1,000 and 10,000 steps, run once in a fresh process."""
    taken: Taken = defaultdict(list)
    for _ in range(rounds):
        for size in (1_000, 10_000):
            taken[f"{size} steps"].append(_child([str(HERE / "one.py"), _BY_HAND, str(size), "0"]))
    return taken


def long_table(taken: Taken) -> Iterable[str]:
    yield "| plan by hand, run once | CPU us/step, median (min to max) | peak MB |"
    yield "|---|--:|--:|"
    for name, found in taken.items():
        cpu = [each["first_cpu"] for each in found]
        peak = max(each["peak_mb"] for each in found)
        yield f"| {name} | {median(cpu):.0f} ({min(cpu):.0f} to {max(cpu):.0f}) | {peak:.0f} |"


_BY_HAND = "Aeon, arguments in the plan"


def _typical(taken: Taken, system: str) -> float:
    return median(median(each["cpu"]) for each in taken[system])


def report(rounds: int) -> str:
    sizes = {size: steps(list(SYSTEMS), size, runs, rounds) for size, runs in SIZES.items()}
    begun, long = starts(4 * rounds), long_plans(max(1, rounds // 2))
    lines = [_INTRODUCTION.format(rounds=rounds, machine=_machine(), versions=_versions())]
    for size, taken in sizes.items():
        lines += ["", f"## {size} steps", "", *step_table(taken)]
    lines += ["", "## Start", "", *start_table(begun), "", "## Long plans", "", *long_table(long), "", "## Aims", ""]
    lines += ["| aim | measured | |", "|---|---|---|"]
    lines += [f"| {aim} | {found} | {'met' if met else '**missed**'} |" for aim, found, met in aims(sizes, begun, long)]
    return "\n".join(lines) + "\n"


_INTRODUCTION = """# What the kernel costs

    python benchmarks/kernel/run.py --rounds {rounds}

{machine}. {versions}.

Calculator and echo calls by turns, each asked for by a mock model as one JSON tool call. Every system runs the same two
functions, and every call is checked to have run. *tools alone* is those functions' own work, which is part of every
figure. The *floor* parses the call, checks it with jsonschema-rs, calls, checks the result, and writes one line to an
open file. Aeon runs with its log on, every entry in one write; the peers write no log. *Arguments in the plan* asks no
model. CPU is of the whole process, median over {rounds} fresh processes of the median run in each, after a first run
that stands apart; min and max are over the processes. The machine is shared: trust the ratios, not the microseconds."""


def _machine() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} cores ({platform.machine()}), {memory:.0f} GiB, Python {platform.python_version()}"


def _versions() -> str:
    names = ("jsonschema-rs", "pydantic", "langgraph", "pydantic-ai-slim", "openai-agents")
    return ", ".join(f"{name} {_version(name)}" for name in names)


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "absent"


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--rounds", type=int, default=5)
    text = report(options.parse_args().rounds)
    print(text)
    RESULTS.write_text(text)


if __name__ == "__main__":
    main()
