"""Exports and imports over REST, and what answers were made from (platform 14, 25 and 27)."""

import io
import json
import zipfile

import pytest
from tests.server.rest.test_conversations import ONE, TWO, said


def imported(client, content, name="conversations.json", **query):
    return client.post("/api/v1/import/conversations", files={"file": (name, content)}, params=query)


def uploads(site):
    return list((site.folder / "state" / "aeon" / "uploads").rglob("*"))


def test_what_was_exported_is_imported_by_another_user_and_the_second_time_nothing_is_new(serve):
    site = serve(ONE, TWO)
    mine, theirs = site.client("me"), site.client("eve")
    place, *_ = said(mine, "What do pancakes need?")
    said(mine, "And galettes?")
    lines = mine.get("/api/v1/export/conversations")
    assert lines.headers["content-type"] == "application/x-ndjson"
    assert "attachment" in lines.headers["content-disposition"]
    assert [each["title"] for each in map(json.loads, lines.text.splitlines())] == [None, None]
    one = mine.get(f"/api/v1/conversations/{place}/export")
    assert (one.headers["content-type"], len(one.json())) == ("application/json", 1)
    shown = mine.get(f"/api/v1/conversations/{place}/export?format=markdown").text
    assert "What do pancakes need?" in shown
    assert ONE in shown
    dry = imported(theirs, one.content, dry=True).json()
    assert (dry["isDryRun"], dry["imported"]) == (True, 1)
    assert theirs.get("/api/v1/conversations").json()["data"] == []
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr("export/conversations.json", one.content)
    for content, counts in ((archive.getvalue(), (1, 0)), (one.content, (0, 1)), (lines.content, (1, 1))):
        report = imported(theirs, content).json()
        assert (report["imported"], report["alreadyThere"], report["failed"]) == (*counts, 0), report
    assert len(theirs.get("/api/v1/conversations").json()["data"]) == 2
    assert uploads(site) == [], "what was sent is removed"
    assert theirs.get(f"/api/v1/conversations/{place}/export").status_code == 404
    assert site.client("ann").get("/api/v1/export/conversations").text == ""


@pytest.mark.parametrize("content", [b"", b"{", b"[1, 2]", b"PK\x03\x04broken", b'[{"title": "x"}]'])
def test_what_is_no_export_is_reported_under_the_name_that_it_was_sent_with(site, content):
    answer = imported(site.client("me"), content, "../strange.json")
    assert answer.status_code == 200, answer.text
    assert answer.json()["failed"] > 0
    assert {each["file"] for each in answer.json()["failures"]} == {"../strange.json"}
    assert str(site.folder) not in answer.text
    assert uploads(site) == []


def test_an_import_needs_one_file_that_is_no_bomb(site):
    client = site.client("me")
    two = [("file", ("a.json", b"[]")), ("file", ("b.json", b"[]"))]
    assert client.post("/api/v1/import/conversations", files=two).status_code == 413
    for wrong in ({"other": ("a.json", b"[]")}, {"file": (None, b"[]")}):
        assert client.post("/api/v1/import/conversations", files=wrong).status_code == 422
    assert client.post("/api/v1/import/conversations", json=[]).status_code == 400
    assert imported(client, b"[]", source="nothing").status_code == 422
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("conversations.json", b" " * (32 << 20))
    refused = imported(client, bomb.getvalue())
    assert (refused.status_code, str(site.folder) in refused.text) == (422, False)
    assert uploads(site) == []


def test_what_an_answer_was_made_from_and_how_two_differ(serve):
    site = serve(ONE, TWO)
    client = site.client("me")
    _, message, answer, _ = said(client, "What do pancakes need?")
    (prompt,) = client.get(f"/api/v1/messages/{answer['id']}/prompts").json()["data"]
    assert [each["role"] for each in prompt["messages"]] == ["system", "user"]
    assert prompt["messages"][-1]["text"] == "What do pancakes need?"
    memory = client.get(f"/api/v1/messages/{message['id']}/memory").json()
    assert [each["alternative"] for each in memory["entries"]] == [message["id"]]
    again = client.post(f"/api/v1/messages/{answer['id']}/regenerate").json()
    client.get(f"/api/v1/messages/{again['id']}/events")
    differs = client.get(f"/api/v1/messages/{answer['id']}/compare", params={"with": again["id"]}).json()
    assert (differs["isOneTurn"], [each[0] for each in differs["lines"]]) == (True, ["-", "+"])
    client.delete(f"/api/v1/messages/{message['id']}")
    assert client.get(f"/api/v1/messages/{answer['id']}/prompts").status_code == 409
