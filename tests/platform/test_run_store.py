"""A record's runs are kept in one place."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from aeon.base.errors import ConfigError
from aeon.platform.store_identity import RunStoreIdentity, claim_run_store, get_run_store, move_run_store


def test_of_many_who_claim_at_once_one_has_it_and_the_others_are_told_where_it_is(new_store):
    store = new_store()

    def claim(number):
        try:
            claim_run_store(store, RunStoreIdentity(str(number), f"place {number}"))
        except ConfigError as error:
            return str(error)
        return None

    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(claim, range(16)))

    winner = get_run_store(store)
    assert told[int(winner.id)] is None
    refused = [said for said in told if said is not None]
    assert len(refused) == 15
    assert all(f"The runs of this record are stored in {winner.where}." in said for said in refused)


def test_who_has_it_claims_it_again_wherever_it_was_moved(new_store):
    store = new_store()
    claim_run_store(store, RunStoreIdentity("a", "here"))
    claim_run_store(store, RunStoreIdentity("a", "moved"))
    assert get_run_store(store) == ("a", "here")


def test_a_lost_place_is_replaced_on_purpose_only(new_store):
    store = new_store()
    claim_run_store(store, RunStoreIdentity("a", "here"))
    move_run_store(store, RunStoreIdentity("b", "there"))
    claim_run_store(store, RunStoreIdentity("b", "there"))
    with pytest.raises(ConfigError, match="are stored in there"):
        claim_run_store(store, RunStoreIdentity("a", "here"))
