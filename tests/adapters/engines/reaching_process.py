"""A worker whose calls are made by the test that started it, until it is killed.

python reaching_process.py DATABASE FOLDER SOCKET SLOTS LOOKS_EVERY
"""

import os
import sys
from pathlib import Path

from aeon.adapters.engines.sql import RunDatabase, SqlWorker
from aeon.adapters.results import FileResultStore
from aeon.platform.workers.pool import LocalWorkerPool
from aeon.platform.workers.registry import is_process_running
from aeon.testing.engines import call_remote_tools


def present(there):
    """Workers are named by their process, and enter themselves as files."""
    return {file.name for file in there.iterdir() if is_process_running(int(file.name.rpartition("-")[2]), "")}


def main(database, folder, socket, count, recovery_interval):
    me = f"worker-{os.getpid()}"
    there = folder / "there"
    there.mkdir(exist_ok=True)
    (there / me).touch()
    slots = {"rest_api": count}
    workers, results = LocalWorkerPool(call_remote_tools(socket), slots), FileResultStore(folder / "results")
    SqlWorker(
        RunDatabase(database),
        workers,
        results,
        executor=me,
        slots=slots,
        live_executors=lambda: present(there),
        is_wanted=lambda _run: True,
        recovery_interval=recovery_interval,
    )
    print("ready", flush=True)  # to the test
    sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]), float(sys.argv[5]))
