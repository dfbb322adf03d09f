"""A hundred-node DAG of processes beside a bare spawn loop: `python benchmarks/skills/processes.py [--rounds N]`.

The node is a shell script that writes its `done` event. The bare loop starts the same script by posix_spawn with a pipe
for its output, reads it and waits, as many at once as there are cores; it checks and cleans nothing. Aeon runs it
with everything on: plan check, protocol, limits, isolation, cleaning after each script, effects, trace. Both are
measured round after round in one process; the reaper's start is told apart, since it is paid once a run.
"""

import argparse
import os
import select
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from aeon.skills.executor.plan_executor import PlanExecutor
from aeon.skills.invocation import Invocation, ScriptAccess
from aeon.skills.models import Skill, SkillCatalog, SkillScript
from aeon.skills.plan_json import PlanJson, ToolInvocation
from aeon.skills.sandbox import SandboxRunner

NODES = 100
WIDTHS = (1, 10, 100)
CORES = len(os.sched_getaffinity(0))
SHELL = '#!/bin/sh\necho \'{"version":"0","type":"done","ok":true}\'\n'
PYTHON = """
import json, sys
json.loads(sys.stdin.readline())
print(json.dumps({"version": "0", "type": "done", "ok": True}))
"""


def plan(width: int) -> PlanJson:
    """Layers of `width` nodes, each node after one of the layer before."""
    nodes = [
        ToolInvocation(
            tool_id=f"n{at}",
            tool_path="noop/scripts/noop",
            dependencies=[f"n{at - width}"] if at >= width else [],
        )
        for at in range(NODES)
    ]
    return PlanJson(tools=nodes)


def bare(command: list[str], width: int, cap: int) -> float:
    """Seconds that the bare loop takes for as many processes in the same order."""
    start = time.perf_counter()
    for layer in range(0, NODES, width):
        waiting = min(width, NODES - layer)
        running: dict[int, int] = {}
        while waiting or running:
            while waiting and len(running) < cap:
                read, write = os.pipe()
                pid = os.posix_spawn(
                    command[0], command, {"PATH": os.defpath}, file_actions=[(os.POSIX_SPAWN_DUP2, write, 1)]
                )
                os.close(write)
                running[read] = pid
                waiting -= 1
            for read in select.select(list(running), [], [])[0]:
                if not os.read(read, 65536):
                    os.close(read)
                    os.waitpid(running.pop(read), 0)
    return time.perf_counter() - start


def catalog(script: Path) -> SkillCatalog:
    found = SkillScript("noop", script, "noop/scripts/noop", is_executable=True, protocol="ndjson")
    return SkillCatalog((Skill("noop", "does nothing", script.parent, script, script.parent, scripts=(found,)),))


def aeon(runner: SandboxRunner, script: Path, command: list[str], width: int) -> float:
    """Seconds that the executor takes for the plan, its result checked."""

    def prepare(skill: Skill, script: SkillScript, given: dict, request_id: str) -> Invocation:  # noqa: ARG001
        return Invocation(
            command=command,
            stdin=b"{}\n",
            cwd=script.path.parent,
            env={"PATH": os.defpath},
            access=ScriptAccess(read=(script.path.parent,), write=(script.path.parent,)),
        )

    executor = PlanExecutor(catalog(script), runner, prepare=prepare, parallel=CORES)
    wanted = plan(width)
    start = time.perf_counter()
    result = executor.execute(wanted)
    spent = time.perf_counter() - start
    assert result.success, result.execution_trace[0]
    return spent


def compared(rounds: int, first: Callable[[], float], second: Callable[[], float]) -> tuple[float, float, float]:
    """Medians of both in milliseconds, and the median of their ratios round by round."""
    pairs = [(first(), second()) for _ in range(rounds)]
    return (
        median(one for one, _ in pairs) * 1e3,
        median(two for _, two in pairs) * 1e3,
        median(one / two for one, two in pairs),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        shell, python = Path(folder) / "noop.sh", Path(folder) / "noop.py"
        shell.write_text(SHELL)
        shell.chmod(0o755)
        python.write_text(PYTHON)
        print(f"\n{NODES} nodes, {CORES} at once, ms (median of {rounds} rounds); aim: at most 1.7 x bare\n")
        print("| level | width | Aeon | bare loop | ratio |\n|---|---|---|---|---|")
        for level in ("plain", "landlock", "bubblewrap"):
            with SandboxRunner(level) as runner:
                aeon(runner, shell, [str(shell)], 100)
                for width in WIDTHS:
                    ours, floor, ratio = compared(
                        rounds,
                        lambda width=width: aeon(runner, shell, [str(shell)], width),
                        lambda width=width: bare([str(shell)], width, CORES),
                    )
                    print(f"| {level} | {width} | {ours:.0f} | {floor:.0f} | {ratio:.2f} |")
        print(f"\nPython scripts, width {CORES}, landlock; aim: at most 0.35 x a cold start\n")
        print("| fork server | cold start | ratio |\n|---|---|---|")
        command = [sys.executable, str(python)]
        with SandboxRunner("landlock", fork_server=True) as warm, SandboxRunner("landlock") as cold:
            aeon(warm, python, command, 100)
            ours, floor, ratio = compared(
                rounds,
                lambda: aeon(warm, python, command, 100),
                lambda: aeon(cold, python, command, 100),
            )
        print(f"| {ours:.0f} | {floor:.0f} | {ratio:.2f} |")


if __name__ == "__main__":
    main()
