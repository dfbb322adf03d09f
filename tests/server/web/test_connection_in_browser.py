"""What the page does while the server does not answer, and on a phone."""

import pytest
from tests.server.web.test_main_job import ErrorResponse, answered, ask, texts

pytestmark = [pytest.mark.server, pytest.mark.slow]

PHONE = {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True}


@pytest.mark.parametrize("options", [{}, PHONE], ids=["wide", "phone"])
def test_a_message_is_sent_once_when_the_server_is_back_and_the_notice_covers_nothing(serve, visit, options):
    served = serve("The Danube.", "2,850 km.")
    page = visit(served, **options)
    page.locator("#say").fill("Which river?")
    page.get_by_role("button", name="Send").click()
    answered(page, "The Danube.")
    page.context.set_offline(True)
    page.locator("#say").fill("How long is it?")
    page.get_by_role("button", name="Send").click()
    notice = page.locator("#alert")
    notice.filter(has_text="Nothing is sent yet").wait_for()
    box = notice.bounding_box()
    for covered in ("#say", ".composer input[type=file]", ".composer .send"):
        other = page.locator(covered).bounding_box()
        assert other["y"] + other["height"] <= box["y"] or other["x"] + other["width"] <= box["x"], covered
    assert box["y"] + box["height"] <= page.viewport_size["height"]
    page.context.set_offline(False)
    answered(page, "2,850 km.")
    notice.wait_for(state="hidden")
    assert texts(page) == ["Which river?", "The Danube.", "How long is it?", "2,850 km."]
    assert page.locator("#say").input_value() == ""
    visit.allows("ERR_INTERNET_DISCONNECTED")


def test_enter_is_a_new_line_where_there_is_a_touch_keyboard(serve, visit):
    page = visit(serve("The Danube."), **PHONE)
    page.locator("#say").press_sequentially("one")
    page.keyboard.press("Enter")
    page.keyboard.type("two")
    assert page.locator("#say").input_value() == "one\ntwo"


def test_a_message_without_an_answer_says_why_no_other_one_is_sent_and_is_answered(serve, visit):
    served = serve("The Danube.", "2,850 km.")
    page = visit(served)
    ask(page, "Which river?")
    answered(page, "The Danube.")
    conversation = page.url.partition("/conversations/")[2].partition("#")[0]
    page.evaluate(
        """(conversation) => fetch(`/api/v1/conversations/${conversation}/messages`, {
          method: "POST", headers: {"content-type": "application/json"}, body: JSON.stringify({content: "How long?"}),
        })""",
        conversation,
    )
    page.reload()
    note = page.locator("#unanswered")
    assert "The last message has no answer yet" in note.inner_text()
    assert page.get_by_role("button", name="Send").is_disabled()
    note.get_by_role("button", name="Answer").click()
    answered(page, "2,850 km.")
    assert page.get_by_role("button", name="Send").is_enabled()
    assert note.inner_text() == ""


def test_an_answer_that_fails_says_how_to_go_on(serve, visit):
    page = visit(serve(ErrorResponse(400, "not today"), "The Danube."))
    ask(page, "Which river?")
    note = page.locator("#unanswered form")
    note.wait_for()
    assert "The last answer failed" in note.inner_text()
    note.get_by_role("button", name="Try again").click()
    answered(page, "The Danube.")
