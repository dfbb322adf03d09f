"""What every operation of the REST API does with a request before it reads it."""

import pytest


@pytest.fixture
def client(site):
    return site.client("me")


def test_unknown_query_parameters_are_refused_with_the_known_ones(client):
    answer = client.get("/api/v1/runs?phse=failed&limit=1&wrong=1")
    problems = answer.json()["details"]["problems"]
    assert answer.status_code == 422
    assert [(each["pointer"], each["rule"]) for each in problems] == [
        ("query phse", "unknown"),
        ("query wrong", "unknown"),
    ]
    assert "did you mean phase? known are before, code, cursor, limit," in problems[0]["message"]
    assert "there are no query parameters here" in client.get("/api/v1/workers?limit=1").json()["message"]


def test_who_is_not_signed_in_is_told_that_before_what_is_wrong_with_the_request(site):
    stranger = site.client()
    for answer in (
        stranger.get("/api/v1/runs?phse=failed"),
        stranger.get("/api/v1/audit?wrong=1"),
        stranger.get("/api/v1/users?wrong=1"),
        stranger.post("/api/v1/apply", content=b"kind: Process", headers={"content-type": "application/yaml"}),
    ):
        assert answer.status_code == 401, answer.text
    open_to_all = stranger.post("/api/v1/session?wrong=1", json={"link": "x"})
    assert open_to_all.status_code == 422, open_to_all.text


def test_of_many_unknown_query_parameters_the_first_are_told(client):
    answer = client.get("/api/v1/runs", params={f"phase{each}": "1" for each in range(1_000)})
    assert len(answer.json()["details"]["problems"]) == 10


def test_parameters_of_a_dependency_are_known_and_the_page_takes_any(site, client):
    assert client.get("/api/v1/audit?user=me").status_code == 200
    assert site.browser().get("/runs?utm=1").status_code == 200


@pytest.mark.parametrize("kind", [None, "application/x-www-form-urlencoded", "application/yaml", "text/json"])
def test_a_body_that_is_not_called_json_is_refused_with_415(client, kind):
    headers = {} if kind is None else {"content-type": kind}
    answer = client.post("/api/v1/apply", content=b"kind: Process", headers=headers)
    assert answer.status_code == 415, answer.text
    assert kind is None or kind in answer.json()["message"]
    assert "a JSON object that has text, with the header Content-Type: application/json" in answer.json()["nextStep"]


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "Application/JSON", "application/vnd.aeon+json"])
def test_json_by_any_of_its_names_is_read(client, kind):
    answer = client.post("/api/v1/conversations", content=b'{"title": "x"}', headers={"content-type": kind})
    assert answer.status_code == 201, answer.text


def test_a_body_that_may_be_left_out_needs_no_content_type(client):
    assert client.post("/api/v1/processes/nothing/runs").status_code == 404


@pytest.mark.parametrize("path", ["/api/v1/conversations", "/v1/chat/completions"])
def test_an_empty_idempotency_key_is_refused(client, path):
    body = {"model": "m", "messages": [{"role": "user", "content": "x"}]} if "chat" in path else {}
    answer = client.post(path, json=body, headers={"Idempotency-Key": ""})
    assert (answer.status_code, "dempotency-" in answer.text) == (400 if "chat" in path else 422, True), answer.text


def test_broken_json_is_a_fault_of_the_whole_body_at_a_character(client):
    for content, at in ((b'{"text": x}', 9), (b"", None)):
        answer = client.post("/api/v1/apply", content=content, headers={"content-type": "application/json"})
        (problem,) = answer.json()["details"]["problems"]
        assert (answer.status_code, problem["pointer"]) == (422, ""), problem
        assert at is None or f"at character {at}" in problem["message"]
    listed = client.post("/api/v1/apply", json=[])
    assert listed.json()["details"]["problems"][0]["pointer"] == "", "the whole body is the empty pointer (RFC 6901)"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"title": "a", "title": "b"}', "the key 'title' appears twice in one object"),
        (b'{"title": NaN}', "NaN is not JSON"),
        (b'{"title": 1e999}', "too large for a number"),
    ],
)
@pytest.mark.parametrize("path", ["/api/v1/conversations", "/v1/chat/completions"])
def test_a_body_is_read_as_strictly_as_a_file(client, path, content, message):
    """Of two values with one name, one would be dropped, and nobody would see it."""
    answer = client.post(path, content=content, headers={"content-type": "application/json"})
    assert answer.status_code in (400, 422), answer.text
    assert message in answer.text
    assert "at character" not in answer.text


@pytest.mark.parametrize("path", ["runs", "conversations/nothing", "audit/events"])
def test_head_answers_as_get_without_a_body(client, path):
    with client.stream("GET", f"/api/v1/{path}") as read:
        expected = read.status_code, read.headers["content-type"], read.headers.get("content-length")
    asked = client.head(f"/api/v1/{path}")
    assert (asked.status_code, asked.headers["content-type"], asked.headers.get("content-length")) == expected
    assert asked.content == b""


def test_a_path_without_get_has_no_head(client):
    refused = client.head("/api/v1/apply")
    assert (refused.status_code, refused.headers["allow"]) == (405, "POST")
    assert client.delete("/api/v1/runs").headers["allow"] == "GET, HEAD"
