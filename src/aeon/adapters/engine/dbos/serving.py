"""A process that carries out jobs of some types, for runs that go on in other processes."""

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from uuid import uuid4

from dbos import DBOS

from aeon.adapters.engine.attempts import BEGINS, interrupted, lost
from aeon.adapters.engine.dbos.gates import LOOKS_EVERY, Gates
from aeon.adapters.engine.dbos.lost import LostJobs
from aeon.adapters.engine.dbos.names import BEGUN, JOB
from aeon.adapters.engine.dbos.opening import Opened
from aeon.adapters.engine.dbos.standing import Standing
from aeon.base.json import JsonObject
from aeon.base.long_calls import in_long_call
from aeon.platform.processes.runs.claims import Results
from aeon.platform.processes.runs.engine import Workers
from aeon.platform.processes.runs.lease import Lease, TakenOverError
from aeon.platform.processes.runs.model import Done, Job
from aeon.platform.store import StoreError
from aeon.platform.workers.model import OFFLINE_AFTER

_LOG = logging.getLogger("aeon.engine")

_LOOKS_FOR_LOST_EVERY = 2.0
_LOOKS_AT_ITS_OWN_EVERY = 0.5
_STOPS_WITHIN = 5.0
"""Seconds."""


class DbosWorker:
    """Carries out jobs of some types. It takes over what other such processes had begun when they were lost."""

    def __init__(  # noqa: PLR0913  # its parts, each from the composition root
        self,
        address: str,
        workers: Workers,
        results: Results,
        *,
        executor: str,
        slots: Mapping[str, int],
        present: Callable[[], set[str]],
        is_wanted: Callable[[str], bool],
        looks_every: float = _LOOKS_FOR_LOST_EVERY,
        lease: float = OFFLINE_AFTER,
        is_durable: bool = True,
    ) -> None:
        """Serve the queues of the types in `slots`, so many jobs of each at once.

        `present` says which executors there are now, this one among them: it must be entered there before. Every
        `looks_every` seconds it is looked for jobs whose worker is not. `is_wanted` says whether a run's jobs are still
        to be carried out. Both may raise StoreError. Others take jobs over from this process after `lease` seconds of
        silence. A power cut takes nothing that was kept where it `is_durable`.
        """
        self._lease = lease
        self._workers = workers
        self._executor = executor
        self._is_wanted = is_wanted
        self._looks_every = looks_every
        self._under_way: dict[asyncio.Task[Done], str] = {}
        self._watching: asyncio.Task[None] | None = None
        self._ends = threading.Event()
        self._opened = Opened(address, results, executor, is_durable=is_durable)
        self._standing = standing = Standing(self._opened.database.engine)
        self._gates = Gates(self._opened.instance, standing, slots, workers.waiting)
        self._lost = LostJobs(standing, executor, present)

        @DBOS.workflow(name=JOB)
        async def workflow(told: JsonObject) -> JsonObject:
            return (await self._carried_out(Job.parsed(told))).as_dict()

        _ = workflow
        self._opened.launch()
        self._looking = threading.Thread(target=self._look, name="aeon-queues", daemon=True)
        self._looking.start()

    def close(self) -> None:
        """Stop; what was under way is carried out elsewhere. Twice is once."""
        if self._opened.is_open:
            self._ends.set()
            self._looking.join(_STOPS_WITHIN)
            self._opened.close()

    async def _carried_out(self, job: Job) -> Done:
        """What a job came to; if it is given up or lost before, then what nobody asks for, and DBOS does not take."""
        self._gates.stir()
        task = asyncio.create_task(self._done(job))
        self._under_way[task] = job.id
        if self._watching is None or self._watching.done():
            self._watching = asyncio.create_task(self._watch())
        try:
            return await task
        except TakenOverError as lost:
            _LOG.warning("%s Nothing more is done for it here.", lost.message)
            return interrupted(job)
        except asyncio.CancelledError:
            if self._opened.is_open and task.cancelled():
                return interrupted(job)
            raise
        finally:
            task.cancel()
            del self._under_way[task]
            self._gates.stir()

    async def _done(self, job: Job) -> Done:
        """What a job came to. That it is begun is known before it is, so that it is not begun too often."""
        lease = Lease(partial(self._is_ours, job.id), f"The job {job.id}", lasts=self._lease)
        async with self._workers.place(job, lease.confirm) as act:
            if not await asyncio.to_thread(self._is_to_be_made, job):
                return interrupted(job)
            earlier = await _begun_before()
            if earlier == BEGINS:
                return lost(job, f"A worker was lost {BEGINS} times while it carried it out")
            if earlier and job.effect == "once":
                return interrupted(job)
            return await in_long_call(act)

    def _is_to_be_made(self, job: Job) -> bool:
        """Whoever wanted it no more may have been killed before he could take it back. In doubt it is made."""
        try:
            return self._is_wanted(job.run_id)
        except StoreError:
            return True

    async def _watch(self) -> None:
        """Give up what was taken out of its queue, or has become another worker's."""
        while self._under_way:
            await asyncio.sleep(_LOOKS_AT_ITS_OWN_EVERY)
            looked_at = dict(self._under_way)
            with suppress(Exception):  # the database is away for a while
                ours = await asyncio.get_running_loop().run_in_executor(None, self._ours, list(looked_at.values()))
                for task, job in looked_at.items():
                    if job not in ours:
                        task.cancel()

    def _is_ours(self, job: str) -> bool:
        return self._standing.is_held(job, self._executor)

    def _ours(self, jobs: list[str]) -> set[str]:
        if not jobs:
            return set()
        found = DBOS.list_workflows(
            workflow_ids=jobs, status="PENDING", executor_id=self._executor, load_input=False, load_output=False
        )
        return {row.workflow_id for row in found}

    def _look(self) -> None:
        """For jobs in the queues, and now and then for lost ones."""
        due = time.monotonic()
        while True:
            with suppress(Exception):  # the record or the database is away for a while: the next look finds them
                self._gates.look()
                if time.monotonic() >= due:
                    due = time.monotonic() + self._looks_every
                    self._lost.take_over()
            if self._ends.wait(LOOKS_EVERY):
                return


async def _begun_before() -> int:
    """How often the job of this workflow was begun, without this time; that it is, is written down then.

    Only whoever has the workflow now can write it: of two who think so one goes on.
    """
    me = str(uuid4())
    for earlier in range(BEGINS):
        if await DBOS.run_step_async({"name": BEGUN}, partial(_same, me)) == me:
            return earlier
    return BEGINS


async def _same(text: str) -> str:
    return text
