"""What a server tells operators: a line a request, counters, health, and by which credential a change came."""

import json
import logging
import re

import pytest
from prometheus_client.parser import text_string_to_metric_families

from aeon.platform.runs.ports import EngineUnavailableError
from aeon.platform.store import StoreUnavailableError


def test_every_request_is_one_line_without_ids_queries_and_secrets_platform_31(site, caplog):
    caplog.set_level(logging.INFO, "aeon.server")
    client = site.client("me")
    made = client.post("/api/v1/conversations", json={"title": "secret title"}).json()["id"]
    client.get(f"/api/v1/conversations/{made}/tree?cursor=secret-query", headers={"x-request-id": "my-own-17"})
    client.get("/v1/models/secret-model")
    client.get("/secret-path", headers={"authorization": "Bearer secret-token"})
    client.get("/api/v1/session", headers={"host": "secret.example"})
    site.stop()
    records = [each for each in caplog.records if each.name == "aeon.server"]
    assert [(each.method, each.route, each.status) for each in records] == [
        ("POST", "/api/v1/conversations", 201),
        ("GET", "/api/v1/conversations/{conversation}/tree", 422),
        ("GET", "/v1/models/{model:path}", 404),
        ("GET", "other", 404),
        ("GET", "/api/v1", 421),
    ]
    (token,) = site.workspaces.of("me").access.list_tokens("me")
    assert [(each.user, each.credential) for each in records] == [*[("me", token.id)] * 3, *[("-", "-")] * 2]
    assert records[1].correlation_id == "my-own-17"
    assert all(each.duration >= 0 for each in records)
    said = "\n".join(each.getMessage() for each in records)
    assert re.match(r"POST /api/v1/conversations 201 0\.\d{3} s, request \w{16}, user me, credential ", said)
    assert "secret" not in said
    assert made not in said


def test_metrics_need_a_token_and_the_official_parser_reads_them_platform_18(site):
    assert site.client().get("/metrics").status_code == 401
    assert site.browser().get("/metrics").status_code == 401
    client = site.client("me")
    client.post("/api/v1/conversations", json={})
    client.get("/api/v1/conversations/nothing")
    answer = client.get("/metrics")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    families = {each.name: each for each in text_string_to_metric_families(answer.text)}
    requests = {(s.labels["class"], s.labels["status"]): s.value for s in families["aeon_http_requests"].samples}
    assert requests["changes", "201"] == 1
    assert requests["reads", "404"] == 1
    assert requests["reads", "401"] == 2
    assert requests["sign-ins", "201"] == 1
    seconds = families["aeon_http_request_seconds"]
    assert seconds.type == "histogram"
    reads = [each for each in seconds.samples if each.labels["class"] == "reads"]
    (count,) = [each.value for each in reads if each.name.endswith("_count")]
    buckets = [each.value for each in reads if each.name.endswith("_bucket")]
    assert buckets == sorted(buckets)
    assert (buckets[-1], count) == (3, 3)
    assert families["aeon_http_streams_open"].samples[0].value == 0
    assert len(families) > 3, "the record's own metrics are there"


def test_health_says_no_more_than_that_it_is_and_needs_no_token(site):
    client = site.client()
    for path in ("/health/live", "/health/ready"):
        answer = client.get(path)
        assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
    assert client.get("/health/live", headers={"host": "evil.example"}).status_code == 421


@pytest.mark.parametrize("broken", ["record", "engine"])
def test_a_server_without_its_record_or_its_engine_is_not_ready_but_alive(site, broken, monkeypatch):
    client = site.client()
    assert client.get("/health/ready").status_code == 200

    def away(*_args, **_options):
        raise StoreUnavailableError("secret reason") if broken == "record" else EngineUnavailableError("secret reason")

    if broken == "record":
        monkeypatch.setattr(type(site.workspaces.of("me")._platform.store), "update", away)
    else:
        monkeypatch.setattr(type(site.workspaces._runtime.engine), "check", away)
    answer = client.get("/health/ready")
    assert (answer.status_code, answer.json()) == (503, {"status": "unavailable"})
    assert client.get("/health/live").status_code == 200


def test_a_server_whose_folder_was_moved_away_is_not_ready(site):
    """It answered 200 while every change was refused."""
    client = site.client()
    assert client.get("/health/ready").status_code == 200
    site.folder.rename(site.folder.parent / "elsewhere")
    assert client.post("/api/v1/conversations", json={}).status_code == 503
    assert client.get("/health/ready").status_code == 503
    assert client.get("/health/live").status_code == 200


def test_the_audit_log_says_by_which_credential_and_from_where_a_change_came_platform_19(site):
    first, second = site.client("me"), site.client("me")
    tokens = [each.id for each in site.workspaces.of("me").access.list_tokens("me")]
    for client in (first, second):
        client.post("/api/v1/conversations", json={})
    site.workspaces.of("me").conversations.create()
    log = [
        each for each in first.get("/api/v1/audit?limit=200").json()["data"] if each["action"] == "conversation.create"
    ]
    origins = [json.loads(each["details"]).get("origin") for each in log]
    assert origins == [*({"credential": token, "address": "127.0.0.1"} for token in tokens), None]
    assert first.get("/api/v1/audit/verify").json()["problem"] is None
