"""The stream of changes, for lists that stay current: numbered, resumed, per user, ended with its reader's session."""

import json
import threading

import pytest


@pytest.fixture
def changes():
    """`changes(client, count, **request)`: the first events of a stream: (number, action)."""

    def read(client, count, **request):
        found = []
        with client.stream("GET", "/api/v1/audit/events", **request) as answer:
            assert answer.status_code == 200, answer.read()
            number = None
            for line in answer.iter_lines():
                if line.startswith("id: "):
                    number = int(line[4:])
                if line.startswith("data: ") and number is not None:
                    found.append((number, json.loads(line[6:])["action"]))
                    if len(found) == count:
                        return found
        return found

    return read


def test_changes_come_as_they_happen_in_order_and_go_on_from_any_number_platform_32(site, changes):
    mine = site.client("me")
    place = mine.post("/api/v1/conversations", json={"title": "One"}).json()["id"]
    mine.patch(f"/api/v1/conversations/{place}", json={"pinned": True})
    (token, first, second) = changes(mine, 3, params={"after": 0})
    assert token == (1, "token.issue")
    assert (second[0], [first[1], second[1]]) == (first[0] + 1, ["conversation.create", "conversation.change"])
    assert changes(mine, 1, params={"after": 0}, headers={"last-event-id": str(first[0])}) == [second]


def test_without_a_number_the_stream_begins_now_and_has_only_ones_own(site, changes):
    mine, theirs = site.client("me"), site.client("eve")
    mine.post("/api/v1/conversations", json={"title": "Before"})
    found = []
    reader = threading.Thread(target=lambda: found.extend(changes(mine, 1)))
    reader.start()
    while site.state.streams.total == 0:
        pass
    theirs.post("/api/v1/conversations", json={"title": "Of another"})
    mine.post("/api/v1/messages/nothing/activate")
    made = mine.post("/api/v1/conversations", json={"title": "After"}).json()["id"]
    reader.join(20)
    assert [action for _, action in found] == ["conversation.create"]
    entries = mine.get("/api/v1/audit").json()["data"]
    assert [each["subject"] for each in entries if each["seq"] == found[0][0]] == [made]


def test_a_stream_of_changes_ends_when_its_token_is_revoked_platform_31(site):
    mine = site.client("me")
    issued = mine.post("/api/v1/tokens", json={"name": "reader"}).json()
    mine.headers["authorization"] = f"Bearer {issued['secret']}"
    with mine.stream("GET", "/api/v1/audit/events") as answer:
        assert mine.delete(f"/api/v1/tokens/{issued['id']}").status_code == 204
        assert "event: signed_out" in answer.read().decode()
