"""The page of access tokens: listed, made with their secret shown once, revoked (platform 31)."""

import re

import pytest
from tests.server.web.test_things import said

pytestmark = pytest.mark.server


def made_on(page, **fields):
    """The answer to the form, and the secret that it shows."""
    answer = page.post("/tokens", data=fields)
    return answer, re.search(r"<pre>([^<]*)</pre>", answer.text)[1]


def test_a_token_is_made_and_its_secret_is_shown_once(site):
    me = site.browser("me")
    answer, secret = made_on(me, name="backup", scope="read", days="7")
    assert "The secret of backup. It is shown here once" in said(answer)
    assert answer.headers["cache-control"] == "no-store"
    program = site.client()
    program.headers["authorization"] = f"Bearer {secret}"
    assert program.get("/api/v1/session").json()["userId"] == "me"
    assert program.post("/api/v1/conversations", json={}).status_code == 403, "it only reads"
    again = me.get("/tokens")
    assert secret not in again.text
    assert re.search(r"backup read 20\d\d-\d\d-\d\d \d\d:\d\d 20\d\d-\d\d-\d\d", said(again)), "with its last use"
    assert 'href="/tokens" aria-current="page"' in again.text


def test_a_token_is_revoked_after_a_question_and_lets_nobody_in(site):
    me = site.browser("me")
    _, secret = made_on(me, name="old", scope="write")
    address = re.search(r'href="(/tokens/[^"]+/revoke)"', me.get("/tokens").text)[1]
    asked = me.get(address)
    assert "Revoke old?" in said(asked)
    assert me.post(address, data={"key": "k"}).headers["location"] == "/tokens"
    assert "old" not in said(me.get("/tokens"))
    program = site.client()
    assert program.get("/api/v1/session", headers={"authorization": f"Bearer {secret}"}).status_code == 401
    assert me.get(address).status_code == 404
    assert me.post(address, data={"key": "k"}).status_code == 404


def test_no_page_revokes_the_token_of_another_user_or_a_session(site):
    me, eve = site.browser("me"), site.browser("eve")
    made_on(me, name="mine")
    address = re.search(r'href="(/tokens/[^"]+/revoke)"', me.get("/tokens").text)[1]
    assert eve.post(address, data={"key": "k"}).status_code == 404
    assert "mine" not in eve.get("/tokens").text
    session = site.workspaces.of("me").access.list_sessions("me")[0].id
    assert me.post(f"/tokens/{session}/revoke", data={"key": "k"}).status_code == 404
    assert "mine" in said(me.get("/tokens"))


def test_what_is_wrong_with_a_new_token_is_said(site):
    me = site.browser("me")
    assert me.post("/tokens", data={"name": "x", "days": "1000"}).status_code == 422
    assert "Zugangstoken" in said(me.get("/tokens", headers={"accept-language": "de"}))
