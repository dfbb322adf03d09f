"""Schedules in the record: whose they are, which are due, and that each moment is one process's to start."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from aeon.base.json import Json, JsonObject
from aeon.platform.catalog.repository import EntityQueries, EntityRepository, audit_change
from aeon.platform.catalog.service import Catalog
from aeon.platform.errors import RuleError
from aeon.platform.ledger import AuditAction, MutationRequest
from aeon.platform.processes.checks.problems import DefinitionProblem
from aeon.platform.processes.model import Process
from aeon.platform.processes.repository import ProcessRepository
from aeon.platform.processes.text import join_names
from aeon.platform.schedules import queries
from aeon.platform.schedules.cron import CronError, CronExpression, load_time_zone
from aeon.platform.schedules.model import NewSchedule, ProcessSchedule, ScheduleChange, ScheduleFiring
from aeon.platform.schedules.timing import ON_TIME_TOLERANCE, datetime_to_micros, due_instants, next_after
from aeon.platform.store import Store, write_one


def check_schedule(said: JsonObject, needed: Sequence[str], now: datetime | None) -> None:
    """Raises RuleError with all that is wrong with what a schedule says, under its published names.

    `needed` are the inputs of its Process; `now` is given where its time is new, and must lie in the future.
    """
    problems = [*_time_problems(said, now), *_input_problems(said["inputs"], needed)]
    if problems:
        raise RuleError(
            f"The schedule is not valid: {'; '.join(map(str, problems))}.",
            rule=problems[0].rule,
            field=problems[0].path,
            next_step="Correct it and save it again.",
            problems=list[Json](problem._asdict() for problem in problems),
        )


def parse_instant(text: str) -> datetime:
    """An ISO 8601 instant, in UTC. Raises ValueError for a text that is none, or says no offset."""
    found = datetime.fromisoformat(text)
    if found.tzinfo is None:
        raise ValueError("it says no offset")
    return found.astimezone(UTC)


def _time_problems(said: JsonObject, now: datetime | None) -> Iterator[DefinitionProblem]:
    if (said["cron"] is None) == (said["at"] is None):
        both = "neither cron nor at" if said["cron"] is None else "both cron and at"
        yield DefinitionProblem("$.cron", "one_time", f"it says {both}; it says exactly one")
    zone = None
    try:
        zone = load_time_zone(said["timeZone"])
    except ValueError as error:
        yield DefinitionProblem("$.timeZone", "time_zone", str(error))
    if said["cron"] is not None:
        try:
            CronExpression(said["cron"], zone or UTC)
        except CronError as error:
            yield DefinitionProblem("$.cron", "cron_valid", str(error))
    if said["at"] is not None:
        yield from _at_problems(said["at"], now)


def _at_problems(text: str, now: datetime | None) -> Iterator[DefinitionProblem]:
    try:
        at = parse_instant(text)
    except (ValueError, OverflowError):
        yield DefinitionProblem("$.at", "instant", "it is no instant: ISO 8601 with its offset")
        return
    if now and at <= now:
        yield DefinitionProblem("$.at", "at_future", "it is over already")


def _input_problems(inputs: JsonObject, needed: Sequence[str]) -> Iterator[DefinitionProblem]:
    if missing := [name for name in needed if name not in inputs]:
        yield DefinitionProblem("$.inputs", "inputs_match", f"the process needs {join_names(missing)}, too")
    if unknown := [name for name in inputs if name not in needed]:
        yield DefinitionProblem("$.inputs", "inputs_match", f"the process knows no {join_names(unknown)}")


QUERIES = EntityQueries(
    queries.SCHEDULE,
    queries.SCHEDULE_NAMED,
    queries.OWN_SCHEDULES,
    None,
    queries.USERS_OF_SCHEDULE,
)

_AT_ONCE = 100
"""Schedules that are looked at in one go; those that were due longest come first."""

_TIMES = frozenset({"cron", "at", "timeZone", "enabled", "catchUp"})
"""With one of these changed, a schedule begins anew."""

_UNCHANGED: JsonObject = {"since": None, "due_micros": None}
"""The timing of a schedule that goes on."""


class ScheduleRepository(EntityRepository[ProcessSchedule]):
    """The schedules of all users, each its owner's alone. Threads and processes may share it."""

    def __init__(self, store: Store, catalog: Catalog, processes: ProcessRepository) -> None:
        super().__init__(store, catalog.ledger, ProcessSchedule.from_row, QUERIES)
        self._store = store
        self._ledger = catalog.ledger
        self._new_id = catalog.new_id
        self._processes = processes

    def add(self, new: NewSchedule, request: MutationRequest) -> ProcessSchedule:
        """Have a Process started that the caller may see.

        Raises RuleError with everything that is wrong, NotFoundError for the Process, ConflictError when it changed
        meanwhile.
        """
        process = self._processes.get(request.user, new.process)
        now = parse_instant(self._ledger.now())
        check_schedule(new.as_dict(), process.initial_context, now)
        at = _text(now)
        identity = {"id": self._new_id(), "ownerId": request.user, "createdAt": at, "updatedAt": at, "since": at}
        schedule = ProcessSchedule.model_validate(new.as_dict() | identity)
        row = {**schedule.as_row(), **_timing(schedule), "process_version": process.version}
        work = write_one(queries.CREATE_SCHEDULE, row)
        asked = request.mutation("schedule.create", parameters=new.as_dict())
        return self.create(work, schedule, asked, _uses(process, schedule))

    def change(self, id_: str, change: ScheduleChange, request: MutationRequest) -> ProcessSchedule:
        """Change the caller's schedule. With another time, or enabled again, it begins anew: nothing is caught up.

        Raises NotFoundError, RuleError with everything that is wrong, ConflictError.
        """
        before = self.get_own(request.user, id_)
        now = parse_instant(self._ledger.now())
        said = {**before.as_dict(), **change.requested_fields()}
        self._check_change(before, said, request.user, now)
        said |= {"version": before.version + 1, "updatedAt": _text(now)}
        begins_anew = any(said[name] != before.as_dict()[name] for name in _TIMES)
        after = ProcessSchedule.model_validate(said | ({"since": _text(now)} if begins_anew else {}))
        timing = _timing(after) if begins_anew else _UNCHANGED
        work = write_one(queries.CHANGE_SCHEDULE, {**after.as_row(), **timing, "before": before.version})
        asked = request.mutation("schedule.change", id_, change.requested_fields())
        return self.replace(work, after, asked, audit_change(before, after, request.user))

    def remove(self, id_: str, request: MutationRequest) -> None:
        """Delete the caller's schedule; what it started goes on."""
        self.delete(queries.DELETE_SCHEDULE, request.mutation("schedule.delete", id_))

    def list_due(self, now: str) -> list[ScheduleFiring]:
        """What is to be started now, each schedule's moments in their order.

        Start the run of each under its own id, then `mark_fired`: a crash between the two starts the same run again,
        which is no other one. Note what could not be started, too, or it is due again and again. What is late and not
        caught up is settled here.
        """
        moment = parse_instant(now)
        self._set_back(moment)
        rows = self._store.read(queries.DUE, {"now": datetime_to_micros(moment), "limit": _AT_ONCE})
        found: list[ScheduleFiring] = []
        for schedule in map(ProcessSchedule.from_row, rows):
            instants = due_instants(schedule, parse_instant(schedule.since), moment)
            found += [ScheduleFiring(schedule, _text(instant)) for instant in instants]
            if not instants:
                self._settle(schedule, moment)
        return found

    def _set_back(self, now: datetime) -> None:
        """Have schedules that are further than now go on from now: the machine's clock was ahead, and is set back.

        Moments that come once more are the same runs, so none is started twice.
        """
        ahead = _text(now + ON_TIME_TOLERANCE)
        rows = self._store.read(queries.AHEAD, {"ahead": ahead, "limit": _AT_ONCE})
        for schedule in map(ProcessSchedule.from_row, rows):
            following = next_after(schedule, now)
            params: JsonObject = {
                "id": schedule.id,
                "version": schedule.version,
                "since": schedule.since,
                "now": _text(now),
                "due": datetime_to_micros(following) if following else None,
            }
            self._compare_and_set(queries.SET_BACK, params)

    def mark_fired(self, schedule: ProcessSchedule, instant: str) -> bool:
        """Settle a moment of a schedule; whether this call did it, and not another process or an earlier call.

        False as well when the schedule was changed or deleted since it was read.
        """
        return self._settle(schedule, parse_instant(instant))

    def _check_change(self, before: ProcessSchedule, said: JsonObject, user: str, now: datetime) -> None:
        """Whoever does not see the Process any more can still rename the schedule and disable it."""
        starts_again = said["enabled"] > before.enabled
        if starts_again or said["inputs"] != before.inputs:
            needed = self._processes.get(user, before.process).initial_context
        else:
            needed = list(before.inputs)
        check_schedule(said, needed, now if starts_again or said["at"] != before.at else None)

    def _settle(self, schedule: ProcessSchedule, until: datetime) -> bool:
        following = next_after(schedule, until)
        params: JsonObject = {
            "id": schedule.id,
            "version": schedule.version,
            "until": _text(until),
            "due": datetime_to_micros(following) if following else None,
        }
        return self._compare_and_set(queries.SETTLE, params)

    def _compare_and_set(self, query: str, params: JsonObject) -> bool:
        return self._store.update(lambda unit: unit.write(query, params)) == 1


def _timing(schedule: ProcessSchedule) -> JsonObject:
    """How far it is: written when it begins, and by `SETTLE`."""
    following = next_after(schedule, parse_instant(schedule.since)) if schedule.enabled else None
    return {"since": schedule.since, "due_micros": datetime_to_micros(following) if following else None}


def _uses(process: Process, schedule: ProcessSchedule) -> list[AuditAction]:
    """The use of another's Process, for both trails (platform 19)."""
    if process.owner_id == schedule.owner_id:
        return []
    details: Mapping[str, Json] = {"name": process.name, "schedule": schedule.name}
    return [AuditAction("process.use", process.id, schedule.owner_id, process.owner_id, dict(details))]


def _text(instant: datetime) -> str:
    """An instant as Aeon writes it; texts of two sort as they follow each other."""
    return instant.astimezone(UTC).isoformat(timespec="microseconds")
