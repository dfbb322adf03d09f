"""The main job in a browser: ask, watch the answer, reload, edit, page, see what is stale and why, find the run."""

import re
from urllib.parse import urlsplit

import pytest
from tests.server.web.conftest import PausedResponse, running

from aeon.testing.wire_rules import ErrorResponse

pytestmark = [pytest.mark.server, pytest.mark.slow]

WHOLE = "The Danube flows through Vienna, and through nine more countries and towns on its way."


def ask(page, words):
    page.locator("#say").fill(words)
    page.locator("#say").press("Enter")


def answered(page, words):
    answer = page.locator("article.answer[data-state=complete]").filter(has_text=words).last
    answer.wait_for()
    return answer


def texts(page):
    return [each.inner_text() for each in page.locator("article .body").all()]


def test_a_newcomer_gets_an_answer_edits_pages_and_finds_the_run(serve, visit):
    served = serve(WHOLE, "The Rhine.", "Father Rhine.")
    page = visit(served)
    assert "#" not in page.url
    assert page.evaluate("document.activeElement.id") == "say"
    ask(page, "Which river flows through Vienna?")
    answered(page, WHOLE)
    assert "/conversations/" in page.url
    assert page.locator("#say").input_value() == ""

    said = page.locator("article.said")
    said.get_by_text("Edit", exact=True).click()
    said.get_by_role("textbox").fill("Which river flows through Cologne?")
    said.get_by_role("button", name="Save and answer").click()
    answered(page, "The Rhine.")
    assert said.locator(".pager").inner_text().split()[1] == "2/2"
    assert said.locator(".elsewhere").inner_text().startswith("1 message on another branch")

    page.get_by_role("button", name="Regenerate").click()
    answer = answered(page, "Father Rhine.")
    assert answer.locator(".pager").inner_text().split()[1] == "2/2"
    answer.get_by_role("button", name="previous alternative").click()
    answered(page, "The Rhine.")
    page.locator("article.said").get_by_role("button", name="previous alternative").click()
    answered(page, WHOLE)
    assert texts(page)[0] == "Which river flows through Vienna?"

    page.locator("article.answer").get_by_text("Why?").click()
    panel = page.locator(".panel")
    panel.wait_for()
    assert "Which river flows through Vienna?" in panel.inner_text()
    assert re.search(r"\d+ %", panel.inner_text())

    page.get_by_role("link", name="All branches").first.click()
    page.locator(".tree").wait_for()
    assert page.locator(".tree .mark.warn").all_inner_texts() == ["stale", "stale"]
    page.locator(".tree li").filter(has_text="Father").get_by_role("link").click()
    page.locator("article.answer").filter(has_text="Father Rhine.").wait_for()
    assert page.locator("article.answer .note").first.inner_text().startswith("This answers other words")

    page.locator("article.answer").get_by_role("link", name="Run", exact=True).click()
    page.locator(".timeline").wait_for()
    assert page.locator("h1").inner_text() == "reply completed"
    page.locator(".timeline details summary").first.click()
    assert "Father Rhine." in page.locator(".timeline").inner_text()
    page.get_by_role("link", name="Runs").click()
    page.locator("tbody tr").nth(2).wait_for()
    assert page.locator("tbody tr").count() == 3


def test_a_reload_shows_the_whole_running_answer_and_a_draft_survives_it_platform_32(serve, visit):
    served = serve(PausedResponse(WHOLE))
    page = visit(served)
    ask(page, "Which river flows through Vienna?")
    stream = page.locator(".stream").filter(has_text="The Danube flows")
    stream.wait_for()
    page.locator("#say").fill("And through Cologne?")
    page.reload()
    stream.wait_for()
    assert WHOLE.startswith(stream.inner_text().rstrip("▍").strip())
    assert page.locator("#say").input_value() == "And through Cologne?"
    served.model.release()
    answered(page, WHOLE)
    assert page.locator("#say").input_value() == "And through Cologne?"
    page.reload()
    assert (texts(page), page.locator("#say").input_value()) == (
        ["Which river flows through Vienna?", WHOLE],
        "And through Cologne?",
    )


def test_a_page_goes_on_with_its_answer_after_a_restart_of_the_server(serve, visit):
    served = serve(PausedResponse(WHOLE), WHOLE)
    page = visit(served)
    ask(page, "Which river flows through Vienna?")
    page.locator(".stream").filter(has_text="The Danube flows").wait_for()
    page.locator("#say").fill("And through Cologne?")
    serve.again(served)
    answered(page, WHOLE)
    visit.allows("ERR_")  # where the page looked while no server was there
    assert texts(page) == ["Which river flows through Vienna?", WHOLE]
    assert page.locator("#say").input_value() == "And through Cologne?"


def test_escape_stops_an_answer_and_keeps_what_was_written_platform_22(serve, visit):
    served = serve(PausedResponse(WHOLE), "Again.")
    page = visit(served)
    ask(page, "Which river flows through Vienna?")
    page.locator(".stream").filter(has_text="The Danube flows").wait_for()
    page.keyboard.press("Escape")
    stopped = page.locator("article.answer[data-state=stopped]")
    stopped.wait_for()
    assert WHOLE.startswith(stopped.locator(".body").inner_text())
    assert stopped.locator(".mark").inner_text() == "stopped"
    served.model.release()
    page.get_by_role("button", name="Regenerate").click()
    answered(page, "Again.")


