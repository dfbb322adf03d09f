"""A process that writes everything there is, for ever, and says what was acknowledged: to be killed at any moment.

`everything_process.py STORE WHO FIRST`: STORE is a folder, or the address of a PostgreSQL. Every request has a key, so
that what was not acknowledged is asked for again.
"""

import sys
from itertools import count
from pathlib import Path

from aeon.adapters.results import FileResultStore
from aeon.adapters.store.postgresql import open_postgresql
from aeon.platform.catalog.model import NewSecret, NewService, NewTool, ServiceChange
from aeon.platform.catalog.service import Catalog
from aeon.platform.errors import ConflictError, NotFoundError
from aeon.platform.ledger import MutationRequest
from aeon.platform.metrics.model import NewMetricValue
from aeon.platform.metrics.service import Metrics
from aeon.platform.processes.model import NewProcess
from aeon.platform.processes.repository import ProcessRepository
from aeon.platform.runs.admission import NewRun
from aeon.platform.runs.machine.events import RunStarted
from aeon.platform.runs.model import RunEntry
from aeon.platform.runs.replay import replay
from aeon.platform.runs.service import Runs
from aeon.platform.schedules.model import NewSchedule
from aeon.platform.schedules.repository import ScheduleRepository
from aeon.platform.store import StoreError, StoreUnavailableError
from aeon.testing.records import new_record
from aeon.testing.vault import InMemoryVault

SHAPE = {"type": "object", "required": ["endpoint"]}
KEY = {"key": "s3cret"}


class Writer:
    """One user's things, each round with new names."""

    def __init__(self, store, user, folder):
        self.user = user
        self.store = store
        self.catalog = Catalog(store, InMemoryVault())
        self.catalog.add_user(user)
        self.processes = ProcessRepository(store, self.catalog)
        self.schedules = ScheduleRepository(store, self.catalog, self.processes)
        self.metrics = Metrics(store, self.catalog.ledger)
        new_id = self.catalog.new_id
        self.runs = Runs(store, self.catalog.ledger, self.processes, FileResultStore(folder), new_id)

    def request(self, what, number):
        return MutationRequest(self.user, f"{what} {number}")

    def round(self, number):
        """Every kind of write, one after another; each is said when it was acknowledged."""
        name, ask = f"{self.user} {number}", self.request
        secret = self.catalog.secrets.add(
            NewSecret.parsed({"name": name, "type": "api_key", "value": KEY}), ask("secret", number)
        )
        yield "secret"
        service = self.catalog.services.add(
            NewService.parsed(
                {"name": name, "type": "rest_api", "protocol": "http", "connectionSchema": SHAPE, "shared": True}
            ),
            ask("service", number),
        )
        yield "service"
        tool = {"name": name, "serviceId": service.id, "secretId": secret.id, "inputSchema": {}}
        tool |= {"connectionParams": {"endpoint": "https://x"}, "operation": {"type": "rest_request"}}
        made = self.catalog.tools.add(NewTool.parsed(tool), ask("tool", number))
        yield "tool"
        step = {"id": "one", "tool": made.id, "output": {"variable": "x"}}
        process = self.processes.add(NewProcess.parsed({"name": name, "steps": [step]}), ask("process", number))
        yield "process"
        schedule = self.schedules.add(
            NewSchedule.parsed({"name": name, "process": process.id, "cron": "0 9 * * *"}), ask("schedule", number)
        )
        yield "schedule"
        self.catalog.services.change(service.id, ServiceChange(enabled=False), ask("disable", number))
        self.metrics.values.record([NewMetricValue("tool.calls", made.id, 1, {"userId": self.user})])
        run = self.runs.accept(process, NewRun({}, id=name), ask("run", number))
        yield "run"
        self.carry_out(run.id)
        if number % 2:
            self.schedules.remove(schedule.id, ask("remove", number))
            yield "removed"

    def carry_out(self, run):
        """Keep a run's first entry, unless it is there."""
        work = self.runs.repository.claim(run, self.user)
        if work is None or work.entries:
            return
        entry = RunEntry(n=1, at=self.catalog.ledger.now(), event=RunStarted(inputs={}))
        self.runs.repository.append(run, self.user, [entry], replay(work.plan, [entry]))


def opened(place):
    return open_postgresql(place) if place.startswith("postgresql:") else new_record(Path(place))


def patiently(act):
    """Its answer, however long the store is away; asked again with the same key."""
    while True:
        try:
            return act()
        except StoreUnavailableError:
            continue


def main(place, who, first, folder):
    store = patiently(lambda: opened(place))
    writer = patiently(lambda: Writer(store, who, Path(folder)))
    for number in count(int(first)):
        said = []

        def again(number=number, said=said):
            for each in writer.round(number):
                if each not in said:
                    said.append(each)
                    sys.stdout.write(f"{each} {number}\n")
                    sys.stdout.flush()

        try:
            patiently(again)
        except (ConflictError, NotFoundError, StoreError) as error:
            sys.stdout.write(f"broken {number} {error!r}\n")
            raise


if __name__ == "__main__":
    main(*sys.argv[1:])
