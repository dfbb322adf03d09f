"""Signing in at a real OpenID provider in a real browser (platform 31)."""

import random
import socket
from contextlib import suppress

import pytest
from playwright.sync_api import Error as PlaywrightError

from .npm_provider import SECRET, installed, npm_provider

pytestmark = [pytest.mark.server, pytest.mark.slow]


@pytest.fixture
def port():
    """A free one, of those that the system gives to nobody by itself: the provider begins to listen seconds later."""
    installed()
    while True:
        number = random.randrange(20_000, 32_000)
        with socket.socket() as found, suppress(OSError):
            found.bind(("127.0.0.1", number))
            return number


def settings_of(port):
    return {
        "AEON_SERVER_OIDC_ISSUER": f"http://localhost:{port}",
        "AEON_SERVER_OIDC_CLIENT_ID": "aeon",
        "AEON_SERVER_OIDC_CLIENT_SECRET_ENV": "OIDC_SECRET",
        "AEON_SERVER_OIDC_DOMAINS": "example.org",
        "OIDC_SECRET": SECRET,
    }


@pytest.fixture
def context(chromium):
    made = []

    def new(**options):
        made.append(chromium.new_context(**options))
        made[-1].set_default_timeout(30_000)
        return made[-1]

    yield new
    for each in made:
        each.close()


def sign_in(page, base, name):
    page.goto(base)
    page.get_by_role("link", name="Sign in with localhost").click()
    page.locator("input[name=login]").fill(name)
    page.locator("input[name=password]").fill("any")
    page.get_by_role("button", name="Sign-in").click()
    page.get_by_role("button", name="Continue").click()


@pytest.mark.parametrize("has_script", [True, False], ids=["with JavaScript", "without"])
def test_somebody_signs_in_asks_and_is_out_as_soon_as_they_are_disabled(serve, context, port, has_script):
    served = serve("The Danube.", **settings_of(port))
    callback = f"{served.base}/sign-in/callback"
    with npm_provider(port, callback):
        own = context(java_script_enabled=has_script)
        page = own.new_page()
        answers = []
        page.on("request", lambda request: answers.append(request.url) if callback in request.url else None)
        sign_in(page, served.base, "ann")
        page.locator("#say").wait_for()
        assert page.url == f"{served.base}/"
        cookies = {each["name"]: each for each in own.cookies(served.base)}
        assert (cookies["aeon_session"]["sameSite"], cookies["aeon_session"]["httpOnly"]) == ("Strict", True)
        assert "aeon_sign_in" not in cookies
        page.locator("#say").fill("Which river flows through Vienna?")
        if has_script:
            page.locator("#say").press("Enter")
            page.locator("article.answer[data-state=complete]").filter(has_text="The Danube.").wait_for()

        (answer,) = answers
        other = context().new_page()
        refused = other.goto(answer)
        assert (refused.status, "did not begin" in other.locator("main").inner_text()) == (403, True)

        served.aeon("serve", "user", "disable", "ann@example.org", "--yes")
        with suppress(PlaywrightError):  # the end of its stream may lead the page away at this moment
            page.goto(served.base)
        page.get_by_role("heading", name="You are not signed in").wait_for()
        log = served.aeon("store", "audit", "list", "--user", "ann@example.org", "--json")
        assert all(each in log for each in ("session.issue", "ann of http://localhost", '"user.change"'))
