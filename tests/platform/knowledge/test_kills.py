"""Processes that extract are killed at any moment: every episode is extracted once, nothing is there twice (platform 34).

`AEON_CHAOS_KILLS` says how often.
"""

import random
import select
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from tests.chaos_sizes import print_counts, size_of

from aeon.testing.records import new_record

from .conftest import Known

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

KILLS = size_of("AEON_CHAOS_KILLS", in_ci=24)
SCRIPT = str(Path(__file__).with_name("extracting_process.py"))
MESSAGES = 40 * KILLS

MENTIONED = """
SELECT e.name, count(*) AS number FROM entities AS e JOIN mentions AS m ON m.entity_id = e.id GROUP BY e.id ORDER BY e.name
"""


def begin(folder, user):
    process = subprocess.Popen([sys.executable, SCRIPT, str(folder), user], stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"begun\n"
    return process


def is_over(process, seconds):
    ready, _, _ = select.select([process.stdout], [], [], seconds)
    return bool(ready) and process.stdout.readline() == b"over\n"


def end(process):
    process.kill()
    process.wait()
    process.stdout.close()


def test_every_episode_is_extracted_once_however_often_processes_are_killed(tmp_path):
    chance = random.Random(3)
    with closing(new_record(tmp_path)) as store:
        known = Known(store)
        place = known.conversation()
        for number in range(MESSAGES):
            known.answer(known.say(place, f"In house {number} we met Tove and Ida."), "Noted, Tove and Ida.")
        kills = 0
        workers = [begin(tmp_path, known.user) for _ in range(2)]
        try:
            while kills < KILLS and known.queue.state(known.user).waiting:
                select.select([], [], [], chance.uniform(0, 0.15))
                at = chance.randrange(2)
                end(workers[at])
                kills += 1
                workers[at] = begin(tmp_path, known.user)
            assert all(is_over(worker, 600) for worker in workers)
        finally:
            for worker in workers:
                end(worker)
        assert known.queue.state(known.user).waiting == 0
        counted = {row["name"]: row["number"] for row in store.read(MENTIONED)}
        assert counted == {"Tove": 2 * MESSAGES, "Ida": 2 * MESSAGES}
        (facts,) = store.read("SELECT count(*) AS number FROM facts")
        (assertions,) = store.read("SELECT count(*) AS number FROM assertions")
        assert (facts["number"], assertions["number"]) == (MESSAGES, MESSAGES)
        cases = {row["word"]: row["capital"] for row in store.read("SELECT word, capital FROM word_cases")}
        assert (cases["tove"], cases["ida"]) == (MESSAGES, MESSAGES), "what is added up is added once"
        print_counts(f"{kills} kills while {2 * MESSAGES} episodes were extracted: each once")
