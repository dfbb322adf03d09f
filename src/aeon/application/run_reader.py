"""`RunReader`: what one user can see of the runs of Processes, without an engine."""

import builtins
from collections.abc import Iterator
from typing import cast, get_args

from aeon.application.argument_types import require_choice
from aeon.application.pages import Page, checked_limit, decode_cursor, encode_cursor, page_of
from aeon.application.run_comparison import RunComparison, compare_runs
from aeon.base.clock import normalize_instant
from aeon.base.errors import InputError
from aeon.base.json import Json, JsonObject
from aeon.base.next_steps import NextStep
from aeon.platform.errors import NotFoundError, RuleError
from aeon.platform.id_prefixes import require_prefix
from aeon.platform.runs.dead_jobs import NEWEST_DEAD_JOB, DeadJob, DeadJobPosition
from aeon.platform.runs.loop_counts import LoopCount
from aeon.platform.runs.machine.state import ENDED_PHASES, RunPhase
from aeon.platform.runs.model import NEWEST_RUN, Run, RunEntry, RunFilter, RunPosition, RunSummary
from aeon.platform.runs.questions import AssignedQuestion, PendingQuestion
from aeon.platform.runs.seeds import has_undone
from aeon.platform.runs.service import Runs, RunView
from aeon.platform.runs.trace import AttemptTrace, trace_attempts

__all__ = [
    "ENDED_PHASES",
    "AttemptTrace",
    "DeadJob",
    "LoopCount",
    "PendingQuestion",
    "RunPhase",
    "RunReader",
    "RunView",
]

NEWEST = "last"
"""The name of the newest run, for people."""

_LIST_LIMIT = 50
_MATCHES = 9
"""The most runs that are listed for the beginning of an id."""
POLL_INTERVAL = 0.5
"""Seconds after which a follower reads by itself: nobody tells it of entries that other processes store."""


