"""A process that is killed while it synchronizes leaves a graph that the next synchronization completes."""

import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from aeon.platform.knowledge.view import SyncCounts
from aeon.testing.records import new_record

from .conftest import Watched

pytestmark = [pytest.mark.server, pytest.mark.slow]

PROCESS = Path(__file__).with_name("killed_process.py")
KILLED = -9


def texts(n):
    return [f"Tove lives in Linz since {n}.", f"Ida plays the oboe in Bregenz with {n} others."]


def test_a_graph_is_right_after_each_kill(tmp_path, falkordb_server):
    falkordb_server.clear()
    with closing(new_record(tmp_path)) as store:
        watched = Watched(store, falkordb_server)
        code, n = KILLED, 0
        while code == KILLED:
            n += 3
            said = watched.tell(*texts(n))
            watched.turns.edit(said[0].id, f"Ole sails to Visby in {n} days.", watched.request())
            watched.extract()
            expected = {each.text for each in watched.views.read(watched.user).facts}
            told = [tmp_path, watched.user, falkordb_server.address, falkordb_server.password, n]
            code = subprocess.run([sys.executable, PROCESS, *map(str, told)], check=False).returncode
            if n % 2:
                watched.sync()
                assert set(watched.facts_there()) == expected
                assert watched.sync() == SyncCounts(0, 0)
        assert code == 0
        assert n > 15, "it was killed at most of its queries"
        assert set(watched.facts_there()) == expected
