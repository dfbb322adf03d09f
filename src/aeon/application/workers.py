"""`WorkerService`: the worker of this process, and the maintenance of all users' runs."""

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import Final, NamedTuple, TypeAlias

from aeon.application.answers import AnswerService
from aeon.application.background_models import BackgroundRuns
from aeon.application.conversation_notes import ConversationNotes
from aeon.application.conversation_summaries import ConversationSummaries
from aeon.application.conversation_titles import ConversationTitles
from aeon.application.conversations import ConversationService
from aeon.application.entity_descriptions import EntityDescriptions
from aeon.application.graphiti_background import GraphitiBackground
from aeon.application.jobs import PROCESS
from aeon.application.knowledge import KnowledgeService
from aeon.application.model_extraction import ModelExtraction
from aeon.application.runs import RunService
from aeon.base.errors import AeonError, ConfigError, MissingExtraError
from aeon.base.project_folder import OWN_USER
from aeon.bootstrap.process_runtime import ProcessRuntime, RunStoreAdoption
from aeon.platform.catalog.model import Tool
from aeon.platform.conversations.repository import UntitledConversation
from aeon.platform.knowledge.model import MODEL, STATEMENTS
from aeon.platform.runs.retention import PruneResult
from aeon.platform.store import QueryError, StoreUnavailableError
from aeon.platform.summaries.repository import ChangedConversation
from aeon.platform.workers.maintenance import (
    ADOPTION_INTERVAL,
    CLEANUP_INTERVAL,
    HEALTH_CHECK_INTERVAL,
    POLL_INTERVAL,
    PeriodicTask,
    PeriodicTasks,
)
from aeon.platform.workers.registry import SELF_RECOVERING_EXECUTOR

__all__ = ["DrainPolicy", "PruneResult", "RunStoreAdoption", "StoreUnavailableError", "WorkerService"]

_NAMED_FOR: Final = timedelta(days=1)
"""Conversations that have not changed for this time stay without a title."""

_UNTITLED: Final = 100
"""Conversations without a title that are looked at; the oldest of more wait."""

_EMBEDDED: Final = 16
"""Texts of a user of which vectors are made at once."""

_EXTRACTED: Final = 100
"""Episodes of a user that are extracted at once."""

_CHANGED: Final = 100
"""Conversations that changed in the last day, of which it is looked whether they need summaries."""

_SETTLING: Final = 1.0
"""Seconds that a drain waits for the ends of runs whose last jobs have ended."""

_SETTLE_INTERVAL: Final = 0.05

Report: TypeAlias = Callable[[str], None]
"""Gets lines for people about what a worker does."""


class DrainPolicy(NamedTuple):
    """When a worker drains: it takes no job or run, waits for the executed jobs, and leaves the rest to others.

    `is_requested` is asked about once a second; a request in the record counts, too. `begun` is called then. The
    executed jobs have `grace` seconds to end.
    """

    grace: float
    is_requested: Callable[[], bool]
    begun: Callable[[], None]