class RunReader:
    """The runs of one user, for reading. Threads may share it. Every method raises StoreError."""

    def __init__(self, runs: Runs, user: str) -> None:
        self._runs = runs
        self._user = user

    def find_id(self, run: str) -> str:
        """The id of a run that a person named: an id, the beginning of one, or `last` for the newest.

        Raises NotFoundError without runs, InputError if several ids begin like that.
        """
        if run != NEWEST:
            return self._whole_id(run)
        newest = self.list(limit=1).items
        if not newest:
            raise NotFoundError("You have no runs.", next_step=NextStep("processes.start"))
        return newest[0].id

    def find_asking_run(self, prefix: str, step: str) -> str | None:
        """The run of another user whose step asks this one by name, by the beginning of its id; None without one.

        Raises NotFoundError for an empty beginning.
        """
        require_prefix(prefix)
        for assigned, _ in self._runs.list_assigned(self._user):
            if assigned.step == step and assigned.owner != self._user and assigned.run.startswith(prefix):
                return assigned.run
        return None

    def list_matching(self, prefix: str) -> "builtins.list[RunSummary]":
        """The newest runs whose ids begin with `prefix`, without those that other runs called.

        Raises NotFoundError for an empty one.
        """
        require_prefix(prefix)
        return self._runs.list_runs(self._user, _MATCHES, RunFilter(prefix=prefix))

    def _whole_id(self, prefix: str) -> str:
        """The id that begins like that; the text itself if no id does, so that what reads the run refuses it."""
        matching = [each.id for each in self.list_matching(prefix)]
        if prefix in matching or not matching:
            return prefix
        if len(matching) > 1:
            raise InputError(
                f"{prefix!r} begins more than one id: {', '.join(matching)}.", next_step="Give more of it."
            )
        return matching[0]

    def get(self, run: str) -> Run:
        """A run as it was accepted, and its phase, by its id. Raises NotFoundError."""
        return self._runs.repository.get(self._user, run).run

    def view(self, run: str) -> RunView:
        """A run, its plan and its state. Raises NotFoundError."""
        return self._runs.view(self._user, run)

    def trace(self, view: RunView) -> "builtins.list[AttemptTrace]":
        """Every attempt of a run's steps, in the order of their starts."""
        return trace_attempts(view.plan, self._runs.list_entries(self._user, view.run.id))

    def count_items(self, view: RunView) -> dict[str, LoopCount]:
        """How many items of each loop that a run has started are completed, by step."""
        return self._runs.count_items(view)

    def compare(self, first: str, second: str) -> RunComparison:
        """Two runs of one Process side by side. Raises NotFoundError, and RuleError for runs of two Processes."""
        before, after = self.view(first), self.view(second)
        return compare_runs(before, self.trace(before), after, self.trace(after))

    def list(  # noqa: PLR0913  # one a filter
        self,
        *,
        phase: RunPhase | None = None,
        process: str | None = None,
        since: str | None = None,
        before: str | None = None,
        code: str | None = None,
        tag: str | None = None,
        text: str | None = None,
        unretried: bool = False,
        after: str | None = None,
        limit: int = _LIST_LIMIT,
    ) -> Page[RunSummary]:
        """A page of the user's runs, newest first, without those that other runs called.

        `process` is the name of a Process or its id, `since` an ISO 8601 instant at which a run was accepted or later,
        `before` one before which it was; `code` is that of a failure, `tag` a name or `name=value`, `text` is looked
        for in inputs, failures and tags. `unretried` leaves out runs that were retried. `after` is the cursor of the
        page before. Raises RuleError for an invalid instant, cursor or limit, and InputError for an unknown phase.
        """
        if phase is not None:
            require_choice(phase, get_args(RunPhase), "phase")
        earliest, latest = "" if since is None else _instant(since), None if before is None else _instant(before)
        wanted = RunFilter(phase, process, earliest, before=latest, code=code, tag=tag, text=text, unretried=unretried)
        position = NEWEST_RUN if after is None else RunPosition(*decode_cursor(after, str, str))
        found = self._runs.list_runs(self._user, checked_limit(limit) + 1, wanted, position)
        last = found[min(limit, len(found)) - 1] if found else None
        return page_of(found, limit, "" if last is None else encode_cursor([last.accepted_at, last.id]))

    def list_open_ids(self) -> "builtins.list[str]":
        """The ids of the user's runs that have not ended, oldest first."""
        return self._runs.repository.list_open_ids(self._user)

    def list_questions(self, run: str) -> "builtins.list[PendingQuestion]":
        """The open questions of a run and of its whole family, its own first.

        Of another user's run, those that ask this user by name. Raises NotFoundError.
        """
        try:
            return self._runs.list_questions(self._user, run)
        except NotFoundError:
            assigned = [question for _, question in self.list_assigned(run)]
            if not assigned:
                raise
            return assigned

    def list_assigned(self, run: str) -> "builtins.list[tuple[AssignedQuestion, PendingQuestion]]":
        """The open questions of a run of any user, and of what it called, that ask this user by name."""
        return [
            (assigned, question)
            for assigned, question in self._runs.list_assigned(self._user)
            if run in (assigned.run, self._runs.repository.get(assigned.owner, assigned.run).run.root_id)
        ]

    def begins_anew(self, view: RunView) -> bool:
        """Whether a retry of a run does everything again, since steps were undone."""
        return has_undone(view.plan, view.state)

    def list_dead_jobs(self, *, after: str | None = None, limit: int = _LIST_LIMIT) -> Page[DeadJob]:
        """A page of the user's dead jobs, newest first: those that failed permanently (platform 10).

        Raises RuleError for an invalid cursor or limit.
        """
        position = NEWEST_DEAD_JOB if after is None else DeadJobPosition(*decode_cursor(after, str, str))
        found = self._runs.repository.list_dead_jobs(self._user, checked_limit(limit) + 1, position)
        last = found[min(limit, len(found)) - 1] if found else None
        return page_of(found, limit, "" if last is None else encode_cursor([last.at, last.id]))

    def get_dead_job(self, job: str) -> DeadJob:
        """A dead job of the user. Raises NotFoundError."""
        return self._runs.repository.get_dead_job(self._user, job)

    def read_on(self, run: str, after: int) -> "tuple[builtins.list[RunEntry], bool]":
        """Return the entries after number `after`, and whether they are the last ones. Raises NotFoundError."""
        has_ended = self._runs.has_ended(self._user, run)
        return list(self._runs.repository.entries(run, after)), has_ended

    def entries(self, run: str, after: int = 0, *, follows: bool = False) -> Iterator[RunEntry]:
        """Yield the entries of one run after number `after`; if it `follows`, until the run has ended.

        Raises NotFoundError.
        """
        with self._runs.notifier.watch(lambda stored: stored == run) as watch:
            while True:
                is_over = self._runs.has_ended(self._user, run)
                for entry in self._runs.list_entries(self._user, run, after):
                    after = entry.n
                    yield entry
                if is_over or not follows:
                    return
                watch.wait(POLL_INTERVAL)


def _instant(text: str) -> str:
    instant = normalize_instant(text)
    if instant is None:
        raise RuleError(
            f"{text!r} is not an instant.", rule="instant", field="$.since", next_step="Give ISO 8601 with its offset."
        )
    return instant


def value_of(view: RunView, name: str) -> Json:
    """Return what the steps of a run say under a name, such as `finishReason` or `marks`; None if nothing."""
    values: list[object] = [step.value for step in view.state.steps]
    found = [cast(JsonObject, value).get(name) for value in values if isinstance(value, dict)]
    return next((each for each in found if each is not None), None)
