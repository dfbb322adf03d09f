"""Carries runs out in SQL until it is told that there are enough, with a short lease, and is stopped and goes on.

python suspended_process.py FOLDER all|conductor|worker LEASE

Besides what `chaos_process.py` says: FOLDER/enough ends it, once all runs have ended.
"""

import logging
import os
import sys
import time
from pathlib import Path

from chaos_process import USER, Chaos, work

from aeon.platform.ledger import MutationRequest
from aeon.platform.runs.admission import NewRun

LONGEST = 0.1
"""Seconds that a call takes at most."""

AT_ONCE = 6


def main(folder, elsewhere, lease):
    chaos = Chaos(folder, elsewhere, lease=lease, longest=LONGEST)
    process = chaos.process()
    chaos.presence.start(["process"])
    print("begun", flush=True)
    while not (folder / "enough").exists() or chaos.runs.repository.list_open():
        chaos.rounds.run_due()
        if (
            not (folder / "enough").exists()
            and len(chaos.runs.repository.list_by_executor(chaos.engine.executor)) < AT_ONCE
        ):
            run = chaos.runs.accept(process, NewRun({"q": 1}, executor=chaos.engine.executor), MutationRequest(USER))
            chaos.engine.start(run.id)
        time.sleep(0.02)
    print("over", flush=True)


if __name__ == "__main__":
    logging.basicConfig(stream=sys.stderr)
    lease = float(sys.argv[3])
    if sys.argv[2] == "worker":
        work(Path(sys.argv[1]), lease=lease, longest=LONGEST)
    else:
        main(Path(sys.argv[1]), ["rest_api"] if sys.argv[2] == "conductor" else [], lease)
    os._exit(0)
