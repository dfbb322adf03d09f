"""The page of the audit log: newest first, by kind and words, verified; and lists that stay current without a reload."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.application.conftest import STORED
from tests.server.web.test_things import said

import aeon
from aeon.server.web.audit import KINDS

pytestmark = pytest.mark.server


def actions(answer):
    return re.findall(r"<td>([a-zA-Z]+\.[a-z]+)</td>", answer.text)


def test_the_newest_change_comes_first_with_who_did_it_and_from_where_platform_19(me, own):
    process = own.processes.get("greet")
    me.post(f"/processes/{process.id}/change", data={"key": "k", "version": "1", "name": "hello"})
    answer = me.get("/audit")
    assert actions(answer)[0] == "process.change"
    assert re.search(r"process\.change hello me 127\.0\.0\.1", said(answer))
    assert re.search(r"session\.issue [0-9a-f]{8} me", said(answer)), "what has no name has its id"


def test_entries_are_found_by_kind_and_by_words_and_go_on_by_pages(me, own):
    assert set(actions(me.get("/audit?kind=tool"))) == {"tool.create"}
    assert actions(me.get("/audit?words=GREET create")) == ["process.create"]
    assert "Nothing was found." in said(me.get("/audit?words=nothing-like-this"))
    for number in range(60):
        own.conversations.create(f"Talk {number}")
    first = me.get("/audit?kind=conversation")
    assert len(actions(first)) == 50
    more = re.search(r'href="(/audit\?[^"]*before=[^"]*)"', first.text)[1].replace("&amp;", "&")
    second = me.get(more)
    assert len(actions(second)) == 10
    assert 'data-live=""' in first.text
    assert "data-live" not in second.text, "an older part never changes"


def test_a_search_looks_at_a_bounded_part_and_says_where_it_goes_on(own, monkeypatch):
    monkeypatch.setattr("aeon.application.audit._MAX_SCANNED", 4)
    last = own.audit.last_number()
    found = own.audit.list_newest(words="nothing-like-this")
    assert (found.entries, found.before) == ([], last - 3)
    numbers = []
    before = None
    while True:
        found = own.audit.list_newest(before=before)
        numbers += [each["seq"] for each in found.entries]
        before = found.before
        if before is None:
            break
    assert numbers == list(range(last, 0, -1))


def test_the_log_is_verified_on_the_page_and_a_changed_entry_is_named_platform_19(me, own, site):
    last = own.audit.verify().head
    intact = said(me.get("/audit?verify=true"))
    assert "No entry was changed." in intact
    assert last.hash in intact
    with closing(sqlite3.connect(site.folder / ".aeon" / "aeon.db")) as record:
        triggers = record.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for (name,) in triggers:
            record.execute(f'DROP TRIGGER "{name}"')
        record.execute("UPDATE audit_entries SET action = 'tool.delete' WHERE seq = 2 AND user_id = 'me'")
        record.commit()
    assert "The log was changed: entry 2 was changed." in said(me.get("/audit?verify=true"))


def test_a_user_sees_their_own_log_alone_platform_2(site, own):
    eve = site.browser("eve")
    assert not [each for each in actions(eve.get("/audit")) if each.startswith(("process", "tool"))]


@pytest.mark.slow
def test_lists_stay_current_without_a_reload_by_one_stream_platform_32(serve, visit):
    served = serve("The Danube.")
    page = visit(served)
    page.goto(f"{served.base}/audit")
    page.evaluate("window.sameDocument = true")
    (served.folder / "more.yaml").write_text(STORED)
    served.aeon("apply", "-f", "more.yaml")
    page.locator("td", has_text="process.create").first.wait_for()
    assert page.evaluate("window.sameDocument") is True
    page.goto(f"{served.base}/runs")
    page.evaluate("window.sameDocument = true")
    served.aeon("process", "run", "greet", "--input", "who=Ann")
    page.locator("tbody .mark[data-status=completed]").wait_for()
    assert page.evaluate("window.sameDocument") is True
    page.goto(f"{served.base}/tools")
    page.evaluate("window.sameDocument = true")
    page.locator("main input").first.fill("half a word")
    talk_elsewhere(served, page)
    page.locator("#side").get_by_role("link", name="From another tab").wait_for()
    assert page.locator("main input").first.input_value() == "half a word"
    assert page.evaluate("window.sameDocument") is True


def talk_elsewhere(served, page):
    """Begins a conversation in another tab of the same browser."""
    other = page.context.new_page()
    other.goto(served.base)
    other.locator("#say").fill("From another tab")
    other.locator("#say").press("Enter")
    other.locator("article.answer[data-state=complete]").wait_for()
    other.close()


def test_every_kind_of_action_that_the_sources_record_can_be_chosen():
    sources = [each for each in Path(aeon.__file__).parent.rglob("*.py") if "testing" not in each.parts]
    recorded = re.compile(r'(?:AuditAction|\.reserve_id|request\.mutation)\(\s*"(\w+)\.')
    kinds = {kind for each in sources for kind in recorded.findall(each.read_text("utf-8"))}
    assert {"request", "user"} <= kinds <= set(KINDS)


def test_what_is_typed_into_the_search_is_not_lost_while_a_list_is_read_again(serve, visit):
    """The reader begins to type after the page was asked for, and before it is here."""
    served = serve("The Danube.")
    page = visit(served)

    def begin_to_type(route):
        page.locator("#search").focus()
        page.keyboard.type("cologne")
        route.continue_()

    page.route(page.url, begin_to_type, times=1)
    with page.expect_response(page.url) as answered:
        talk_elsewhere(served, page)
    answered.value.finished()
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    assert page.locator("#search").input_value() == "cologne"
    assert page.evaluate("document.activeElement.id") == "search"
    page.locator("main h1").click()
    page.locator("#side .list a", has_text="From another tab").first.wait_for()