class WorkerService:
    """Executes runs and jobs of all users in this process. Every method raises StoreError and ConfigError."""

    def __init__(self, runtime: ProcessRuntime) -> None:
        """The caller closes `runtime`."""
        self._runtime = runtime
        self._naming: dict[UntitledConversation, str] = {}
        self._named: set[UntitledConversation] = set()
        self._reading: dict[str, ModelExtraction] = {}
        self._graphs: dict[str, GraphitiBackground] = {}
        self._is_graphiti_refused = False
        self._compressing: dict[ChangedConversation, tuple[BackgroundRuns, str]] = {}
        self._fitting: dict[str, ChangedConversation] = {}
        self._described: set[str] = set()

    @property
    def executor(self) -> str:
        """The id of this process as an executor."""
        return self._runtime.executor

    @property
    def executes_own_runs(self) -> bool:
        """Whether runs belong to the process that started them; on Temporal, they belong to its server."""
        return self._runtime.run_executor != SELF_RECOVERING_EXECUTOR

    def serve_jobs(self, types: Sequence[str], drain: DrainPolicy, started: Callable[[], None]) -> int:
        """Execute jobs of these types for runs elsewhere until this process is to drain, and drain.

        Calls `started` once it works. Returns how many jobs have not ended.
        """
        self._runtime.grace = drain.grace
        self._runtime.serve(types)
        started()
        while not self._must_drain(drain):
            self._runtime.clock.sleep(POLL_INTERVAL)
        return self._drain(drain)

    def serve_runs(
        self, drain: DrainPolicy, report: Report, started: Callable[[], None], ended: Callable[[int], None]
    ) -> int:
        """Adopt orphaned runs, settle answers, fire schedules and alerts, and delete old data until this is to drain.

        Then drain; return how many jobs have not ended. `report` gets what it does. `started` is called once it works,
        `ended` with the number of runs that are active here when it stops, also if it is interrupted.
        """
        self._runtime.grace = drain.grace
        periodic = self._begin_maintenance(report)
        started()
        try:
            while not self._must_drain(drain):
                periodic.run_due()
                self._runtime.clock.sleep(POLL_INTERVAL)
            return self._drain_runs(drain)
        finally:
            ended(self._runtime.run_maintenance.active_run_count)

    def _must_drain(self, drain: DrainPolicy) -> bool:
        return drain.is_requested() or self._runtime.is_asked_to_drain

    def _drain(self, drain: DrainPolicy) -> int:
        drain.begun()
        return self._runtime.drain()

    def _drain_runs(self, drain: DrainPolicy) -> int:
        """Drain, and write the answers whose runs end with their last jobs: nobody else looks after them here."""
        left = self._drain(drain)
        ends_at = self._runtime.clock.monotonic() + _SETTLING
        with suppress(StoreUnavailableError):  # the next process settles them
            while self._settle_own() and self._runtime.clock.monotonic() < ends_at:
                self._runtime.clock.sleep(_SETTLE_INTERVAL)
        return left

    def _settle_own(self) -> bool:
        """Settle answers whose runs have ended; return whether others are made here."""
        services = [self._answers(each) for each in self._runtime.platform.turns.list_owners_generating()]
        left = [(service, service.settle_ended()) for service in services]
        executor = self._runtime.run_executor
        return any(service.is_made_by(each, executor) for service, answers in left for each in answers)

    def serve_until(self, stopping: threading.Event, report: Report, drain: DrainPolicy | None = None) -> None:
        """Do what `serve_runs` does beside other work of this process, until `stopping` is set or this is to drain.

        Without `drain`, it never drains.
        """
        periodic = self._begin_maintenance(report)
        while not (stopping.wait(POLL_INTERVAL) or (drain and self._must_drain(drain))):
            periodic.run_due()
        if drain and self._must_drain(drain):
            self._runtime.grace = drain.grace
            left = self._drain_runs(drain)
            report(f"drained; {left} job(s) did not end in time and continue elsewhere" if left else "drained")

    def _begin_maintenance(self, report: Report) -> PeriodicTasks:
        runtime = self._runtime
        runtime.start([PROCESS])
        maintenance = runtime.run_maintenance
        tasks = [
            PeriodicTask(POLL_INTERVAL, maintenance.report_ended),
            PeriodicTask(ADOPTION_INTERVAL, maintenance.adopt_orphans),
            PeriodicTask(POLL_INTERVAL, maintenance.fire_due_schedules),
            PeriodicTask(POLL_INTERVAL, maintenance.send_due_reminders),
            PeriodicTask(POLL_INTERVAL, maintenance.evaluate_alerts),
            PeriodicTask(POLL_INTERVAL, self._settle_answers),
            PeriodicTask(ADOPTION_INTERVAL, self._name_conversations),
            PeriodicTask(ADOPTION_INTERVAL, self._extract_knowledge),
            PeriodicTask(ADOPTION_INTERVAL, self._serve_graphiti),
            PeriodicTask(ADOPTION_INTERVAL, self._embed_knowledge),
            PeriodicTask(ADOPTION_INTERVAL, self._compress_conversations),
            PeriodicTask(ADOPTION_INTERVAL, self._take_descriptions),
            PeriodicTask(ADOPTION_INTERVAL, self._finish_erasures),
            PeriodicTask(ADOPTION_INTERVAL, self._record_measurements),
            PeriodicTask(CLEANUP_INTERVAL, self._delete_old_data),
        ]
        threading.Thread(target=self._watch_health, args=(report,), name="aeon-health", daemon=True).start()
        return PeriodicTasks(tasks, runtime.clock, report)

    def serve_metrics(self, address: str) -> str:
        """Answer Prometheus at `HOST:PORT` with what this process executes and what waits; returns where.

        Raises ConfigError, MissingExtraError.
        """
        return self._runtime.serve_metrics(address)

    def prune(self, days: int | None = None) -> PruneResult:
        """Delete runs that ended `days` days ago, with their results; None takes the days from the settings."""
        return self._runtime.prune(days)

    def adopt_runs(self, *, is_dry: bool = False) -> RunStoreAdoption:
        """Move the record's runs to the engine of the settings; with `is_dry`, only say from where to where.

        Raises ConfigError while a process executes runs, and for an engine without a store of runs.
        """
        return self._runtime.adopt_runs(is_dry=is_dry)

    def sleep(self, seconds: float) -> None:
        """Wait, by the clock of the runtime."""
        self._runtime.clock.sleep(seconds)

    def _settle_answers(self) -> list[str]:
        """Write the results of runs that have ended into the conversations, and start what nobody has started."""
        platform = self._runtime.platform
        owners = platform.turns.list_owners_generating()
        if owners:
            platform.turns.remove_left_pieces()
        for owner in owners:
            self._answers(owner).settle_all()
        return []

    def _answers(self, owner: str) -> AnswerService:
        return AnswerService(self._runtime.platform, owner, partial(RunService, self._runtime, owner))

    def _name_conversations(self) -> list[str]:
        """Name one conversation at a time, of those that changed in the last day, while nothing else is done here.

        An answer never waits for a title. What was tried once is not tried again by this worker.
        """
        platform = self._runtime.platform
        if not platform.names_conversations:
            return []
        for each, run in [*self._naming.items()]:
            if self._titles(each.owner).settle(each.id, run):
                del self._naming[each]
        if self._naming or self._runtime.run_maintenance.active_run_count or platform.turns.list_owners_generating():
            return []
        since = datetime.fromisoformat(self._runtime.clock.now()) - _NAMED_FOR
        found = platform.conversations.list_untitled(since.isoformat(timespec="microseconds"), _UNTITLED)
        for each in found:
            if each not in self._named and (run := self._titles(each.owner).begin(each.id)) is not None:
                self._named.add(each)
                self._naming[each] = run
                break
        return []

    def _compress_conversations(self) -> list[str]:
        """Sum up one part of one conversation at a time, make a note of one, or describe what it names often.

        An answer never waits for that. What needs nothing is looked at again when it has changed.
        """
        platform = self._runtime.platform
        for each, (service, run) in [*self._compressing.items()]:
            if service.settle(run):
                del self._compressing[each]
        is_busy = self._compressing or self._naming or self._runtime.run_maintenance.active_run_count
        if is_busy or not platform.compresses_conversations or platform.turns.list_owners_generating():
            return []
        since = datetime.fromisoformat(self._runtime.clock.now()) - _NAMED_FOR
        for each in platform.summaries.list_changed(since.isoformat(timespec="microseconds"), _CHANGED):
            if self._fitting.get(each.id) == each:
                continue
            if (begun := self._begin_background(each)) is not None:
                self._compressing[each] = begun
                break
            if self._is_extracted(each.owner):
                self._fitting[each.id] = each
        return []

    def _begin_background(self, conversation: ChangedConversation) -> tuple[BackgroundRuns, str] | None:
        runs = partial(RunService, self._runtime, conversation.owner)
        for kind in (ConversationSummaries, ConversationNotes, EntityDescriptions):
            service = kind(self._runtime.platform, conversation.owner, runs)
            if (run := service.begin(conversation.id)) is not None:
                return service, run
        return None

    def _take_descriptions(self) -> list[str]:
        """Take over the descriptions of the last day for which nobody waited."""
        platform = self._runtime.platform
        since = datetime.fromisoformat(self._runtime.clock.now()) - _NAMED_FOR
        for user in platform.extraction.list_users():
            service = EntityDescriptions(platform, user, partial(RunService, self._runtime, user))
            for run in service.list_completed(since.isoformat(timespec="microseconds")):
                if run not in self._described:
                    service.settle(run)
                    self._described.add(run)
        return []

    def _is_extracted(self, owner: str) -> bool:
        """Whether no episode of a user waits for extraction, or it is off for them."""
        platform = self._runtime.platform
        return platform.knowledge_settings.get(owner).extraction != "on" or not platform.extraction.state(owner).waiting

    def _titles(self, owner: str) -> ConversationTitles:
        return ConversationTitles(self._runtime.platform, owner, partial(RunService, self._runtime, owner))

    def _extract_knowledge(self) -> list[str]:
        """Find names and facts in users' messages, some episodes of each user at a time; an answer comes first."""
        platform = self._runtime.platform
        if platform.turns.list_owners_generating():
            return []
        for owner in platform.extraction.list_owners():
            if platform.extractor == STATEMENTS:
                KnowledgeService(platform, owner, partial(RunService, self._runtime, owner)).catch_up(_EXTRACTED)
            elif platform.extractor == MODEL and platform.knowledge_settings.get(owner).extraction == "on":
                self._model_extraction(owner).advance()
        return []

    def _serve_graphiti(self) -> list[str]:
        """Let Graphiti extract, and keep its graphs up to date, if the settings say so; an answer comes first."""
        platform = self._runtime.platform
        try:
            if platform.knowledge_graph is None or platform.turns.list_owners_generating():
                return []
        except (ConfigError, MissingExtraError) as error:
            lines = [] if self._is_graphiti_refused else [f"{error.message} {error.advice}"]
            self._is_graphiti_refused = True
            return lines
        return [line for user in platform.extraction.list_users() for line in self._graphiti(user).advance()]

    def _graphiti(self, user: str) -> GraphitiBackground:
        if user not in self._graphs:
            self._graphs[user] = GraphitiBackground(self._runtime.platform, user, self._runtime.executor)
        return self._graphs[user]

    def _embed_knowledge(self) -> list[str]:
        """Make vectors of users' messages, some texts of each user at a time; an answer comes first."""
        platform = self._runtime.platform
        backlog = None if platform.turns.list_owners_generating() else platform.embedding_backlog
        if backlog is not None:
            with suppress(AeonError):  # of the embedding model: the search works by words until it answers
                for user in platform.extraction.list_users():
                    backlog.embed_next(user, _EMBEDDED)
        return []

    def _model_extraction(self, owner: str) -> ModelExtraction:
        if owner not in self._reading:
            runs = partial(RunService, self._runtime, owner)
            self._reading[owner] = ModelExtraction(self._runtime.platform, owner, self._runtime.executor, runs)
        return self._reading[owner]

    def _finish_erasures(self) -> list[str]:
        """Complete erasures that a crash has interrupted, or that had to wait for a run."""
        platform = self._runtime.platform
        if platform.erasures.list_open(limit=1):
            runs = partial(RunService, self._runtime, OWN_USER)
            ConversationService(platform, OWN_USER, runs, platform.context).erasing.finish()
        return []

    def _watch_health(self, report: Report) -> None:
        """Run due health checks (platform 5), on a thread of its own: a check may take 5 s."""
        task = PeriodicTask(HEALTH_CHECK_INTERVAL, self._check_health)
        periodic = PeriodicTasks([task], self._runtime.clock, report)
        with suppress(QueryError):  # the store was closed: the worker is ending
            while True:
                periodic.run_due()
                self._runtime.clock.sleep(POLL_INTERVAL)

    def _check_health(self) -> list[str]:
        changed = self._runtime.platform.health.run_due()
        return [f"tool {tool.name} of {tool.owner_id} is {tool.status}{_why(tool)}" for tool in changed]

    def _record_measurements(self) -> list[str]:
        self._runtime.run_measurement.record_pending()
        return []

    def _delete_old_data(self) -> list[str]:
        removed = self._runtime.prune()
        values = self._runtime.platform.metrics.values.prune(self._runtime.clock.now())
        return [f"removed {removed.runs} old run(s) and {values} old value(s)"] if removed.runs or values else []


def _why(tool: Tool) -> str:
    return f": {tool.error_message}" if tool.error_message else ""
