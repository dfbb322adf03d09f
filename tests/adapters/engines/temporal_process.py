"""A process that carries out jobs, or everything (`slow`: in jobs whose times are kept), until it is killed.

python temporal_process.py ADDRESS FOLDER worker|hanging|napping|all|slow
"""

import sys
from pathlib import Path

from temporal_world import Hands, World

from aeon.adapters.engines.temporal import TemporalEngine, TemporalWorker
from aeon.adapters.results import FileResultStore
from aeon.platform.workers.pool import LocalWorkerPool

SLOTS = {"rest_api": 4}


def main(address, folder, kind):
    if kind in ("all", "slow"):
        world = World(folder)
        world.hands.naps = 0.01 if kind == "slow" else 0.0
        world.hands.go.set()
        given = (world.runs.repository, world.workers, world.results)
        engine = TemporalEngine(address, "default", *given, slots=SLOTS, heartbeat=4.0)
        engine.adopt([run.id for run in world.runs.repository.list_open()])
    else:
        hands = Hands(folder / "calls", hangs=kind == "hanging", naps=0.03 if kind == "napping" else 0.0)
        hands.go.set()
        engine = TemporalWorker(
            address, "default", LocalWorkerPool(hands, SLOTS), FileResultStore(folder / "results"), slots=SLOTS
        )
    print("ready", flush=True)  # to the test
    sys.stdin.read()
    engine.close()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3])
