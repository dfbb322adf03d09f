"""The page for every reader: by keys alone, on a small screen, in German, with axe's rules, in long conversations."""

import json
from pathlib import Path

import pytest
from tests.server.web.conftest import PausedResponse
from tests.server.web.test_markdown import HOSTILE

pytestmark = [pytest.mark.server, pytest.mark.slow]

AXE = Path(__file__).parents[2] / "data" / "axe" / "axe.min.js"
ANSWER = """Here is a table and code.

| river | km |
|---|---|
| Danube | 2850 |

```python
rivers = ["a very long name of a river that does not fit into a small screen at all"] * 3  # three of them
```

![map](https://evil.example/map.png) and [a link](https://example.org/x).
"""


def talk(page):
    page.locator("#say").fill("Which river flows through Vienna?")
    page.locator("#say").press("Enter")
    page.locator("article.answer[data-state=complete]").wait_for()


def serious(page):
    page.evaluate(AXE.read_text())
    found = page.evaluate(
        "async () => (await axe.run()).violations.map((each) => [each.impact, each.id, each.nodes[0].html])"
    )
    return [each for each in found if each[0] in ("serious", "critical")]


def addresses(served, page):
    conversation = page.url.removeprefix(served.base)
    run = page.get_by_role("link", name="Run", exact=True).get_attribute("href")
    why = page.get_by_role("link", name="Why?").get_attribute("href")
    return [
        "/",
        conversation,
        f"{conversation}/tree",
        why,
        run,
        "/runs",
        "/search?q=river",
        "/conversations?status=archived",
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_light_and_dark(serve, visit, scheme):
    served = serve(ANSWER)
    page = visit(served, color_scheme=scheme)
    talk(page)
    for address in addresses(served, page):
        page.goto(served.base + address)
        for each in page.locator("main details").all():
            each.evaluate("(node) => { node.open = true; }")
        assert (address, serious(page)) == (address, [])


def test_no_page_is_wider_than_a_small_screen_or_than_text_of_twice_the_size(serve, visit):
    served = serve(ANSWER)
    page = visit(served, viewport={"width": 360, "height": 640})
    talk(page)
    for address in addresses(served, page):
        page.goto(served.base + address)
        assert (address, page.evaluate("document.documentElement.scrollWidth")) == (address, 360)


def test_no_page_is_wider_than_a_small_screen_for_a_title_without_blanks(serve, visit):
    served = serve(ANSWER)
    page = visit(served, viewport={"width": 390, "height": 800})
    talk(page)
    links = addresses(served, page)
    page.locator("main .head summary").click()
    page.get_by_label("Title").fill("w" * 200)
    page.get_by_role("button", name="Rename").click()
    page.get_by_role("heading", name="w" * 200).wait_for()
    widths = {}
    for address in [*links, f"{links[1]}/entities", f"{links[1]}/forget", "/search?q=wwww", f"/search?q={'w' * 200}"]:
        page.goto(served.base + address)
        for each in page.locator("main details").all():
            each.evaluate("(node) => { node.open = true; }")
        widths[address] = page.evaluate("document.documentElement.scrollWidth")
    assert widths == dict.fromkeys(widths, 390)


def test_the_way_to_the_latest_does_not_cover_the_message_box_on_a_small_screen(serve, visit):
    page = visit(serve(" ".join(f"word {number}" for number in range(2_000))), viewport={"width": 360, "height": 640})
    talk(page)
    page.evaluate("scrollTo(0, 0)")
    jump = page.get_by_role("button", name="Jump to the latest")
    jump.wait_for()
    covering, box = jump.bounding_box(), page.locator("#say").bounding_box()
    assert 0 < covering["y"] < covering["y"] + covering["height"] <= box["y"]


def test_looking_at_every_page_changes_nothing_in_the_record(serve, visit):
    served = serve(ANSWER)
    page = visit(served)
    talk(page)
    links = addresses(served, page)
    before = record(served)
    for address in [*links, *(f"{each}/text" for each in links if "/messages/" in each)]:
        page.goto(served.base + address.replace("/why/text", "/text"))
    assert record(served) == before


def record(served):
    """What users write into the record: conversations, runs, and the audit log of every change.

    Of a run without what the server's own worker notes about it, when it gets to that.
    """
    nodes = [json.loads(line) for line in served.aeon("store", "export", "-").splitlines()]
    kinds = {"Conversation", "ConversationTurn", "Alternative", "Manifest", "Run", "AuditEntry", "Request"}
    found = [each["properties"] for each in nodes if kinds.intersection(each.get("labels", ()))]
    return [{name: each[name] for name in each.keys() - {"isUnsent", "isUnmeasured"}} for each in found]


def test_the_pages_without_a_session_are_readable_too(serve, visit):
    served = serve()
    page = visit(served, viewport={"width": 360, "height": 640}, locale="de-DE")
    for address, signs_out in (("/nothing", False), ("/", True)):
        if signs_out:
            page.context.clear_cookies()
        page.goto(served.base + address)
        assert (serious(page), page.evaluate("document.documentElement.scrollWidth")) == ([], 360)
    visit.expects("Failed to load resource")


def test_all_of_it_goes_by_keys(serve, visit):
    page = visit(serve("The Danube.", "The Rhine.", "Father Rhine."))
    page.keyboard.type("Which river?")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("In Vienna.")
    page.keyboard.press("Enter")
    page.locator("article.answer", has_text="The Danube.").wait_for()
    page.keyboard.press("F6")
    assert page.evaluate("document.activeElement.className") == "answer"
    page.keyboard.press("Alt+ArrowUp")
    page.keyboard.press("e")
    page.keyboard.press("Control+a")
    page.keyboard.type("And in Cologne?")
    page.keyboard.press("Control+Enter")
    page.locator("article.answer[data-state=complete]", has_text="The Rhine.").wait_for()
    page.keyboard.press("Alt+ArrowDown")
    page.keyboard.press("Alt+ArrowDown")
    page.keyboard.press("r")
    page.locator("article.answer[data-state=complete]", has_text="Father Rhine.").wait_for()
    page.locator("article.answer").focus()
    page.keyboard.press("[")
    page.locator("article.answer", has_text="The Rhine.").wait_for()
    page.keyboard.press("/")
    page.keyboard.type("cologne")
    page.keyboard.press("Enter")
    page.locator(".hits mark", has_text="Cologne").wait_for()
    page.keyboard.press("?")
    assert page.get_by_role("dialog").is_visible()
    page.keyboard.press("Escape")
    assert not page.get_by_role("dialog").is_visible()


def test_who_reads_an_answer_while_it_is_written_keeps_the_place(serve, visit):
    served = serve(PausedResponse("The Danube. It flows on."))
    page = visit(served)
    page.locator("#say").fill("Which river?")
    page.keyboard.press("Enter")
    page.locator("article.answer", has_text="The Danube.").wait_for()
    page.keyboard.press("F6")
    assert page.evaluate("document.activeElement.className") == "answer"
    served.model.release()
    page.locator("article.answer[data-state=complete]").wait_for()
    assert page.evaluate("document.activeElement.className") == "answer"


def test_it_speaks_german(serve, visit):
    served = serve("Die Donau.")
    page = visit(served, locale="de-DE")
    assert page.locator("h1").inner_text() == "Was möchtest du wissen?"
    talk(page)
    assert page.get_by_role("button", name="Neu erzeugen").is_visible()
    page.context.clear_cookies()
    page.goto(served.base + "/runs")
    visit.expects("401")
    assert page.locator("h1").inner_text() == "Du bist nicht angemeldet"


def test_a_fork_a_title_a_pin_an_archive_and_a_file(serve, visit, tmp_path):
    served = serve("The Danube.", "Green.")
    page = visit(served)
    (tmp_path / "notes.txt").write_text("The curtains are green.")
    page.locator("input[type=file]").set_input_files(tmp_path / "notes.txt")
    talk(page)
    assert page.locator(".attached").inner_text().startswith("notes.txt")
    with page.expect_download() as download:
        page.get_by_role("link", name="notes.txt").click()
    assert download.value.suggested_filename == "notes.txt"
    assert Path(download.value.path()).read_text() == "The curtains are green."
    page.locator("summary", has_text="Which river").click()
    page.get_by_label("Title").fill("Rivers")
    page.get_by_role("button", name="Rename").click()
    page.locator("h1", has_text="Rivers").wait_for()
    page.locator("summary", has_text="Rivers").click()
    page.get_by_role("button", name="Pin", exact=True).click()
    page.locator("#side .pin").wait_for()
    page.locator("article.answer").get_by_role("button", name="Fork").click()
    page.locator("p", has_text="Forked from").wait_for()
    continued = page.locator("details.before")
    assert continued.get_attribute("open") is not None
    assert [each.split("\n")[0] for each in continued.locator("blockquote").all_inner_texts()] == ["You", "Answer"]
    assert "The Danube." in continued.inner_text()
    page.goto(served.base)
    page.locator("#side").get_by_role("link", name="Rivers").click()
    page.locator("summary", has_text="Rivers").click()
    page.get_by_role("button", name="Archive").click()
    page.locator("button", has_text="Restore").wait_for(state="attached")
    assert page.locator("#side").get_by_role("link", name="Rivers").count() == 0
    page.get_by_role("link", name="Archived conversations").click()
    page.locator("main").get_by_role("link", name="Rivers").wait_for()


def test_the_reader_is_not_scrolled_away_and_can_jump(serve, visit):
    served = serve(PausedResponse(" ".join(f"word {number}" for number in range(3_000))))
    page = visit(served)
    page.locator("#say").fill("Which river flows through Vienna?")
    page.locator("#say").press("Enter")
    page.locator(".stream").filter(has_text="word 2900").wait_for()  # so that there is something to scroll
    page.evaluate("scrollTo(0, 0)")
    served.model.release()
    page.locator("article.answer[data-state=complete]").wait_for()
    assert page.evaluate("scrollY") == 0
    page.get_by_role("button", name="Jump to the latest").click()
    assert page.evaluate("innerHeight + scrollY >= document.documentElement.scrollHeight - 60")


def test_code_and_messages_are_copied_as_they_were_written(serve, visit):
    page = visit(serve(ANSWER), permissions=["clipboard-read", "clipboard-write"])
    talk(page)
    answer = page.locator("article.answer")
    copied = "() => navigator.clipboard.readText()"
    answer.get_by_role("button", name="Copy").click()
    answer.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate(copied).startswith('rivers = ["a very long name')
    answer.get_by_role("link", name="Copy").click()
    answer.get_by_role("link", name="Copied").wait_for()
    assert page.evaluate(copied).strip() == ANSWER.strip()


def test_hostile_answers_do_nothing_on_the_page_and_load_nothing(serve, visit):
    page = visit(serve("\n\n".join(HOSTILE.values())))
    talk(page)
    body = page.locator("article.answer .body")
    assert "alert(1)" in body.inner_text()
    assert body.locator("img, form, iframe, script, style, svg").count() == 0
    assert page.locator("#main").evaluate("(main) => main.tagName") == "MAIN"


def test_a_conversation_of_thousands_is_read_in_windows(serve, visit):
    served = serve()
    (served.folder / "chat.json").write_text(json.dumps([long_chat(2_000)]))
    served.aeon("conversation", "import", "chat.json")
    page = visit(served)
    page.locator("#side").get_by_role("link", name="Rivers").click()
    page.locator("article", has_text="message 1999").wait_for()
    assert page.locator("article").count() == 50
    assert len(page.content()) < 150_000
    page.get_by_role("link", name="Earlier messages").click()
    page.locator("article", has_text="message 1949").wait_for()
    assert page.locator("article").first.inner_text().splitlines()[2] == "message 1900"
    page.get_by_role("link", name="To the newest message").click()
    page.locator("article", has_text="message 1999").wait_for()


def long_chat(count):
    """A conversation of `count` messages as ChatGPT exports it."""
    mapping = {
        f"n{number}": {
            "id": f"n{number}",
            "parent": f"n{number - 1}" if number else None,
            "children": [f"n{number + 1}"] if number + 1 < count else [],
            "message": {
                "id": f"n{number}",
                "author": {"role": "assistant" if number % 2 else "user"},
                "create_time": 1_700_000_000 + number,
                "content": {"content_type": "text", "parts": [f"message {number}"]},
            },
        }
        for number in range(count)
    }
    times = {"create_time": 1_700_000_000, "update_time": 1_700_009_000}
    return {"title": "Rivers", "conversation_id": "c1", "current_node": f"n{count - 1}", "mapping": mapping, **times}


FAILS = """
kind: Process
name: fails
inputs: {time: {type: string}}
steps: [{id: rest, wait: "{time}", output: rested}]
"""


def test_a_failure_is_read_without_scrolling_sideways_on_a_small_screen(serve, visit):
    served = serve()
    (served.folder / "fails.yaml").write_text(FAILS)
    served.aeon("apply", "-f", "fails.yaml")
    served.aeon("process", "run", "fails", "--input", f"time={'no time ' * 12}", code=1)
    page = visit(served, viewport={"width": 360, "height": 640})
    page.goto(f"{served.base}/runs")
    box = page.locator(".failure div").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 360


def test_no_page_scrolls_sideways_with_text_of_twice_the_size(serve, visit):
    served = serve(ANSWER)
    page = visit(served, viewport={"width": 360, "height": 800})
    talk(page)
    places = ["/tools", "/processes", "/skills", "/knowledge", "/jobs", "/charts", "/audit", "/tokens", "/users"]
    places += ["/settings", "/model", "/triggers", "/apply", "/secrets/new", "/processes/new", "/processes/reply"]
    widths = {}
    for address in [*addresses(served, page), *places]:
        page.goto(served.base + address)
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        widths[address] = page.evaluate("document.documentElement.scrollWidth")
    assert widths == dict.fromkeys(widths, 360)
