"""Who is let in: a link once, a session until it ends, a token until it is revoked (platform 31)."""

import pytest

from aeon.platform.access.model import NewCredential
from aeon.platform.access.repository import CredentialRepository
from aeon.platform.errors import NotFoundError, RuleError
from aeon.platform.ledger import Ledger
from aeon.testing.clock import FakeClock


def test_a_link_signs_in_once_and_the_cookie_is_for_this_name_alone_platform_31(site):
    link = site.workspaces.of("me").access.new_link("me")
    own = {"host": site.name}
    first = site.client().post("/api/v1/session", json={"link": link}, headers=own)
    assert first.status_code == 201
    cookie = first.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert "Domain" not in cookie
    second = site.client().post("/api/v1/session", json={"link": link}, headers=own)
    assert (second.status_code, second.json()["code"]) == (401, "unauthorized")
    assert link not in second.text


def test_who_is_not_signed_in_gets_nothing_and_is_told_what_to_do(site):
    for headers in ({}, {"authorization": "Bearer x"}, {"authorization": "Basic eDp4"}, {"cookie": "aeon_session=x"}):
        answer = site.client().get("/api/v1/conversations", headers=headers)
        assert (answer.status_code, answer.headers["www-authenticate"]) == (401, 'Bearer realm="aeon"')
        assert "aeon serve" in answer.json()["nextStep"]


def test_a_session_is_no_token_and_a_token_is_no_session(site):
    access = site.workspaces.of("me").access
    token = access.new_token("me", "program").secret
    link = access.new_link("me")
    client = site.client()
    for secret in (token, link):
        shown = {"cookie": f"aeon_session={secret}", "host": site.name}
        assert client.get("/api/v1/session", headers=shown).status_code == 401
    answer = site.client().post("/api/v1/session", json={"link": link}, headers={"host": site.name})
    session = answer.cookies["aeon_session"]
    assert site.client().get("/api/v1/session", headers={"authorization": f"Bearer {session}"}).status_code == 401


def test_no_session_is_given_or_taken_under_a_name_that_other_ports_have_too_platform_31(site):
    """A browser sends the cookies of 127.0.0.1 to every port of it; the link is not used up by trying."""
    link = site.workspaces.of("me").access.new_link("me")
    refused = site.client().post("/api/v1/session", json={"link": link})
    assert (refused.status_code, refused.json()["code"], "set-cookie" in refused.headers) == (403, "forbidden", False)
    form = site.client().post("/sign-in", data={"link": link})
    assert (form.status_code, "set-cookie" in form.headers) == (403, False)
    given = site.client().post("/api/v1/session", json={"link": link}, headers={"host": site.name})
    cookie = {"cookie": f"aeon_session={given.cookies['aeon_session']}"}
    assert site.client().get("/api/v1/session", headers={**cookie, "host": site.name}).status_code == 200
    assert site.client().get("/api/v1/session", headers=cookie).status_code == 401


def test_signing_out_ends_the_session_at_once(site):
    browser, other = site.browser(), site.browser()
    assert browser.get("/api/v1/session").json()["userId"] == "me"
    assert browser.delete("/api/v1/session").status_code == 204
    assert browser.get("/api/v1/session").status_code == 401
    assert other.get("/api/v1/session").status_code == 200


def test_a_revoked_token_is_dead_at_once_and_its_secret_was_shown_once_platform_31(site):
    browser = site.browser()
    made = browser.post("/api/v1/tokens", json={"name": "laptop", "scope": "read", "days": 1})
    assert (made.status_code, made.headers["cache-control"]) == (201, "no-store")
    secret = made.json()["secret"]
    program = site.client()
    program.headers["authorization"] = f"Bearer {secret}"
    assert program.get("/api/v1/session").status_code == 200
    refused = program.post("/api/v1/conversations", json={})
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    (listed,) = browser.get("/api/v1/tokens").json()["data"]
    assert secret not in browser.get("/api/v1/tokens").text
    assert listed["usedAt"] is not None
    assert browser.delete(f"/api/v1/tokens/{listed['id']}").status_code == 204
    assert program.get("/api/v1/session").status_code == 401
    log = browser.get("/api/v1/audit?limit=200").json()["data"]
    assert {"token.issue", "credential.revoke", "session.issue"} <= {each["action"] for each in log}
    assert secret not in str(log)


def test_nobody_revokes_what_is_another_users_platform_2(site):
    mine, theirs = site.client("me"), site.client("eve")
    (token,) = mine.get("/api/v1/tokens").json()["data"]
    assert theirs.delete(f"/api/v1/tokens/{token['id']}").status_code == 404
    assert mine.get("/api/v1/tokens").status_code == 200


def test_no_secret_is_in_the_record_platform_31(site, tmp_path):
    access = site.workspaces.of("me").access
    secrets = [access.new_link("me"), access.new_token("me", "x").secret, access.sign_in(access.new_link("me")).secret]
    files = [each for each in tmp_path.rglob("*") if each.is_file()]
    assert files
    assert not [each for each in files for secret in secrets if secret.encode() in each.read_bytes()]


@pytest.mark.parametrize("kind", ["link", "session", "token"])
def test_what_has_expired_lets_nobody_in(site, kind):
    clock = FakeClock()
    platform = site.workspaces.of("me")._platform
    credentials = CredentialRepository(platform.store, Ledger(platform.store, clock), platform.catalog.new_id)
    secret = credentials.issue(NewCredential(kind, 1), "me").secret
    assert credentials.find(secret, kind).kind == kind
    clock.sleep(24 * 60 * 60)
    assert credentials.find(secret, kind) is None
    assert credentials.redeem_link(secret, NewCredential("session", 1)) is None
    assert credentials.list("me", kind) == []


def test_a_wish_that_cannot_be_kept_is_refused(site):
    access = site.workspaces.of("me").access
    for days in (0, -1, 367):
        with pytest.raises(RuleError, match=f"for {days} days") as refused:
            access.new_token("me", "x", days=days)
        assert refused.value.advice == "Give more than 0 and at most 366 days."
    for name in ("", "x" * 101, "a\nb"):
        with pytest.raises(RuleError, match="name"):
            access.new_token("me", name)
    with pytest.raises(NotFoundError):
        access.revoke("nothing", "me")
