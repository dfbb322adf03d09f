"""Changes a record until it is killed: RECORD SEED. It waits for a record that does not answer."""

import os
import sys
from contextlib import suppress

from record_of import record_of

from aeon.platform.store import StoreUnavailableError
from aeon.testing.records import RecordMutator

record, seed = sys.argv[1:]
changes = RecordMutator(record_of(record), int(seed))
os.write(1, b"ready\n")
while True:
    with suppress(StoreUnavailableError):
        changes.make_change()
