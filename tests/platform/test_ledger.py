"""Repetitions are answered, deeds are recorded, trails are chains (platform 4, 19, 20)."""

import threading
from datetime import UTC, datetime

import pytest

from aeon.base.json import parse_strict
from aeon.platform.catalog.catalog import Catalog
from aeon.platform.catalog.model import NewService, ServiceChange
from aeon.platform.errors import ConflictError, NotFoundError
from aeon.platform.ledger import Request

SERVICE = {
    "name": "api",
    "type": "rest_api",
    "protocol": "http",
    "connectionSchema": {"type": "object", "required": ["endpoint"]},
}


def trail(world, user):
    rows = world.store.read("MATCH (a:AuditEntry {userId: $user}) RETURN a ORDER BY a.seq", {"user": user})
    return [row["a"] for row in rows]


def count(world, user):
    query = "MATCH (s:Service)-[:OWNED_BY]->(:User {id: $user}) RETURN count(s) AS n"
    return world.store.read(query, {"user": user})[0]["n"]


def test_the_same_request_within_a_day_gets_the_first_answer_again(world):
    """Platform 20."""
    user, new = world.user("u"), NewService.parsed(SERVICE)
    request = Request(user, "key-1", {"name": "api"})
    first = world.catalog.services.add(new, request)
    assert world.catalog.services.add(new, request) == first
    assert count(world, user) == 1
    with pytest.raises(ConflictError, match="key-1"):
        world.catalog.services.add(new, Request(user, "key-1", {"name": "other"}))
    other = world.user("o")
    assert world.catalog.services.add(new, Request(other, "key-1", {"name": "other"})).owner_id == other


def test_after_a_day_the_key_is_free(world):
    """Platform 20."""
    user = world.user("u")
    request = Request(user, "key", {})
    first = world.catalog.services.add(NewService.parsed(SERVICE), request)
    world.clock.sleep(24 * 3600)
    second = world.catalog.services.add(NewService.parsed({**SERVICE, "name": "second"}), request)
    assert second.id != first.id
    assert world.catalog.services.add(NewService.parsed({**SERVICE, "name": "second"}), request) == second


def test_a_deletion_that_is_repeated_is_no_error(world):
    user = world.user("u")
    service = world.service(user)
    for _ in range(2):
        world.catalog.services.remove(service.id, Request(user, "k", {"delete": service.id}))
    with pytest.raises(NotFoundError):
        world.catalog.services.remove(service.id, Request(user))


def test_every_mutation_is_in_its_owner_s_trail(world):
    """Platform 19: who, what, whose, when."""
    user = world.user("u")
    service = world.service(user)
    world.catalog.services.change(service.id, ServiceChange(shared=True), Request(user))
    world.catalog.services.change(service.id, ServiceChange(name="new"), Request(user))
    world.catalog.services.change(service.id, ServiceChange(shared=False), Request(user))
    secret = world.secret(user)
    world.catalog.secrets.rotate(secret.id, {"key": "n"}, Request(user))
    world.catalog.secrets.remove(secret.id, Request(user))
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
    assert world.catalog.ledger.verify(user) is None


def test_use_of_another_s_service_is_in_both_trails(world):
    """Platform 19."""
    owner, other = world.user("owner"), world.user("other")
    service = world.service(owner, shared=True)
    world.tool(other, service)
    for user in (owner, other):
        entry = trail(world, user)[-1]
        assert (entry["action"], entry["actorId"], entry["ownerId"]) == ("service.use", other, owner)
        assert world.catalog.ledger.verify(user) is None


@pytest.mark.parametrize(
    ("tampering", "said"),
    [
        ("MATCH (a:AuditEntry {userId: $user, seq: 2}) SET a.action = 'service.delete'", "entry 2 was changed"),
        ("MATCH (a:AuditEntry {userId: $user, seq: 2}) DELETE a", "entry 2 is missing"),
        ("MATCH (a:AuditEntry {userId: $user, seq: 3}) DELETE a", "entries after 2 are missing"),
        ("MATCH (a:AuditEntry {userId: $user, seq: 2}) SET a.previous = 'x'", "entry 2 does not follow entry 1"),
    ],
)
def test_a_trail_that_was_tampered_with_is_noticed(world, tampering, said):
    """Platform 19."""
    user = world.user("u")
    for name in "abc":
        world.service(user, name=name)
    world.store.write(tampering, {"user": user})
    assert world.catalog.ledger.verify(user) == said


def test_a_trail_whose_end_was_taken_off_with_its_head_is_noticed_by_whoever_noted_it(world):
    """Platform 19: within the store alone nothing would be missing."""
    user = world.user("u")
    for name in "ab":
        world.service(user, name=name)
    ledger = world.catalog.ledger
    before = ledger.head(user)
    world.service(user, name="c")
    noted = ledger.head(user)
    cut = "MATCH (a:AuditEntry {userId: $user, seq: 3}), (u:User {id: $user}) SET u.auditSeq = 2, u.auditHash = $hash"
    world.store.write(f"{cut} DELETE a", {"user": user, "hash": before.hash})
    assert ledger.verify(user) is None
    assert ledger.verify(user, before) is None
    assert ledger.verify(user, noted) == "it ends at entry 2, before entry 3 that was noted"
    world.catalog = Catalog(world.store, world.vault, clock=world.clock)  # which remembers no head of before
    world.service(user, name="d")
    assert ledger.verify(user, noted) == "entry 3 is not the one that was noted"


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
    assert world.catalog.ledger.verify(user) is None


def test_a_mutation_and_its_records_happen_together(world):
    """What is refused leaves no entry, no event, no answer."""
    user = world.user("u")
    world.service(user)
    everything = "MATCH (n) RETURN count(n) AS n"
    before = world.store.read(everything)
    with pytest.raises(Exception, match="already"):
        world.service(user)
    assert world.store.read(everything) == before
