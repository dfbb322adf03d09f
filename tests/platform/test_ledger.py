"""Repetitions are answered, deeds are recorded, trails are chains (platform 4, 19, 20)."""

import threading
from datetime import UTC, datetime

import pytest

from aeon.base.json import parse_strict
from aeon.platform.catalog.model import NewService, ServiceChange
from aeon.platform.errors import ConflictError, NotFoundError, RuleError
from aeon.platform.ledger import MutationRequest

SERVICE = {
    "name": "api",
    "type": "rest_api",
    "protocol": "http",
    "connectionSchema": {"type": "object", "required": ["endpoint"]},
}


def trail(world, user):
    return list(world.catalog.ledger.audit_log(user))


def count(world, user):
    return world.store.read("SELECT count(*) AS n FROM services WHERE owner_id = :user", {"user": user})[0]["n"]


def tamper(store, table, *queries):
    """Change what never changes, as somebody can who has the database: the triggers that refuse it are taken off."""
    if store.dialect == "sqlite":
        found = (
            "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = :table AND sql LIKE '%RAISE%'"
        )
        triggers = store.read(found, {"table": table})
        before = [f"DROP TRIGGER {trigger['name']}" for trigger in triggers]
        after = [trigger["sql"] for trigger in triggers]
    else:
        before = [f"ALTER TABLE {table} DISABLE TRIGGER USER"]
        after = [f"ALTER TABLE {table} ENABLE TRIGGER USER"]

    def work(unit):
        for query, params in [*((each, {}) for each in before), *queries, *((each, {}) for each in after)]:
            unit.write(query, params)

    store.update(work)


def test_the_same_request_within_a_day_gets_the_first_answer_again(world):
    """Platform 20."""
    user, new = world.user("u"), NewService.parsed(SERVICE)
    request = MutationRequest(user, "key-1")
    first = world.catalog.services.add(new, request)
    assert world.catalog.services.add(new, request) == first
    assert count(world, user) == 1
    with pytest.raises(ConflictError, match="key-1"):
        world.catalog.services.add(NewService.parsed({**SERVICE, "name": "other"}), request)
    other = world.user("o")
    assert world.catalog.services.add(new, MutationRequest(other, "key-1")).owner_id == other


def test_after_a_day_the_key_is_free(world):
    """Platform 20."""
    user = world.user("u")
    request = MutationRequest(user, "key")
    first = world.catalog.services.add(NewService.parsed(SERVICE), request)
    world.clock.sleep(24 * 3600)
    second = world.catalog.services.add(NewService.parsed({**SERVICE, "name": "second"}), request)
    assert second.id != first.id
    assert world.catalog.services.add(NewService.parsed({**SERVICE, "name": "second"}), request) == second


def test_a_deletion_that_is_repeated_is_no_error(world):
    user = world.user("u")
    service = world.service(user)
    for _ in range(2):
        world.catalog.services.remove(service.id, MutationRequest(user, "k"))
    with pytest.raises(NotFoundError):
        world.catalog.services.remove(service.id, MutationRequest(user))


def test_every_mutation_is_in_its_owner_s_trail(world):
    """Platform 19: who, what, whose, when."""
    user = world.user("u")
    service = world.service(user)
    world.catalog.services.change(service.id, ServiceChange(shared=True), MutationRequest(user))
    world.catalog.services.change(service.id, ServiceChange(name="new"), MutationRequest(user))
    world.catalog.services.change(service.id, ServiceChange(shared=False), MutationRequest(user))
    secret = world.secret(user)
    world.catalog.secrets.rotate(secret.id, {"key": "n"}, MutationRequest(user))
    world.catalog.secrets.remove(secret.id, MutationRequest(user))
    entries = trail(world, user)
    assert [entry["action"] for entry in entries] == [
        "service.create",
        "service.share",
        "service.change",
        "service.unshare",
        "secret.create",
        "secret.rotate",
        "secret.delete",
    ]
    assert [entry["seq"] for entry in entries] == list(range(1, 8))
    assert {entry["actorId"] for entry in entries} == {entry["ownerId"] for entry in entries} == {user}
    assert parse_strict(entries[2]["details"]) == {"name": "new", "fields": ["name"]}
    assert all(datetime.fromisoformat(entry["at"]).tzinfo == UTC for entry in entries)
    assert world.catalog.ledger.verify_audit_log(user) is None


