"""Many runs at once, and in the lists: `python benchmarks/processes/many.py [--runs N] [--stored N]`.

The product's own path as in `peers.py`. First N runs of five no-op steps are accepted for any worker, and one process
adopts all of them: CPU a step and threads. Then as many wait for a person: memory a run. Then lists of N stored
runs, each page of 50 with each filter.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles

STEPS = 5
WORDS = ("garden", "attic", "harbour", "station")


def rss() -> int:
    """The resident memory of this process in KiB."""
    fields = Path("/proc/self/statm").read_text(encoding="ascii").split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


def measure_adopted(folder: Path, runs: int, *, wait: bool) -> dict[str, float]:
    """CPU and seconds until runs that one process adopts have ended, or `wait` for a person; threads, grown memory."""
    from peers import opened_runtime

    from aeon.platform.ledger import MutationRequest
    from aeon.platform.runs.admission import NewRun
    from aeon.platform.runs.model import DETACHED

    manual = {"execution": {"interactionMode": "manual", "timeout": 86_400}}
    with opened_runtime(folder) as (runner, add_process):
        process = add_process("work", [manual] if wait else [{} for _ in range(STEPS)])
        repository = runner.runs.repository
        request = MutationRequest("me")
        ids = [runner.runs.accept(process, NewRun({}, executor=DETACHED), request).id for _ in range(runs)]

        def is_done() -> bool:
            if wait:
                return sum(repository.count_entries(ids).values()) == 2 * runs
            return not repository.list_open(1)

        runner.start(["process"])
        before, cpu, began, threads = rss(), time.process_time(), time.perf_counter(), 0
        while not is_done():
            runner.orphan_recovery.adopt()
            threads = max(threads, threading.active_count())
            time.sleep(0.05)
        spent, seconds = time.process_time() - cpu, time.perf_counter() - began
        phases = {each.phase for each in repository.list_summaries(ids)}
        assert phases == {"running" if wait else "completed"}, phases
        return {"cpu": spent, "seconds": seconds, "threads": threads, "grown": rss() - before}


def measure_lists(folder: Path, stored: int) -> dict[str, list[float]]:
    """Milliseconds of pages of 50 runs, by filter."""
    from peers import opened_runtime

    from aeon.application.run_reader import RunReader
    from aeon.platform.ledger import MutationRequest
    from aeon.platform.runs.admission import NewRun
    from aeon.platform.runs.model import DETACHED

    chance = random.Random(7)
    with opened_runtime(folder) as (runner, add_process):
        processes = [add_process(name, [{}]) for name in ("orders", "mails")]
        for _ in range(stored):
            new = NewRun({}, executor=DETACHED, tags={"to": chance.choice(WORDS)})
            runner.runs.accept(chance.choice(processes), new, MutationRequest("me"))
        settle_all(runner.platform.store)
        reader = RunReader(runner.runs, "me")
        first = reader.list(limit=50)
        middle = first
        for _ in range(min(100, stored // 100)):
            middle = reader.list(limit=50, after=middle.next_cursor)
        asked: dict[str, Callable[[], object]] = {
            "newest": lambda: reader.list(limit=50),
            "a page in the middle": lambda: reader.list(limit=50, after=middle.next_cursor),
            "--phase failed": lambda: reader.list(limit=50, phase="failed"),
            "--process": lambda: reader.list(limit=50, process="mails"),
            "--tag": lambda: reader.list(limit=50, tag="to=attic"),
            "--text that a twentieth has": lambda: reader.list(limit=50, text="refused"),
            "--text that none has": lambda: reader.list(limit=50, text="nothing has this"),
            "--code that none has": lambda: reader.list(limit=50, code="nothing"),
            "--before the oldest": lambda: reader.list(limit=50, before="2001-01-01T00:00:00+00:00"),
        }
        return {name: [timed(act) for _ in range(40)] for name, act in asked.items()}


def settle_all(store: object) -> None:
    """End all runs, one in ten as failed: what happened in them does not matter to lists."""
    ended = (
        "UPDATE runs SET phase = 'completed', ended_at = accepted_at, ended_micros = 1, events = 7 WHERE phase = 'new'"
    )
    failure = """'{"code":"Refused","message":"refused","nextStep":""}'"""
    which = "WHERE substr(id, 1, 1) IN ('a', '7')"
    failed = f"UPDATE runs SET phase = 'failed', ended_at = accepted_at, ended_micros = 1, failure = {failure} {which}"  # noqa: S608  # constants
    store.update(lambda unit: (unit.write(failed), unit.write(ended)))  # type: ignore[attr-defined]


def timed(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return (time.perf_counter() - began) * 1e3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--stored", type=int, default=20_000)
    parser.add_argument(
        "--part", choices=("queued", "waiting", "lists"), help="one part, as JSON (what this program calls itself)"
    )
    asked = parser.parse_args()
    if asked.part:
        with tempfile.TemporaryDirectory() as folder:
            if asked.part == "lists":
                print(json.dumps(measure_lists(Path(folder), asked.stored)))
            else:
                print(json.dumps(measure_adopted(Path(folder), asked.runs, wait=asked.part == "waiting")))
        return
    command = [sys.executable, __file__, "--runs", str(asked.runs), "--stored", str(asked.stored), "--part"]
    parts = {
        part: json.loads(subprocess.run([*command, part], capture_output=True, text=True, check=True).stdout)
        for part in ("queued", "waiting", "lists")
    }
    queued, load = parts["queued"], os.getloadavg()[0]
    each = queued["cpu"] / (asked.runs * STEPS) * 1e3
    print(f"{asked.runs:,} runs of {STEPS} steps queued at once (load {load:.1f}): {queued['seconds']:.1f} s")
    print(f"CPU a step {each:.2f} ms (aim 4); threads {queued['threads']:.0f} (aim 64)")
    print(f"a run that waits for a person: {parts['waiting']['grown'] / asked.runs:.0f} KiB (aim 80)")
    print(f"\n| list of {asked.stored:,} runs, 50 a page | median ms | p95 ms | aim 50 |\n|---|---|---|---|")
    for name, found in parts["lists"].items():
        p95 = quantiles(found, n=20)[-1]
        print(f"| {name} | {median(found):.1f} | {p95:.1f} | {'held' if p95 <= 50 else 'MISSED'} |")


if __name__ == "__main__":
    main()
