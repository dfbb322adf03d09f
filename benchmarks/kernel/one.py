"""One system in one process: `python one.py SYSTEM STEPS RUNS` prints its figures as JSON.

CPU and wall time per step of every run in microseconds, the first run apart (it pays for what is loaded late), and the
peak of the process's memory in MB, imports included.
"""

import gc
import json
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import peers
import systems
from systems import System
from work import check_done

SYSTEMS: dict[str, System] = {
    "tools alone": systems.bare_tools,
    "floor": systems.floor,
    "Aeon": systems.aeon,
    "Aeon, arguments in the plan": systems.aeon_by_hand,
    "LangGraph StateGraph": peers.langgraph,
    "LangGraph create_react_agent": peers.langgraph_agent,
    "Pydantic AI": peers.pydantic_ai,
    "OpenAI Agents SDK": peers.openai_agents,
}


def measure(system: str, steps: int, runs: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        try:
            run = SYSTEMS[system](steps, Path(folder))
        except ImportError as error:
            return {"skipped": f"{error}; install the dependency group `bench`"}
        timed = [_timed(run, steps) for _ in range(runs + 1)]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    cpu, wall = ([round(time[kind], 2) for time in timed] for kind in (0, 1))
    return {"first_cpu": cpu[0], "cpu": cpu[1:] or cpu, "wall": wall[1:] or wall, "peak_mb": round(peak, 1)}


def _timed(run: systems.Run, steps: int) -> tuple[float, float]:
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    run()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    check_done(steps)
    return cpu * 1e6 / steps, wall * 1e6 / steps


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
