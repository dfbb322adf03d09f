"""Follows a record until it is killed: RECORD KIND ADDRESS, the password by PASSWORD, `rebuild` to begin with that."""

import os
import sys
import time
from contextlib import suppress

from record_of import record_of

from aeon.adapters.projection import open_falkordb, open_neo4j
from aeon.base.clock import SystemClock
from aeon.platform.projection import Projector, TargetUnavailableError
from aeon.platform.store import StoreUnavailableError

record, kind, address, *first = sys.argv[1:]
target = {"falkordb": open_falkordb, "neo4j": open_neo4j}[kind](address, os.environ["PASSWORD"])
projector = Projector(record_of(record), target, SystemClock(), size=20, builder_timeout=0.1)


def wait(seconds):
    time.sleep(min(seconds, 0.05))
    return False


os.write(1, b"ready\n")
if first:
    with suppress(TargetUnavailableError, StoreUnavailableError):
        projector.rebuild()
projector.follow(wait, pause=0.01, report=lambda _: None)
