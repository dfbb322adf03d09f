"""Extracts what a user said, an episode at a time, until nothing waits or it is killed.

python extracting_process.py FOLDER USER
"""

import sys
from pathlib import Path
from uuid import uuid4

from aeon.base.clock import SystemClock
from aeon.platform.knowledge.extraction import ExtractionQueue
from aeon.platform.ledger import Ledger
from aeon.testing.records import new_record


def main(folder, user):
    store = new_record(Path(folder))
    queue = ExtractionQueue(store, Ledger(store, SystemClock()), lambda: str(uuid4()))
    print("begun", flush=True)
    while queue.extract_by_code(user, 1):
        pass
    print("over", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