def test_an_answer_that_failed_says_why_and_can_be_tried_again(serve, visit):
    served = serve(ErrorResponse(400, "not today"), "Better.")
    page = visit(served)
    ask(page, "Which river flows through Vienna?")
    failed = page.locator("article.answer[data-state=failed]")
    failed.wait_for()
    assert "not today" in failed.locator(".problem").inner_text()
    failed.get_by_role("button", name="Try again").click()
    answered(page, "Better.")


def test_what_was_typed_survives_the_end_of_the_session(serve, visit):
    served = serve("Hello.")
    page = visit(served)
    page.context.clear_cookies()
    ask(page, "Which river flows through Vienna?")
    page.locator("#alert").filter(has_text="Open the link").wait_for()
    visit.expects("401")
    assert page.locator("#say").input_value() == "Which river flows through Vienna?"


def test_signing_out_in_one_tab_ends_the_answer_in_another_platform_32(serve, visit):
    served = serve(PausedResponse(WHOLE))
    page = visit(served)
    ask(page, "Which river flows through Vienna?")
    page.locator(".stream").filter(has_text="The Danube flows").wait_for()
    other = page.context.new_page()
    other.goto(served.base)
    other.get_by_role("button", name="Sign out").click()
    page.get_by_role("heading", name="You are not signed in").wait_for()
    visit.expects("401")
    assert page.locator("article").count() == 0
    served.model.release()


def test_a_message_that_could_not_be_sent_survives_what_is_done_then(serve, visit):
    page = visit(serve("The Danube.", "The Rhine."))
    ask(page, "Which river flows through Vienna?")
    answered(page, "The Danube.")
    page.get_by_role("button", name="Regenerate").click()
    answered(page, "The Rhine.")
    page.route("**/messages", lambda route: route.abort())
    ask(page, "And through Cologne?")
    page.locator("#alert").filter(has_text="The connection is lost").wait_for()
    visit.expects("ERR_FAILED")
    page.get_by_role("button", name="previous alternative").click()
    answered(page, "The Danube.")
    page.reload()
    assert page.locator("#say").input_value() == "And through Cologne?"


FETCHED = """async ([method, path, body]) => {
    const answer = await fetch(path, { method, body: body && new URLSearchParams(body) });
    return [answer.status, answer.headers.get("content-type"), await answer.text(), answer.url];
}"""


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "words"),
    [
        ("GET", "/nothing", None, 404, "There is nothing at this address."),
        ("GET", "/messages/x/stop", None, 405, "This address is only for forms."),
        ("GET", "/conversations/x", None, 404, "You have no conversation"),
        ("GET", "/runs/x", None, 404, "no run"),
        ("GET", "/runs?since=yesterday", None, 422, "is not an instant"),
        ("GET", "/runs?after=x", None, 422, "is not a cursor"),
        ("POST", "/conversations", {}, 422, "Field required"),
        ("POST", "/conversations", {"content": " ", "key": "k"}, 422, "empty"),
        ("POST", "/runs/x/retry", {"key": "k"}, 404, "no run"),
    ],
)
def test_an_error_of_a_page_is_a_page_that_says_what_to_do(serve_once, method, path, body, status, words):
    found, kind, html, _ = serve_once.evaluate(FETCHED, [method, path, body])
    assert (found, kind) == (status, "text/html; charset=utf-8")
    assert words in re.sub(r"\s+", " ", html)


def test_a_form_that_is_sent_twice_is_done_once_and_with_other_words_again_platform_20(serve_once):
    first, again, other = (
        serve_once.evaluate(FETCHED, ["POST", "/conversations", {"content": words, "key": "once"}])[-1]
        for words in ("Which river?", "Which river?", "Which lake?")
    )
    assert first == again != other


def test_a_conversation_shows_no_message_of_another_one(serve_once):
    first, second = (
        urlsplit(serve_once.evaluate(FETCHED, ["POST", "/conversations", {"content": words, "key": "two"}])[-1])
        for words in ("Which river?", "Which lake?")
    )
    message = serve_once.evaluate(FETCHED, ["GET", second.path, None])[2].partition('name="after" value="')[2][:36]
    status, _, html, _ = serve_once.evaluate(FETCHED, ["GET", f"{first.path}?at={message}", None])
    assert (status, "has no message" in html) == (404, True)
    assert serve_once.evaluate(FETCHED, ["GET", f"{second.path}?at={message}", None])[0] == 200


def test_an_error_of_another_door_stays_a_problem(serve_once):
    found, kind, *_ = serve_once.evaluate(FETCHED, ["GET", "/api/v1/nothing", None])
    assert (found, kind) == (404, "application/problem+json")


@pytest.fixture(scope="module")
def serve_once(chromium, tmp_path_factory):
    """A signed-in page of a server that the tests of this module share."""
    with running(tmp_path_factory.mktemp("served")) as start:
        page = chromium.new_context().new_page()
        page.goto(start().link)
        page.locator("#say").wait_for()
        yield page
        page.context.close()


@pytest.mark.model
def test_the_embedded_model_answers_a_newcomer(serve, visit, small_model):
    page = visit(serve(model=small_model))
    ask(page, "Which river flows through Vienna?")
    answered(page, "Danube")
