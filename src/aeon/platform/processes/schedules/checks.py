"""What is wrong with a schedule, all of it at once. Pure."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from aeon.base.json import Json, JsonObject
from aeon.platform.errors import RuleError
from aeon.platform.processes.checking.problems import DefinitionProblem
from aeon.platform.processes.schedules.cron import CronError, CronExpression, load_time_zone
from aeon.platform.processes.words import join_names


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
