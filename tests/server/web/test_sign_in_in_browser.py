"""Opening sign-in links in a browser that is signed in: the page asks, and what one user typed is not the next one's."""

import pytest

pytestmark = [pytest.mark.server, pytest.mark.slow]


@pytest.fixture
def served(serve):
    made = serve()
    for name in ("bob", "cat"):
        made.aeon("serve", "user", "create", name)
    return made


def link_of(served, name):
    printed = served.aeon("serve", "link", "--user", name).strip()
    return f"{served.base}/#{printed.rpartition('#')[2]}"


def test_another_users_link_asks_and_then_switches_without_the_drafts_of_the_first(served, visit):
    page = visit(served)
    page.locator("#say").fill("a secret of mine")
    page.goto(link_of(served, "cat"))
    page.get_by_role("heading", name="Sign in as cat?").wait_for()
    assert "aeon_" not in page.url
    visit.allows("409")
    page.get_by_role("link", name="Stay signed in as me").click()
    assert page.locator("#say").input_value() == "a secret of mine"
    page.goto(link_of(served, "cat"))
    page.get_by_role("button", name="Sign in as cat").click()
    page.locator(".user", has_text="cat").wait_for()
    assert page.locator("#say").input_value() == ""
    visit.allows("409")


def test_signing_out_takes_unsent_drafts_away(served, visit):
    page = visit(served)
    page.locator("#say").fill("a secret of mine")
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("heading", name="You are not signed in").wait_for()
    assert page.evaluate("Object.keys(localStorage)") == []
    visit.allows("401")
    page.goto(link_of(served, "bob"))
    page.locator(".user", has_text="bob").wait_for()
    assert page.locator("#say").input_value() == ""
    visit.allows("401")
