"""Run as a program: how much memory a plan takes whose scripts write much. Arguments: nodes, megabytes of each, level."""

import json
import resource
import sys
from pathlib import Path

from aeon.base.json import canonical_json
from aeon.skills.executor.plan_executor import PlanExecutor
from aeon.skills.invocation import Invocation, ScriptAccess
from aeon.skills.sandbox import SandboxRunner
from aeon.testing.scripts import catalog, node, plan_of, script, skill

LINE = b'{"version":"0","type":"log","level":"info","message":"one of many"}\n'
WRITES = """import sys
line = {line!r}
for _ in range({megabytes} * 2**20 // (1000 * len(line)) + 1):
    sys.stdout.buffer.write(line * 1000)
sys.stdout.buffer.write(b'{{"version":"0","type":"state_patch","patch":{{"n":1}}}}\\n{{"version":"0","type":"done","ok":true}}\\n')
"""


def peak() -> int:
    """The most memory that was resident so far, in KiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main(nodes: int, megabytes: int, level: str) -> None:
    folder = Path.cwd()

    def prepared(_skill, chosen, _given, _request_id) -> Invocation:
        size = megabytes if chosen.name == "flood" else 0
        text = WRITES.format(line=LINE, megabytes=size)
        return Invocation(
            (sys._base_executable, "-SEc", text), b"{}", folder, {}, timeout=60.0, access=ScriptAccess((folder,))
        )

    with SandboxRunner(level) as runner:
        skills = catalog(skill("s", script("flood"), script("calm")))
        executor = PlanExecutor(skills, runner, prepare=prepared, plan_timeout=600.0, parallel=2)
        canonical_json(executor.execute(plan_of(node("t1", "s/calm"))).as_dict())
        base = peak()
        result = executor.execute(plan_of(*(node(f"t{at}", "s/flood") for at in range(nodes))))
        trace = canonical_json(result.as_dict())
    kept = sum(len(each.events) for each in result.execution_trace)
    dropped = sum(getattr(each, "dropped_events", 0) for each in result.execution_trace)
    growth = (peak() - base) // 1024
    said: dict[str, object] = {"errors": [each.error.message for each in result.execution_trace if each.error][:1]}
    said |= {"success": result.success, "growth": growth, "kept": kept, "dropped": dropped, "state": result.final_state}
    json.dump({**said, "trace": len(trace), "warnings": result.warnings}, sys.stdout)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
