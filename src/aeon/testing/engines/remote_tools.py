"""Jobs executed by a worker process that calls back to the tools of a test.

These tools are functions of the test, with events that the test sets, so they cannot live in another process.
Therefore the worker is a real one, in a process that can be killed, and only the call itself comes back here, as JSON
over a socket.
"""

import shutil
import tempfile
import threading
from contextlib import suppress
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path

from aeon.base.json import JsonObject, canonical_json, parse_strict
from aeon.platform.catalog.tool_calls import ToolCallPort
from aeon.platform.runs.lease import ConfirmOwnership, always_owned
from aeon.platform.runs.model import Job, JobResult
from aeon.platform.workers.job_runner import JobRunner, make_job_runner


class RemoteToolServer:
    """Makes the calls of workers in other processes. An abandoned call is still made to its end."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="aeon"))  # the path of a socket must be short
        self.address = str(self._folder / "calls")
        self._run_job: JobRunner | None = None
        self._listener = Listener(self.address, family="AF_UNIX")
        self._thread = threading.Thread(target=self._accept, name="aeon-reached-back", daemon=True)
        self._thread.start()

    def serve(self, tools: ToolCallPort) -> None:
        """Serve these tools from now on."""
        self._run_job = make_job_runner(tools)

    def close(self) -> None:
        """Accept no more calls."""
        self._run_job = None
        with suppress(OSError):
            Client(self.address, family="AF_UNIX").close()
        self._thread.join()
        self._listener.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _accept(self) -> None:
        while True:
            connection = self._listener.accept()
            run_job = self._run_job
            if run_job is None:
                connection.close()
                return
            threading.Thread(target=_answer, args=(connection, run_job), daemon=True).start()


def call_remote_tools(address: str) -> JobRunner:
    """Return a function that executes jobs on the `RemoteToolServer` at that address."""

    def run_job(job: Job, _confirm: ConfirmOwnership) -> JobResult:
        with Client(address, family="AF_UNIX") as connection:
            connection.send_bytes(canonical_json(job.as_dict()).encode())
            result: JsonObject = parse_strict(connection.recv_bytes().decode())
        return JobResult.parsed(result)

    return run_job


def _answer(connection: Connection, run_job: JobRunner) -> None:
    with connection, suppress(OSError, EOFError):  # the calling worker was killed
        result = run_job(Job.parsed(parse_strict(connection.recv_bytes().decode())), always_owned)
        connection.send_bytes(canonical_json(result.as_dict()).encode())
