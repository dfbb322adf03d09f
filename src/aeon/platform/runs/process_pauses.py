"""Pauses a Process with all of its open runs, and lets it go on (platform 41)."""

from collections.abc import Iterable

from aeon.base.json import JsonObject, canonical_json
from aeon.platform.catalog.repository import audit_change
from aeon.platform.ledger import Ledger, MutationRequest
from aeon.platform.processes.model import ProcessPause
from aeon.platform.processes.repository import ProcessRepository, update_process
from aeon.platform.runs import queries
from aeon.platform.runs.machine.events import RunPaused, RunUnpaused
from aeon.platform.runs.model import RunSignal
from aeon.platform.store import Row, UnitOfWork


class ProcessPauses:
    """Pauses and resumes the Processes of users. Thread-safe."""

    def __init__(self, ledger: Ledger, processes: ProcessRepository) -> None:
        self._ledger = ledger
        self._processes = processes

    def switch(self, id_: str, request: MutationRequest, *, paused: bool) -> ProcessPause:
        """Pause the caller's Process, or let it go on, with all of its open runs and what they called.

        What runs goes on, and nothing more starts; new runs are accepted and wait. A run that was paused by itself
        stays so. One transaction; nothing changes if the Process is already so. Raises NotFoundError, ForbiddenError,
        ConflictError.
        """
        before = self._processes.get_own(request.user, id_)
        if before.paused == paused:
            return ProcessPause(before, [])
        at = self._ledger.now()
        after = before.model_copy(update={"paused": paused, "version": before.version + 1, "updated_at": at})
        runs: list[str] = []

        def work(unit: UnitOfWork) -> None:
            update_process(after)(unit)
            runs[:] = below_process(id_, unit.read(queries.OPEN_WITH_PROCESS, {"process": id_}))
            unit.write_each(queries.WANT, [pause_signal(run, id_, request.user, at, ends=not paused) for run in runs])

        mutation = request.mutation("process.pause" if paused else "process.resume", id_)
        process = self._processes.replace(work, after, mutation, audit_change(before, after, request.user))
        return ProcessPause(process, runs)


def below_process(process: str, rows: Iterable[Row]) -> list[str]:
    """Return the ids of the runs of a Process, and of all that they called; callers come first in `rows`."""
    below: dict[str, None] = {}
    for row in rows:
        if row["process_id"] == process or row["parent_id"] in below:
            below[row["id"]] = None
    return list(below)


def pause_signal(run: str, process: str | None, by: str, at: str, *, ends: bool = False) -> JsonObject:
    """Return the row of a signal that pauses a run, with a Process if one is named; or lets it go on if it `ends`."""
    event = (RunUnpaused if ends else RunPaused)(by=by, at=at, process=process)
    signal = RunSignal(id=f"{run}:{event.event}:{at}", run_id=run, at=at, event=event)
    return {"id": signal.id, "run": run, "at": at, "text": canonical_json(signal.as_dict()), "reference": None}
