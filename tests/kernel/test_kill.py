"""A run killed at any instant leaves a log whose whole entries are valid and resumable (core 13): `AEON_CHAOS_KILLS` random instants."""

import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.chaos_sizes import size_of

from aeon.kernel.orchestrator import Orchestrator
from aeon.kernel.replay import replay
from aeon.kernel.state import restore_state
from aeon.memory.sqlite import SQLiteMemory
from aeon.observability.log import JsonlLog, read_log
from aeon.testing.llm import ScriptedAdapter
from aeon.tools.registry import ToolRegistry
from aeon.tools.stubs import builtin_tools

STEPS = 400
KILLS = size_of("AEON_CHAOS_KILLS", in_ci=12)
VICTIM = f"""
import sys
from pathlib import Path
from aeon.kernel.orchestrator import Orchestrator
from aeon.memory.sqlite import SQLiteMemory
from aeon.observability.log import JsonlLog
from aeon.plan.models import Plan
from aeon.testing.llm import ScriptedAdapter
from aeon.testing.plans import calc, plan
from aeon.tools.registry import ToolRegistry
from aeon.tools.stubs import builtin_tools

folder = Path(sys.argv[1])
memory = SQLiteMemory(folder / "memory.db")
made = Plan.model_validate(plan(*(calc(f"s{{n}}", f"{{n}} * 2") for n in range({STEPS}))))
log = JsonlLog(folder / "log")
print("ready", flush=True)
Orchestrator(ScriptedAdapter([]), memory, ToolRegistry(builtin_tools(memory)), ttl=1000, log=log).execute("go", made)
print("done", flush=True)
"""


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_kills_at_random_instants_lose_nothing(tmp_path: Path):
    chance = random.Random(2026)
    cut_short = sum(_survives(tmp_path / str(number), chance.randint(1, 500_000)) for number in range(KILLS))

    assert cut_short > KILLS // 5, "too few kills hit a run in the middle to show anything"


def _survives(folder: Path, when: int) -> bool:
    """Kill a run once its log has `when` bytes (modulo what it grows to); check, resume, replay. Whether it was cut short."""
    folder.mkdir()
    log = folder / "log"
    with subprocess.Popen([sys.executable, "-c", VICTIM, str(folder)], stdout=subprocess.PIPE, text=True) as victim:
        assert victim.stdout is not None
        assert victim.stdout.readline() == "ready\n"
        while victim.poll() is None and log.stat().st_size < when:
            pass
        victim.send_signal(signal.SIGKILL)
    if not log.exists() or b"\n" not in log.read_bytes():
        return False
    history = read_log(log)
    state = restore_state(history)
    done = sum(step.status == "complete" for step in state.plan.steps)
    assert done == len(history.entries) - 1
    memory = SQLiteMemory(folder / "memory.db")
    again = Orchestrator(
        ScriptedAdapter([]), memory, ToolRegistry(builtin_tools(memory)), ttl=1000, log=JsonlLog(log, after=history)
    ).resume(state)
    assert again["status"] == "completed"
    assert again["results"] == {f"s{n}": {"result": 2 * n} for n in range(STEPS)}
    assert replay(read_log(log)) == STEPS + 1
    memory.close()
    return done < STEPS
