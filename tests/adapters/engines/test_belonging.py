"""A database on a server holds the runs of one record (decision 25)."""

from contextlib import closing

import pytest

from aeon.adapters.engines.sql import RunDatabase
from aeon.base.errors import ConfigError
from aeon.bootstrap.engines import EngineLocation, EngineParts, open_engine, open_worker
from aeon.platform.runs.ports import EngineUnavailableError
from aeon.platform.store_identity import get_record_id
from aeon.settings import EngineSettings
from aeon.testing.records import new_record

pytestmark = [pytest.mark.slow, pytest.mark.server]


def claim_database(address, record):
    with closing(RunDatabase(address)) as database:
        database.claim(record)


def test_it_is_the_first_graphs_for_good(postgres):
    address = postgres()
    claim_database(address, "first")
    claim_database(address, "first")
    with pytest.raises(ConfigError, match=r"another record \(first\), and yours is second") as raised:
        claim_database(address, "second")
    assert "a database of its own" in raised.value.advice
    claim_database(postgres(), "second")


def test_neither_engine_nor_worker_opens_another_graphs(postgres, tmp_path):
    address = postgres()
    claim_database(address, "first")
    place = EngineLocation(
        tmp_path, EngineSettings().model_copy(update={"address": address}), {}, lambda: "second", bool
    )
    with pytest.raises(ConfigError, match="another record"):
        open_engine(place, EngineParts(None, None, None, None, None, None), "me")
    with pytest.raises(ConfigError, match="another record"):
        open_worker(place, None, None, executor="me", slots={}, live_executors=set, is_wanted=bool, capabilities=None)


def test_a_server_that_does_not_answer_is_said_as_such(mortal_postgres):
    address = mortal_postgres.create_database()
    mortal_postgres.kill()
    with pytest.raises(EngineUnavailableError):
        claim_database(address, "first")


def test_a_record_has_one_mark(tmp_path):
    one, other = new_record(tmp_path / "one"), new_record(tmp_path / "other")
    try:
        assert get_record_id(one) == get_record_id(one)
        assert get_record_id(one) != get_record_id(other)
    finally:
        one.close()
        other.close()
