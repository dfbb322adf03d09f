"""The page without JavaScript: links and forms alone."""

import pytest

pytestmark = [pytest.mark.server, pytest.mark.slow]


def test_everything_works_by_links_and_forms(serve, visit):
    served = serve("The Danube.", "The Rhine.")
    page = visit(served, java_script_enabled=False)
    page.get_by_label("The link that the server printed").fill(served.link)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("textbox", name="Message").fill("Which river flows through Vienna?")
    page.get_by_role("button", name="Send").click()
    page.locator("article.answer").filter(has_text="The Danube.").wait_for()
    page.locator("summary", has_text="Edit").click()
    page.locator("article.said textarea").fill("Which river flows through Cologne?")
    page.get_by_role("button", name="Save only").click()
    page.locator("article.said .note").filter(has_text="1 answer to another version is stale").wait_for()
    page.locator("article.said").get_by_role("button", name="Answer").click()
    page.locator("article.answer").filter(has_text="The Rhine.").wait_for()
    page.get_by_role("link", name="Why?").click()
    page.get_by_role("heading", name="What the answer was made from").wait_for()
