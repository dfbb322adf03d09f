"""Evaluates due alerts and starts their runs. Safe for several processes and at any crash."""

from contextlib import suppress

from aeon.platform.alerts.model import ALERT_TAG, Alert, AlertResult
from aeon.platform.alerts.repository import AlertRepository
from aeon.platform.alerts.transitions import Transition, transition
from aeon.platform.errors import ConflictError, NotFoundError, PlatformError
from aeon.platform.ledger import MutationRequest
from aeon.platform.processes.model import Process
from aeon.platform.processes.repository import ProcessRepository
from aeon.platform.runs.admission import NewRun
from aeon.platform.runs.model import Run
from aeon.platform.runs.ports import Engine
from aeon.platform.runs.service import Runs


class AlertEvaluator:
    """Evaluates the alerts of all users."""

    def __init__(self, alerts: AlertRepository, processes: ProcessRepository, runs: Runs, engine: Engine) -> None:
        self._alerts = alerts
        self._processes = processes
        self._runs = runs
        self._engine = engine

    def evaluate_due(self, now: str) -> list[AlertResult]:
        """Evaluate due alerts, and start the runs of those that fire; return what this process settled.

        That a run is to be started is written down, by one process, before it is started: after a crash between the
        two, the next caller starts it under the same id. Raises StoreError.
        """
        for alert in self._alerts.list_due(now):
            self._evaluate(alert, now)
        results = [self._start(alert) for alert in self._alerts.list_starting()]
        return [each for each in results if self._alerts.mark_started(each.alert, each.refusal, now)]

    def _evaluate(self, alert: Alert, now: str) -> None:
        value, problem = None, None
        found = Transition(alert.state, alert.state_since)
        try:
            value = self._alerts.reader.read(alert, now)
            problem = "There are no values in the window." if value is None else None
            found = transition(alert, value, now)
        except PlatformError as error:
            problem = error.message
        self._alerts.settle(alert, found, value, problem, now)

    def _start(self, alert: Alert) -> AlertResult:
        try:
            run = self._find_run(alert) or self._accept(alert)
        except PlatformError as error:
            return AlertResult(alert, alert.process, alert.next_run, error.message)
        if run.executor == self._engine.executor:
            self._engine.start(run.id)
        return AlertResult(alert, run.process_name, run.id)

    def _accept(self, alert: Alert) -> Run:
        """Return the accepted run, which another process may have accepted a moment before."""
        process = self._startable(alert)
        new = NewRun(
            alert.run_inputs(list(process.definition.input_names)),
            "schedule",
            alert.next_run,
            executor=self._engine.executor,
            tags={ALERT_TAG: alert.name},
            origin={"alert": alert.id},
        )
        run = self._runs.accept(process, new, MutationRequest(alert.owner_id))
        return self._find_run(alert) or run

    def _find_run(self, alert: Alert) -> Run | None:
        with suppress(NotFoundError):
            return self._runs.repository.get(alert.owner_id, alert.next_run).run
        return None

    def _startable(self, alert: Alert) -> Process:
        process = self._processes.get(alert.owner_id, alert.process)
        if not process.is_trusted(alert.trusted_digest):
            raise ConflictError(
                f"The owner of the Process {process.name!r} has changed it: look at it, then trust it as it is now."
            )
        return process
