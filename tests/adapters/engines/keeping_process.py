"""Keeps attempts, and says each when it is kept: so many after each other, or so many at once.

python keeping_process.py FOLDER COUNT one|all full|relaxed
"""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

from aeon.adapters.engines.sql import RunDatabase
from aeon.adapters.engines.sql.journal import Journal
from aeon.adapters.results import FileResultStore
from aeon.platform.runs.machine.events import StepCompleted
from aeon.platform.runs.model import JobResult


def main(folder, count, at_once, durability):
    database = RunDatabase(f"sqlite:///{folder}/runs.db", is_durable=durability == "full")
    journal = Journal(database, FileResultStore(folder / "results"))

    journal.adopt({f"run {number}": "mine" for number in range(count)})

    def keep(number):
        result = JobResult(event=StepCompleted(step="a", attempt=1, output=number))
        journal.save(f"run {number}", (0, 1), result, "mine")
        os.write(1, f"{number}\n".encode())  # at once, and not together with that of another thread

    if at_once == "one":
        for number in range(count):
            keep(number)
    else:
        all_there = Barrier(count)

        def keep_with_all(number):
            all_there.wait()  # else the first are kept before the last threads have started
            keep(number)

        with ThreadPoolExecutor(count) as threads:
            list(threads.map(keep_with_all, range(count)))
    database.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])
