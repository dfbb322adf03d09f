"""A database of the engine in SQL, and other processes that serve its queue, whose calls come back to the test."""

import subprocess
import sys
from pathlib import Path

from aeon.adapters.engines.sql import RunDatabase, SqlEngine
from aeon.testing.engines import EngineWorld, RemoteToolServer


class Elsewhere:
    """The calls of all its workers are made here."""

    def __init__(self, database, folder):
        self.database, self.folder = database, folder
        self.reached = RemoteToolServer()
        self.workers = []

    def begin(self, slots=100, recovery_interval=0.2):
        """A worker that begins; see `ready`."""
        script = Path(__file__).with_name("reaching_process.py")
        given = (self.database, self.folder, self.reached.address, slots, recovery_interval)
        command = [sys.executable, str(script), *map(str, given)]
        self.workers.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE))
        return self.workers[-1]

    def ready(self, worker=None):
        worker = worker or self.begin()
        assert worker.stdout.readline() == b"ready\n"
        return worker

    def kill(self, worker):
        self.workers.remove(worker)
        worker.kill()
        worker.communicate()

    def kill_all(self):
        for worker in list(self.workers):
            self.kill(worker)

    def world(self, store, engine):
        """In the folder of the workers, too: they share large results."""
        world = EngineWorld(store, self.folder, lambda *parts: engine(self, *parts))
        self.reached.serve(world.tools)
        return world

    def close(self):
        self.kill_all()
        self.reached.close()


class Conductor(SqlEngine):
    """Carries runs out, and no job of theirs."""

    def __init__(self, elsewhere, *parts):
        super().__init__(RunDatabase(elsewhere.database), *parts, elsewhere=["rest_api"])


class WithItsWorker(Conductor):
    """The worker comes and goes with it, killed."""

    def __init__(self, elsewhere, *parts):
        super().__init__(elsewhere, *parts)
        self.elsewhere = elsewhere
        elsewhere.ready()

    def close(self):
        self.elsewhere.kill_all()
        super().close()
