"""Conversations over REST: the main path, streams and their resumption, conflicts, other users (platform 11 to 32)."""

import threading

import pytest
from tests.server.conftest import events_of

from aeon.testing.llm import ScriptedAdapter

ONE, TWO = "Flour, eggs, milk and a pinch of salt.", "For twelve guests, three times of everything."


def said(client, text, conversation=None):
    """A message and its answer, which has ended."""
    place = conversation or client.post("/api/v1/conversations", json={}).json()["id"]
    message = client.post(f"/api/v1/conversations/{place}/messages", json={"content": text}).json()
    begun = client.post(f"/api/v1/messages/{message['id']}/answers")
    assert begun.status_code == 202, begun.text
    assert begun.headers["location"] == f"/api/v1/messages/{begun.json()['id']}"
    with client.stream("GET", f"{begun.headers['location']}/events") as stream:
        events = events_of(stream)
    return place, message, begun.json(), events


def test_a_dialogue_with_a_stream_an_edit_and_the_way_back(serve):
    site = serve(ONE, TWO, "Buckwheat.")
    client = site.client("me")
    place, message, begun, events = said(client, "What do pancakes need?")
    *pieces, (last_id, last, whole) = events
    assert "".join(data["text"] for _, _, data in pieces) == ONE
    assert [number for number, _, _ in pieces] == list(range(1, len(pieces) + 1))
    assert (last_id, last, whole["state"], whole["content"]) == (None, "end", "complete", ONE)
    said(client, "And for twelve guests?", place)
    edited = client.post(f"/api/v1/messages/{message['id']}/alternatives", json={"content": "What do galettes need?"})
    assert edited.status_code == 201
    begun = client.post(f"/api/v1/messages/{edited.json()['id']}/answers").json()
    with client.stream("GET", f"/api/v1/messages/{begun['id']}/events") as stream:
        assert events_of(stream)[-1][2]["content"] == "Buckwheat."
    path = client.get(f"/api/v1/conversations/{place}/path").json()["data"]
    assert [each["content"] for each in path] == ["What do galettes need?", "Buckwheat."]
    assert client.post(f"/api/v1/messages/{message['id']}/activate").status_code == 200
    path = client.get(f"/api/v1/conversations/{place}/path").json()["data"]
    assert [each["content"] for each in path] == ["What do pancakes need?", ONE, "And for twelve guests?", TWO]
    assert len(client.get(f"/api/v1/messages/{message['id']}/alternatives").json()["data"]) == 2
    assert len(client.get(f"/api/v1/conversations/{place}/tree").json()["data"]) == 6
    why = client.get(f"/api/v1/messages/{path[3]['id']}/why").json()
    assert [each["alternative"] for each in why["entries"]] == [each["id"] for each in path[:3]]


def test_a_stream_goes_on_after_the_number_that_the_browser_names_platform_32(serve):
    site = serve(ONE)
    client = site.client("me")
    _, _, begun, events = said(client, "What do pancakes need?")
    path = f"/api/v1/messages/{begun['id']}/events"
    with client.stream("GET", path, headers={"last-event-id": "99"}) as stream:
        assert [name for _, name, _ in events_of(stream)] == ["end"]
    for header in ("x", "-1", "9" * 30, "1.5"):
        refused = client.get(path, headers={"last-event-id": header})
        assert (refused.status_code, refused.headers["content-type"]) == (422, "application/problem+json")
    assert events[-1][1] == "end"


class HeldModel(ScriptedAdapter):
    """A model that writes the first half of its answer, and ends it once it is let go."""

    def __init__(self):
        super().__init__([ONE])
        self.has_begun = threading.Event()
        self.goes_on = threading.Event()

    def complete(self, request, on_text=None):
        if on_text is not None:
            on_text(ONE[:20])
        self.has_begun.set()
        assert self.goes_on.wait(20)
        return super().complete(request)


def begun_by(client):
    """The id of an answer that is being made."""
    place = client.post("/api/v1/conversations", json={}).json()["id"]
    message = client.post(f"/api/v1/conversations/{place}/messages", json={"content": "What do they need?"}).json()
    return client.post(f"/api/v1/messages/{message['id']}/answers").json()["id"]


def test_who_comes_late_or_again_gets_all_from_the_number_named_and_nothing_twice_platform_32(serve):
    site = serve(model=HeldModel())
    client = site.client("me")
    path = f"/api/v1/messages/{begun_by(client)}/events"
    assert site.model.has_begun.wait(20)
    with client.stream("GET", path) as first:
        assert any(ONE[:20] in line for line in first.iter_lines())
    site.model.goes_on.set()
    with client.stream("GET", f"{path}?after=0", headers={"last-event-id": "1"}) as again:
        *pieces, (_, name, whole) = events_of(again)
    assert (name, whole["content"]) == ("end", ONE)
    assert ONE[:20] not in "".join(data["text"] for _, _, data in pieces)


def test_a_stream_ends_when_the_server_stops(serve):
    site = serve(model=HeldModel())
    client = site.client("me")
    answer = begun_by(client)
    assert site.model.has_begun.wait(20)
    with client.stream("GET", f"/api/v1/messages/{answer}/events") as stream:
        lines = stream.iter_lines()
        next(lines)
        site.state.stopping.set()
        assert "event: stopping" in list(lines)
    site.model.goes_on.set()


