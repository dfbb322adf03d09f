"""Signing in by a link in a browser that is signed in already: as the same user, as another one, by an old link."""

import pytest
from tests.server.web.test_things import header, hidden, said

pytestmark = pytest.mark.server


@pytest.fixture
def new_link(site):
    """`new_link(user)`: the secret of a link."""
    for name in ("ann", "bob"):
        site.workspaces.of("me").users.create(name)
    return lambda user: site.workspaces.of(user).access.new_link(user)


def who(client, cookie):
    answer = client.get("/api/v1/session", headers={"cookie": f"aeon_session={cookie}"})
    return answer.json().get("userId")


def test_a_link_of_another_user_asks_before_it_ends_the_session(site, new_link):
    bob, link = site.browser("bob"), new_link("ann")
    old = bob.headers["cookie"].partition("=")[2]
    asked = bob.post("/sign-in", data={"link": f"http://{site.name}/#{link}"})
    assert (asked.status_code, "set-cookie" in asked.headers) == (409, False)
    assert "Sign in as ann? This browser is signed in as bob." in said(asked)
    assert who(bob, old) == "bob"
    agreed = {name: hidden(asked, name) for name in ("link", "instead_of")}
    switched = bob.post("/sign-in", data=agreed)
    assert (switched.status_code, switched.headers["location"]) == (303, "/")
    assert who(bob, switched.cookies["aeon_session"]) == "ann"
    assert who(bob, old) is None, "the session that was replaced has ended"


def test_agreeing_counts_for_the_session_that_was_shown_alone(site, new_link):
    bob, link = site.browser("bob"), new_link("ann")
    answer = bob.post("/sign-in", data={"link": link, "instead_of": "me"})
    assert (answer.status_code, "set-cookie" in answer.headers) == (409, False)
    foreign = bob.post("/sign-in", data={"link": link, "instead_of": "bob"}, headers={"origin": "http://evil.example"})
    assert foreign.status_code == 403


def test_a_link_of_the_same_user_needs_no_question_and_an_old_one_says_that_it_is(site, new_link):
    bob, link = site.browser("bob"), new_link("bob")
    again = bob.post("/sign-in", data={"link": link})
    assert (again.status_code, again.headers["location"]) == (303, "/")
    bob.headers["cookie"] = f"aeon_session={again.cookies['aeon_session']}"
    used = bob.post("/sign-in", data={"link": link})
    assert "set-cookie" not in used.headers
    home = bob.get(used.headers["location"])
    assert "This link was used or has expired. You are still signed in as bob." in said(home)
    assert bob.get("/sign-in").headers["location"] == "/"


def test_the_page_names_its_user_where_there_are_others(site, new_link):
    assert "Signed in as bob" in header(site.browser("bob").get("/"))


def test_the_page_of_the_only_user_names_nobody(me):
    assert "Signed in as" not in header(me.get("/"))
