"""Users, their roles, and what happens at once when one is disabled (platform 31)."""

import json

import pytest
from tests.server.rest.test_conversations import HeldModel, begun_by

from aeon.application.users import AccountChange, Identity
from aeon.platform.access.roles import PERMISSIONS, is_allowed
from aeon.platform.errors import ConflictError, ForbiddenError, NotFoundError, RuleError, UnknownUserError, VersionError

ANN = Identity("https://login.example.org", "4711")
DISABLED = AccountChange(enabled=False)


@pytest.fixture
def users(site):
    return site.workspaces.of("me").users


def actions(site, user):
    return [each["action"] for each in site.workspaces.of(user).audit.list_entries().items]


def test_a_user_is_added_found_and_listed(site, users):
    made = users.create("ann", "operator")
    assert (made.name, made.role, made.enabled, made.version) == ("ann", "operator", True, 1)
    site.workspaces.of("bob")
    first = users.list(limit=1)
    assert [each.name for each in [*first.items, *users.list(after=first.next_cursor).items]] == ["ann", "bob", "me"]
    assert (users.get("bob").role, users.get("bob").enabled, users.get("bob").version) == ("user", True, 0)
    assert actions(site, "ann") == ["user.create"]


def test_a_user_that_cannot_be_added_is_refused(users):
    users.create("ann")
    for name in ("ann", "me", "aeon"):
        with pytest.raises(ConflictError):
            users.create(name)
    with pytest.raises(RuleError):
        users.create(" ")
    for name in ("nobody", "aeon"):
        with pytest.raises(UnknownUserError):
            users.change(name, DISABLED)


def test_a_repeated_request_adds_once_platform_20(users):
    assert users.create("ann", key="k") == users.create("ann", key="k")
    users.change("ann", AccountChange(role="operator"), key="k2", expected_version=1)
    assert users.change("ann", AccountChange(role="operator"), key="k2", expected_version=1).version == 2
    with pytest.raises(VersionError):
        users.change("ann", AccountChange(role="user"), expected_version=1)


def test_a_disabled_user_is_signed_out_everywhere_at_once_and_for_good_platform_31(site, users):
    browser, program = site.browser("ann"), site.client("ann")
    link = site.workspaces.of("ann").access.new_link("ann")
    assert (browser.get("/api/v1/session").status_code, program.get("/api/v1/session").status_code) == (200, 200)
    users.change("ann", DISABLED)
    assert (browser.get("/api/v1/session").status_code, program.get("/api/v1/session").status_code) == (401, 401)
    assert program.get("/v1/models").status_code == 401
    with pytest.raises(ForbiddenError):
        site.token("ann")
    users.change("ann", AccountChange(enabled=True))
    assert (browser.get("/api/v1/session").status_code, program.get("/api/v1/session").status_code) == (401, 401)
    assert site.workspaces.of("me").access.sign_in(link) is None
    assert site.client("ann").get("/api/v1/session").status_code == 200
    assert actions(site, "ann").count("user.change") == 2


def test_streams_of_a_disabled_user_end_and_those_of_others_go_on_platform_32(serve):
    site = serve(model=HeldModel())
    reader, other = site.client("ann"), site.client("me")
    path = f"/api/v1/messages/{begun_by(reader)}/events"
    assert site.model.has_begun.wait(20)
    with reader.stream("GET", path) as stream:
        lines = stream.iter_lines()
        next(lines)
        site.workspaces.of("me").users.change("ann", DISABLED)
        assert "event: signed_out" in list(lines)
    assert other.get("/api/v1/session").status_code == 200
    site.model.goes_on.set()


def test_a_role_holds_from_the_next_request_on(site, users):
    program = site.client("ann")
    assert program.get("/api/v1/users").status_code == 403
    users.change("ann", AccountChange(role="operator"))
    assert program.get("/api/v1/users").status_code == 200
    users.change("ann", AccountChange(role="user"))
    assert program.get("/api/v1/users").status_code == 403


def test_nobody_locks_themself_out(site, users):
    users.create("ann", "operator")
    own = site.client("ann")
    for change in ({"enabled": False}, {"role": "user"}):
        refused = own.patch("/api/v1/users/ann", json=change)
        assert (refused.status_code, refused.json()["details"]["rule"]) == (422, "own_account")
    assert own.get("/api/v1/users/ann").json()["role"] == "operator"


def test_users_over_rest_have_etags_and_identities(site, users):
    ops = site.client("me")
    made = ops.post("/api/v1/users", json={"name": "ann b"}, headers={"idempotency-key": "k"})
    assert (made.status_code, made.headers["location"], made.headers["etag"]) == (201, "/api/v1/users/ann%20b", '"1"')
    again = ops.post("/api/v1/users", json={"name": "ann b"}, headers={"idempotency-key": "k"})
    assert (again.status_code, again.headers["idempotency-replayed"]) == (201, "true")
    path = made.headers["location"]
    assert ops.patch(path, json={"role": "operator"}, headers={"if-match": '"7"'}).status_code == 412
    assert ops.patch(path, json={"role": "operator"}, headers={"if-match": '"1"'}).headers["etag"] == '"2"'
    assert ops.post(f"{path}/identities", json=ANN.as_dict()).status_code == 201
    assert ops.post("/api/v1/users/me/identities", json=ANN.as_dict()).status_code == 409
    assert ops.get(path).json()["identities"] == [ANN.as_dict()]
    assert ops.delete(f"{path}/identities", params=ANN.as_dict()).status_code == 204
    assert ops.delete(f"{path}/identities", params=ANN.as_dict()).status_code == 404
    log = ops.get("/api/v1/audit", params={"user": "ann b"}).json()["data"]
    assert [each["action"] for each in log] == ["user.create", "user.change", "user.link", "user.unlink"]
    assert {each["actorId"] for each in log} == {"me"}
    assert all(json.loads(each["details"])["origin"]["credential"] for each in log)


def test_an_identity_is_of_one_user_alone(users):
    users.create("ann")
    users.create("bob")
    users.link("ann", ANN)
    with pytest.raises(ConflictError, match="linked"):
        users.link("bob", ANN)
    with pytest.raises(NotFoundError):
        users.unlink("bob", ANN)
    assert users.list_identities("ann") == [ANN]


def test_the_audit_log_says_from_where_and_by_what_somebody_signed_in_platform_19(site):
    site.browser("ann")
    log = site.workspaces.of("ann").audit.list_entries().items
    issued = {each["action"]: each for each in log}
    details = json.loads(issued["session.issue"]["details"])
    assert (details["origin"], details["by"]) == ({"address": "127.0.0.1"}, f"link {issued['link.issue']['subject']}")


def test_what_a_role_allows_stands_in_one_table_platform_31():
    assert PERMISSIONS["user"] == frozenset()
    assert all(is_allowed("operator", each) for each in PERMISSIONS["operator"])
