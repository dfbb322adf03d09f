"""Stores schedules, finds due ones, and lets one process settle each instant."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from aeon.base.json import Json, JsonObject
from aeon.platform.catalog.repository import EntityQueries, EntityRepository, audit_change
from aeon.platform.catalog.service import Catalog
from aeon.platform.errors import RuleError
from aeon.platform.ledger import MutationRequest
from aeon.platform.processes.checks.problems import DefinitionProblem
from aeon.platform.processes.model import ProcessDefinition
from aeon.platform.processes.repository import ProcessRepository
from aeon.platform.processes.started_versions import use_actions
from aeon.platform.processes.typed_inputs import complete_inputs, input_problems, inputs_step
from aeon.platform.records import replace_unstorable
from aeon.platform.schedules import queries
from aeon.platform.schedules.cron import CronError, CronExpression, load_time_zone
from aeon.platform.schedules.model import NewSchedule, ProcessSchedule, ScheduleChange, ScheduleFiring
from aeon.platform.schedules.timing import ON_TIME_TOLERANCE, datetime_to_micros, due_instants, next_after
from aeon.platform.store import Store, write_one


def check_schedule(fields: JsonObject, process: ProcessDefinition | None, now: datetime | None) -> None:
    """Raise RuleError with every problem of a schedule's fields, by their published names.

    `process` is given if its inputs are to be checked; `now` if its time is new, which must lie in the future.
    """
    inputs = [] if process is None else input_problems(process, complete_inputs(process, fields["inputs"]))
    problems = [*_time_problems(fields, now), *(DefinitionProblem("$.inputs", "inputs_match", each) for each in inputs)]
    if problems:
        is_about_inputs = len(inputs) == len(problems)
        raise RuleError(
            f"The schedule is not valid: {'; '.join(map(str, problems))}.",
            rule=problems[0].rule,
            field=problems[0].path,
            next_step=inputs_step(process) if process and is_about_inputs else "Correct it and save it again.",
            problems=list[Json](problem._asdict() for problem in problems),
        )


def parse_instant(text: str) -> datetime:
    """Parse an ISO 8601 instant and return it in UTC. Raises ValueError.

    The offset is required.
    """
    instant = datetime.fromisoformat(text)
    if instant.tzinfo is None:
        raise ValueError("it has no offset")
    return instant.astimezone(UTC)


def _time_problems(fields: JsonObject, now: datetime | None) -> Iterator[DefinitionProblem]:
    if (fields["cron"] is None) == (fields["at"] is None):
        which = "neither cron nor at" if fields["cron"] is None else "both cron and at"
        yield DefinitionProblem("$.cron", "one_time", f"there are {which}; give exactly one")
    zone = None
    try:
        zone = load_time_zone(fields["timeZone"])
    except ValueError as error:
        yield DefinitionProblem("$.timeZone", "time_zone", str(error))
    if fields["cron"] is not None:
        try:
            CronExpression(fields["cron"], zone or UTC)
        except CronError as error:
            yield DefinitionProblem("$.cron", "cron_valid", str(error))
    if fields["at"] is not None:
        yield from _at_problems(fields["at"], now)


_NO_INSTANT: Final = "it is not an instant: ISO 8601 with its offset"
_WITHOUT_OFFSET: Final = (
    "it has no offset from UTC, and a time zone applies to cron only: write it with its offset, as "
    "2027-01-31T08:00:00+01:00"
)


def _is_local(text: str) -> bool:
    """Return whether a text is a time that has no offset."""
    try:
        return datetime.fromisoformat(text).tzinfo is None
    except ValueError:
        return False


def _at_problems(text: str, now: datetime | None) -> Iterator[DefinitionProblem]:
    try:
        at = parse_instant(text)
    except (ValueError, OverflowError):
        yield DefinitionProblem("$.at", "instant", _WITHOUT_OFFSET if _is_local(text) else _NO_INSTANT)
        return
    if now and at <= now:
        yield DefinitionProblem("$.at", "at_future", "it is in the past")


QUERIES = EntityQueries(
    queries.SCHEDULE,
    queries.SCHEDULE_NAMED,
    queries.OWN_SCHEDULES,
    None,
    queries.VISIBLE_SCHEDULES,
    queries.USERS_OF_SCHEDULE,
)

_BATCH_SIZE = 100
"""Schedules in one batch; those that have been due for the longest come first."""

_TIME_FIELDS = frozenset({"cron", "at", "timeZone", "enabled", "catchUp"})
"""A change of one of these restarts the schedule."""

_UNCHANGED: JsonObject = {"since": None, "due_micros": None}
"""The timing of a schedule that is not restarted."""


class ScheduleRepository(EntityRepository[ProcessSchedule]):
    """The schedules of all users, visible to their owners only. Thread- and process-safe."""

    list_step = "catalog.list_schedules"

    def __init__(self, store: Store, catalog: Catalog, processes: ProcessRepository) -> None:
        super().__init__(store, catalog.ledger, ProcessSchedule.from_row, QUERIES)
        self._store = store
        self._ledger = catalog.ledger
        self._new_id = catalog.new_id
        self._processes = processes

    def add(self, new: NewSchedule, request: MutationRequest) -> ProcessSchedule:
        """Save a schedule of a Process that the caller may see.

        Raises RuleError with every problem, NotFoundError for the Process, and ConflictError if the Process changed
        meanwhile.
        """
        process = self._processes.get(request.user, new.process)
        now = parse_instant(self._ledger.now())
        check_schedule(new.as_dict(), process.definition, now)
        at = _format_instant(now)
        identity = {"id": self._new_id(), "ownerId": request.user, "createdAt": at, "updatedAt": at, "since": at}
        schedule = ProcessSchedule.model_validate(new.as_dict() | identity)
        row = {**schedule.as_row(), **_timing(schedule), "process_version": process.version}
        work = write_one(queries.CREATE_SCHEDULE, row)
        mutation = request.mutation("schedule.create", parameters=new.as_dict())
        return self.create(work, schedule, mutation, use_actions(process, schedule))

    def check_new(self, new: NewSchedule, definition: ProcessDefinition, existing: ProcessSchedule | None) -> None:
        """Raise RuleError with every problem of a schedule to create, or to compare with an existing one."""
        is_known = existing is not None and existing.at == new.at
        check_schedule(new.as_dict(), definition, None if is_known else parse_instant(self._ledger.now()))

    def change(self, id_: str, change: ScheduleChange, request: MutationRequest) -> ProcessSchedule:
        """Change the caller's schedule. A new time or enabling restarts it: nothing is caught up.

        Raises NotFoundError, RuleError with every problem, ConflictError.
        """
        before = self.get_own(request.user, id_)
        now = parse_instant(self._ledger.now())
        fields = {**before.as_dict(), **change.requested_fields()}
        self._check_change(before, fields, request.user, now)
        fields |= {"version": before.version + 1, "updatedAt": _format_instant(now)}
        restarts = any(fields[name] != before.as_dict()[name] for name in _TIME_FIELDS)
        after = ProcessSchedule.model_validate(fields | ({"since": _format_instant(now)} if restarts else {}))
        timing = _timing(after) if restarts else _UNCHANGED
        work = write_one(queries.CHANGE_SCHEDULE, {**after.as_row(), **timing, "before": before.version})
        mutation = request.mutation("schedule.change", id_, change.requested_fields())
        return self.replace(work, after, mutation, audit_change(before, after, request.user))

    def remove(self, id_: str, request: MutationRequest) -> None:
        """Delete the caller's schedule; the runs that it started continue."""
        self.delete(queries.DELETE_SCHEDULE, request.mutation("schedule.delete", id_))

    def list_due(self, now: str) -> list[ScheduleFiring]:
        """Return the firings that are due now; those of each schedule are in order.

        Start the run of each under its own id, then call `mark_fired`: after a crash between the two, the same run is
        started again, which changes nothing. Mark firings that could not be started, too, or they stay due. Late
        firings that are not caught up are settled here.
        """
        instant_now = parse_instant(now)
        self._rewind(instant_now)
        rows = self._store.read(queries.DUE, {"now": datetime_to_micros(instant_now), "limit": _BATCH_SIZE})
        firings: list[ScheduleFiring] = []
        for schedule in map(ProcessSchedule.from_row, rows):
            instants = due_instants(schedule, parse_instant(schedule.since), instant_now)
            firings += [ScheduleFiring(schedule, _format_instant(instant)) for instant in instants]
            if not instants:
                self._compare_and_set(queries.SETTLE, _settled(schedule, instant_now))
        return firings

    def _rewind(self, now: datetime) -> None:
        """Move schedules that are ahead of now back to now, after the clock was set back.

        Instants that come again have the same run ids, so no run is started twice.
        """
        ahead = _format_instant(now + ON_TIME_TOLERANCE)
        rows = self._store.read(queries.AHEAD, {"ahead": ahead, "limit": _BATCH_SIZE})
        for schedule in map(ProcessSchedule.from_row, rows):
            following = next_after(schedule, now)
            params: JsonObject = {
                "id": schedule.id,
                "version": schedule.version,
                "since": schedule.since,
                "now": _format_instant(now),
                "due": datetime_to_micros(following) if following else None,
            }
            self._compare_and_set(queries.SET_BACK, params)

    def mark_fired(self, firing: ScheduleFiring, problem: str | None = None) -> bool:
        """Settle a firing and note its run, or the `problem` for which it has none; return whether this call did it.

        Returns False if another process or an earlier call was first, or if the schedule was changed or deleted
        meanwhile.
        """
        params = _settled(firing.schedule, parse_instant(firing.instant))
        stored = None if problem is None else replace_unstorable(problem)
        return self._compare_and_set(queries.MARK_FIRED, {**params, "problem": stored, "run": firing.run_id})

    def _check_change(self, before: ProcessSchedule, fields: JsonObject, user: str, now: datetime) -> None:
        """Check a change. A user who cannot see the Process can still rename and disable."""
        is_enabled_now = fields["enabled"] > before.enabled
        is_checked = is_enabled_now or fields["inputs"] != before.inputs
        process = self._processes.get(user, before.process).definition if is_checked else None
        check_schedule(fields, process, now if is_enabled_now or fields["at"] != before.at else None)

    def _compare_and_set(self, query: str, params: JsonObject) -> bool:
        return self._store.update(lambda unit: unit.write(query, params)) == 1


def _settled(schedule: ProcessSchedule, until: datetime) -> JsonObject:
    """Return the parameters that settle all instants of a schedule up to `until`."""
    following = next_after(schedule, until)
    return {
        "id": schedule.id,
        "version": schedule.version,
        "until": _format_instant(until),
        "due": datetime_to_micros(following) if following else None,
    }


def _timing(schedule: ProcessSchedule) -> JsonObject:
    """Return the timing columns of a schedule that starts or restarts; `SETTLE` updates them."""
    following = next_after(schedule, parse_instant(schedule.since)) if schedule.enabled else None
    return {"since": schedule.since, "due_micros": datetime_to_micros(following) if following else None}


def _format_instant(instant: datetime) -> str:
    """Format an instant as Aeon stores it; such texts sort in order of time."""
    return instant.astimezone(UTC).isoformat(timespec="microseconds")