def test_use_of_another_s_service_is_in_both_trails(world):
    """Platform 19."""
    owner, other = world.user("owner"), world.user("other")
    service = world.service(owner, shared=True)
    world.tool(other, service)
    for user in (owner, other):
        entry = trail(world, user)[-1]
        assert (entry["action"], entry["actorId"], entry["ownerId"]) == ("service.use", other, owner)
        assert world.catalog.ledger.verify_audit_log(user) is None


@pytest.mark.parametrize(
    ("tampering", "said"),
    [
        ("UPDATE audit_entries SET action = 'x' WHERE user_id = :user AND seq = 2", "entry 2 was changed"),
        ("DELETE FROM audit_entries WHERE user_id = :user AND seq = 2", "entry 2 is missing"),
        ("DELETE FROM audit_entries WHERE user_id = :user AND seq = 3", "entries after 2 are missing"),
        (
            "UPDATE audit_entries SET previous = 'x' WHERE user_id = :user AND seq = 2",
            "entry 2 does not follow entry 1",
        ),
    ],
)
def test_a_trail_that_was_tampered_with_is_noticed(world, tampering, said):
    """Platform 19."""
    user = world.user("u")
    for name in "abc":
        world.service(user, name=name)
    tamper(world.store, "audit_entries", (tampering, {"user": user}))
    assert world.catalog.ledger.verify_audit_log(user) == said


def test_a_trail_whose_end_was_taken_off_with_its_head_is_noticed_by_whoever_noted_it(world):
    """Platform 19: within the store alone nothing would be missing."""
    user = world.user("u")
    for name in "ab":
        world.service(user, name=name)
    ledger = world.catalog.ledger
    before = ledger.chain_head(user)
    world.service(user, name="c")
    noted = ledger.chain_head(user)
    cut = "DELETE FROM audit_entries WHERE user_id = :user AND seq = 3"
    head = "UPDATE users SET audit_seq = 2, audit_hash = :hash WHERE id = :user"
    given = {"user": user, "hash": before.hash}
    tamper(world.store, "audit_entries", (cut, given), (head, given))
    assert ledger.verify_audit_log(user) is None
    assert ledger.verify_audit_log(user, before) is None
    assert ledger.verify_audit_log(user, noted) == "it ends at entry 2, before entry 3 of the saved chain head"
    world.service(user, name="d")
    assert ledger.verify_audit_log(user, noted) == "entry 3 does not match the saved chain head"


def test_those_who_write_one_trail_at_once_lose_nothing(world):
    user, errors = world.user("u"), []

    def make(number):
        try:
            for each in range(5):
                world.service(user, name=f"s{number}-{each}")
        except Exception as error:  # noqa: BLE001  # shown by the assertion
            errors.append(error)

    threads = [threading.Thread(target=make, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert count(world, user) == 30
    assert len(trail(world, user)) == 30
    assert world.catalog.ledger.verify_audit_log(user) is None


def test_a_mutation_and_its_records_happen_together(world):
    """What is refused leaves no entry, no answer."""
    user = world.user("u")
    world.service(user)
    tables = ("services", "audit_entries", "requests", "events", "users")
    everything = [f"SELECT count(*) AS n FROM {table}" for table in tables]
    before = [world.store.read(query) for query in everything]
    with pytest.raises(RuleError, match="already"):
        world.catalog.services.add(NewService.parsed(SERVICE), MutationRequest(user, "a key"))
    assert [world.store.read(query) for query in everything] == before