@pytest.mark.parametrize("ends", ["a session", "a token"])
def test_a_stream_ends_when_its_reader_is_signed_out_and_other_readers_go_on_platform_32(serve, ends):
    site = serve(model=HeldModel())
    client = site.client("me")
    path = f"/api/v1/messages/{begun_by(client)}/events"
    assert site.model.has_begun.wait(20)
    reader = site.browser() if ends == "a session" else site.client("me")
    with reader.stream("GET", path) as stream, client.stream("GET", path) as other:
        lines = stream.iter_lines()
        next(lines)
        credential = reader.get("/api/v1/session").json()["credential"]
        assert client.delete(f"/api/v1/tokens/{credential}").status_code == 204
        assert "event: signed_out" in list(lines)
        site.model.goes_on.set()
        assert events_of(other)[-1][1] == "end"


def test_what_is_not_the_users_is_not_there_platform_2(serve):
    site = serve(ONE)
    mine, theirs = site.client("me"), site.client("eve")
    place, message, answer, _ = said(mine, "What do pancakes need?")
    for method, path in [
        ("GET", f"conversations/{place}"),
        ("PATCH", f"conversations/{place}"),
        ("DELETE", f"conversations/{place}"),
        ("GET", f"conversations/{place}/path"),
        ("GET", f"conversations/{place}/tree"),
        ("POST", f"conversations/{place}/messages"),
        ("GET", f"messages/{message['id']}"),
        ("GET", f"messages/{message['id']}/alternatives"),
        ("POST", f"messages/{message['id']}/alternatives"),
        ("POST", f"messages/{message['id']}/activate"),
        ("POST", f"messages/{message['id']}/answers"),
        ("POST", f"messages/{answer['id']}/regenerate"),
        ("POST", f"messages/{answer['id']}/stop"),
        ("POST", f"messages/{answer['id']}/fork"),
        ("DELETE", f"messages/{answer['id']}"),
        ("GET", f"messages/{answer['id']}/why"),
        ("GET", f"messages/{answer['id']}/events"),
    ]:
        bodies = {"messages": {"content": "x"}, "alternatives": {"content": "x"}}
        body = {"json": bodies.get(path.rpartition("/")[2], {})} if method in {"POST", "PATCH"} else {}
        answered = theirs.request(method, f"/api/v1/{path}", **body)
        assert answered.status_code == 404, (method, path, answered.text)
    assert theirs.get("/api/v1/conversations").json() == {"data": [], "next": None}
    assert theirs.get("/api/v1/search/messages?q=pancakes").json()["data"] == []
    assert mine.get(f"/api/v1/conversations/{place}/path").json()["data"][1]["content"] == ONE


def test_the_same_key_is_done_once_and_another_request_with_it_is_refused_platform_30(site):
    client = site.client("me")
    first = client.post("/api/v1/conversations", json={"title": "A"}, headers={"idempotency-key": "k"})
    again = client.post("/api/v1/conversations", json={"title": "A"}, headers={"idempotency-key": "k"})
    other = client.post("/api/v1/conversations", json={"title": "B"}, headers={"idempotency-key": "k"})
    assert (first.status_code, again.status_code, other.status_code) == (201, 201, 409)
    assert first.json() == again.json()
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    assert len(client.get("/api/v1/conversations").json()["data"]) == 1


def test_a_change_of_another_version_than_was_read_is_refused_platform_29(site):
    client = site.client("me")
    made = client.post("/api/v1/conversations", json={"title": "A"})
    path, tag = made.headers["location"], made.headers["etag"]
    changed = client.patch(path, json={"title": "B"}, headers={"if-match": tag})
    assert (changed.status_code, changed.json()["title"]) == (200, "B")
    assert changed.headers["etag"] != tag
    late = client.patch(path, json={"title": "C"}, headers={"if-match": tag})
    assert (late.status_code, late.json()["code"]) == (412, "version")
    assert client.patch(path, json={"title": "C"}, headers={"if-match": "other"}).status_code == 422
    assert client.get(path).json()["title"] == "B"
    assert client.patch(path, json={"title": None}, headers={"if-match": "*"}).json()["title"] is None


def test_all_that_is_wrong_with_a_request_is_said_at_once_with_its_place_platform_29(site):
    answer = site.client("me").post("/api/v1/conversations", json={"title": 3, "colour": "red", "pinned": "maybe"})
    assert (answer.status_code, answer.headers["content-type"]) == (422, "application/problem+json")
    problem = answer.json()
    places = {each["pointer"]: each["rule"] for each in problem["details"]["problems"]}
    assert places == {"/title": "string_type", "/colour": "extra_forbidden", "/pinned": "bool_type"}
    assert {"type", "title", "status", "detail", "code", "message", "correlationId", "timestamp", "details"} <= set(
        problem
    )
    assert "red" not in answer.text


def test_lists_go_on_after_their_cursor_and_a_foreign_one_is_refused_platform_29(site):
    client = site.client("me")
    for n in range(5):
        client.post("/api/v1/conversations", json={"title": str(n)})
    seen, cursor = [], ""
    while cursor is not None:
        found = client.get(f"/api/v1/conversations?limit=2{f'&cursor={cursor}' if cursor else ''}").json()
        seen += [each["title"] for each in found["data"]]
        cursor = found["next"]
    assert seen == ["4", "3", "2", "1", "0"]
    for query in ("cursor=x", "limit=0", "limit=201", "limit=x", "status=gone"):
        assert client.get(f"/api/v1/conversations?{query}").status_code == 422, query


def test_erasing_over_rest_leaves_the_tree_and_nothing_that_was_said_platform_28(serve):
    site = serve("A zeppelin it is.")
    client = site.client("me")
    place, message, _, _ = said(client, "What is up there?")
    assert client.delete(f"/api/v1/messages/{message['id']}").status_code == 204
    assert client.get(f"/api/v1/messages/{message['id']}").json()["content"] is None
    assert client.delete(f"/api/v1/conversations/{place}").status_code == 204
    assert "zeppelin" not in client.get(f"/api/v1/conversations/{place}/tree").text
