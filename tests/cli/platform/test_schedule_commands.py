"""`aeon process schedule`, and the workers that start what is due: nothing twice, whoever is killed."""

import re
import signal
import sqlite3
from contextlib import closing

import pytest

from aeon.platform.runs.machine.state import ENDED_PHASES

from .conftest import until

pytestmark = pytest.mark.server

TICK = """
kind: Process
name: tick
initialContext: [who]
steps:
  - {id: get, tool: item, inputs: {id: "{who}"}, output: got}
"""


def test_a_list_shows_what_came_of_the_last_start(aeon, applied):
    applied(TICK)
    aeon("process", "schedule", "create", "daily", "tick", "--cron", "0 8 * * *", "--input", "who=me")

    def last(**columns):
        with closing(sqlite3.connect(".aeon/aeon.db")) as raw, raw:
            for name, value in columns.items():
                raw.execute(f"UPDATE schedules SET {name} = ?", (value,))  # names of this test's
        ((shown,),) = aeon("process", "schedule", "list").cells("LAST")
        return shown

    assert last() == ""
    assert last(started_at="2026-11-27T08:00:00+00:00", run="12345678-9") == "2026-11-27T08:00:00 12345678"
    assert last(problem="The Process 'tick' is disabled.") == "refused: The Process 'tick' is disabled."
    shown = aeon("process", "schedule", "show", "daily").json
    assert (shown["run"], shown["problem"]) == ("12345678-9", "The Process 'tick' is disabled.")


def test_schedules_are_added_listed_paused_resumed_and_removed(aeon, applied):
    applied(TICK)
    added = aeon("process", "schedule", "create", "daily", "tick", "--cron", "0 8 * * *", "--input", "who=me")
    assert added.out.startswith("daily tick: 0 8 * * * UTC, next ")
    assert "aeon serve worker" in added.err
    zone = ("--time-zone", "Asia/Tokyo", "--catch-up", "once")
    once = aeon(
        "process", "schedule", "create", "once", "tick", "--at", "2999-01-01T00:00:00+09:00", "--input", "who=me", *zone
    )
    assert once.out == "once tick: at 2999-01-01T00:00:00+09:00 Asia/Tokyo, next 2999-01-01T00:00:00+09:00\n"
    paused = aeon("process", "schedule", "pause", "once").out
    assert paused == "once tick: at 2999-01-01T00:00:00+09:00 Asia/Tokyo, paused\n"
    daily, found = aeon("process", "schedule", "list", "--json").json
    assert (daily["enabled"], daily["inputs"], daily["catchUp"]) == (True, {"who": "me"}, "skip")
    assert (found["enabled"], found["next"], found["catchUp"]) == (False, None, "once")
    assert aeon("process", "schedule", "list").cells("NAME", "PROCESS", "WHEN", "TIME ZONE", "NEXT") == [
        ("daily", "tick", "0 8 * * *", "UTC", f"next {daily['next']}"),
        ("once", "tick", "at 2999-01-01T00:00:00+09:00", "Asia/Tokyo", "paused"),
    ]
    assert added.out == f"daily tick: 0 8 * * * UTC, next {daily['next']}\n"
    shown = aeon("process", "schedule", "show", "daily").json
    assert (shown["processName"], shown["cron"], shown["next"]) == ("tick", "0 8 * * *", daily["next"])
    assert aeon("process", "schedule", "resume", "once").out == once.out
    assert aeon("process", "schedule", "delete", "--yes", "once").out == "deleted once\n"
    assert aeon("process", "schedule", "list", "--user", "ann").out == ""
    refused = aeon("process", "schedule", "delete", "--yes", "daily", "--user", "ann")
    assert (refused.code, "nothing named 'daily'" in refused.err) == (2, True)
    assert refused.err.endswith("next: See `aeon process schedule list`.\n")


def test_all_that_is_wrong_with_a_schedule_is_told(aeon, applied):
    applied(TICK)
    refused = aeon(
        "process",
        "schedule",
        "create",
        "bad",
        "tick",
        "--cron",
        "61 * * * *",
        "--input",
        "whom=me",
        "--time-zone",
        "Mars",
    )
    said = " ".join(refused.err.split())
    assert refused.code == 2
    assert all(each in said for each in ("$.cron", "$.timeZone", "it lacks who", "has no input whom"))
    assert "--input" not in said


def test_who_leaves_out_an_input_is_told_how_to_give_it(aeon, applied):
    applied(TICK)
    refused = aeon("process", "schedule", "create", "daily", "tick", "--cron", "0 8 * * *")
    assert refused.code == 2
    assert "Give exactly these: who (each with --input NAME=VALUE" in " ".join(refused.err.split())


@pytest.mark.slow
def test_two_workers_of_which_one_is_killed_start_each_moment_once(aeon, applied, background, shop):
    applied(TICK)
    aeon("process", "schedule", "create", "often", "tick", "--cron", "* * * * * *", "--input", "who=me")
    first, second = background("serve", "worker"), background("serve", "worker")
    until(lambda: shop.calls["/me"] >= 3)
    first.ends(signal.SIGKILL)
    before = shop.calls["/me"]
    third = background("serve", "worker")
    until(lambda: shop.calls["/me"] >= before + 4)
    assert aeon("process", "schedule", "pause", "often").code == 0
    until(lambda: all(run["state"] in ENDED_PHASES for run in aeon("log", "list", "--json").json))
    runs = aeon("log", "list", "--limit", "1000", "--json").json
    told = first.err + second.err + third.err
    starts = re.findall(r"run (\S+) of tick is started: schedule often of me", told)
    assert len(starts) == len(set(starts)), "each moment is settled by one of them"
    taken = set(re.findall(r"run (\S+) of tick is adopted", told))
    again = {job.partition(":")[0] for job, calls in shop.jobs.items() if calls > 1}
    assert again <= taken, "done once more is only what was under way when the first one was killed"
    assert {job.partition(":")[0] for job in shop.jobs} == {run["id"] for run in runs}


def test_a_process_that_a_schedule_starts_is_in_use(aeon, applied):
    applied(TICK)
    aeon("process", "schedule", "create", "daily", "tick", "--cron", "0 8 * * *", "--input", "who=me")
    assert aeon("process", "uses", "tick").cells("KIND", "NAME", "OWNER") == [("schedule", "daily", "me")]
    refused = aeon("process", "delete", "--yes", "tick")
    assert (refused.code, "is still used by daily" in refused.err) == (1, True)
    aeon("process", "schedule", "delete", "--yes", "daily")
    assert aeon("process", "delete", "--yes", "tick").code == 0


def test_the_next_start_is_shown_in_the_zone_of_the_schedule_and_a_time_without_its_offset_says_so(aeon, applied):
    applied(TICK)
    create = ("process", "schedule", "create", "tokyo", "tick", "--input", "who=me", "--time-zone", "Asia/Tokyo")
    assert aeon(*create, "--cron", "0 8 * * *").out.endswith("T08:00:00+09:00\n")
    refused = aeon(*create, "--at", "2999-03-28T02:30:00")
    told = " ".join(refused.err.split())
    assert (refused.code, "a time zone applies to cron only: write it with its offset" in told) == (2, True)
