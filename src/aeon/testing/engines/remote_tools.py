"""Jobs carried out by a worker in another process, which reaches back to the tools of the world that it works for.

Tools of a world are functions of the test, with events that the test sets: they cannot live elsewhere. So the worker is
a real one, in a process that can be killed, and only the call itself comes back here, as JSON over a socket.
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
    """The calls of workers elsewhere, made here. What a worker no longer waits for is still made to its end."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="aeon"))  # a socket's path must be short
        self.address = str(self._folder / "calls")
        self._carry_out: JobRunner | None = None
        self._listener = Listener(self.address, family="AF_UNIX")
        self._thread = threading.Thread(target=self._accept, name="aeon-reached-back", daemon=True)
        self._thread.start()

    def serve(self, tools: ToolCallPort) -> None:
        """From now on these are the tools that are called."""
        self._carry_out = make_job_runner(tools)

    def close(self) -> None:
        """Take no more calls."""
        self._carry_out = None
        with suppress(OSError):
            Client(self.address, family="AF_UNIX").close()
        self._thread.join()
        self._listener.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _accept(self) -> None:
        while True:
            connection = self._listener.accept()
            carry_out = self._carry_out
            if carry_out is None:
                connection.close()
                return
            threading.Thread(target=_answer, args=(connection, carry_out), daemon=True).start()


def call_remote_tools(address: str) -> JobRunner:
    """What carries jobs out by having them made by the `RemoteToolServer` at that address."""

    def carry_out(job: Job, _confirm: ConfirmOwnership) -> JobResult:
        with Client(address, family="AF_UNIX") as connection:
            connection.send_bytes(canonical_json(job.as_dict()).encode())
            done: JsonObject = parse_strict(connection.recv_bytes().decode())
        return JobResult.parsed(done)

    return carry_out


def _answer(connection: Connection, carry_out: JobRunner) -> None:
    with connection, suppress(OSError, EOFError):  # whoever asked was killed
        done = carry_out(Job.parsed(parse_strict(connection.recv_bytes().decode())), always_owned)
        connection.send_bytes(canonical_json(done.as_dict()).encode())
