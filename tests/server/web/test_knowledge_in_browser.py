"""The pages of knowledge in a browser: decided by keys, merged, on the branch on screen, with and without script."""

import pytest
from tests.server.web.test_reading import serious

pytestmark = [pytest.mark.server, pytest.mark.slow]

PAGES = ["/knowledge", "/knowledge/candidates", "/knowledge/me", "/knowledge/graph", "/knowledge/settings"]


def say(page, served, words):
    """Say something in a conversation of its own, and see its answer."""
    page.goto(served.base)
    page.locator("#say").fill(words)
    page.locator("#say").press("Enter")
    page.locator("article.answer[data-state=complete]").wait_for()
    return page.url


def entities_page(conversation):
    """The page of what is known in a conversation, by the conversation's own address."""
    return f"{conversation.partition('?')[0].partition('#')[0]}/entities"


def until_known(page, served, words):
    """The page of `Tove`, once the background has read these words."""
    page.goto(f"{served.base}/knowledge/entities/Tove")
    while not page.locator("article.fact", has_text=words).count():
        page.goto(f"{served.base}/knowledge/entities/Tove")


def mark(page, words):
    return page.locator(f"article.fact[aria-label*={words}] .body .mark").inner_text()


def test_a_user_confirms_rejects_and_merges_by_keys_and_buttons_platform_37_and_40(serve, visit):
    served = serve("Noted.", "Noted.", "Noted.")
    page = visit(served)
    visit.allows("404")
    say(page, served, "Tove lives in Linz.")
    say(page, served, "Tove rows a boat.")
    say(page, served, "We met Tove Lindberg in Graz.")
    until_known(page, served, "Tove rows a boat.")
    visit.allows("404")
    page.keyboard.press("Alt+ArrowDown")
    assert "Tove lives in Linz." in page.evaluate("document.activeElement.textContent")
    page.keyboard.press("c")
    page.locator("article.fact[data-state=confirmed]", has_text="Linz").wait_for()
    assert "Tove lives in Linz." in page.evaluate("document.activeElement.textContent"), "the focus stays"
    page.keyboard.press("Alt+ArrowDown")
    page.keyboard.press("w")
    page.locator("article.fact[data-state=rejected]", has_text="boat").wait_for()
    assert [mark(page, each) for each in ("Linz", "boat")] == ["confirmed", "wrong"]

    while not page.get_by_role("button", name="Is the same").count():
        page.reload()
    page.get_by_role("button", name="Is the same").click()
    page.get_by_role("heading", name="Also known as").wait_for()
    assert page.locator("article.fact").count() == 3
    page.get_by_role("button", name="Take back").click()
    page.get_by_role("heading", name="Facts").wait_for()
    assert not page.get_by_role("heading", name="Also known as").count()

    until_known(page, served, "Tove lives in Linz.")
    page.locator("article.fact", has_text="Tove lives in Linz.").focus()
    page.keyboard.press("f")
    page.get_by_role("button", name="Forget").click()
    page.get_by_role("heading", name="Facts").wait_for()
    assert not page.locator("article.fact", has_text="Tove lives in Linz.").count()


def test_the_branch_on_screen_decides_what_the_page_says_platform_35(serve, visit):
    served = serve("Noted.", "Noted again.")
    page = visit(served)
    address = say(page, served, "Tove lives in Linz.")
    page.locator("article.said").get_by_text("Edit", exact=True).click()
    page.locator("article.said textarea").fill("Tove lives in Graz.")
    page.get_by_role("button", name="Save and answer").click()
    page.locator("article.answer[data-state=complete]", has_text="Noted again.").wait_for()
    until_known(page, served, "Tove lives in Graz.")
    visit.allows("404")
    assert [mark(page, each) for each in ("Linz", "Graz")] == ["on another branch", "said"]
    page.goto(address)
    page.locator("article.said").get_by_role("button", name="previous alternative").click()
    page.locator("article.answer", has_text="Noted.").wait_for()
    until_known(page, served, "Tove lives in Graz.")
    assert [mark(page, each) for each in ("Linz", "Graz")] == ["said", "on another branch"]
    page.locator("article.fact[aria-label*=Linz]").get_by_role("link", name="Tove lives in Linz.").click()
    page.locator("article.said", has_text="Tove lives in Linz.").wait_for()


def test_a_name_is_pinned_hidden_and_given_facets_by_keys_platform_17_and_44(serve, visit):
    served = serve("Noted.")
    served.aeon("knowledge", "add", "Tove", "Tove rows.")
    page = visit(served)
    say(page, served, "We saw Tove.")
    page.locator("details.head summary").press("Enter")
    page.get_by_role("link", name="Known in this conversation").press("Enter")
    standing = page.locator(".active-entities li", has_text="Tove").locator(".mark").last
    until(page, lambda: standing.count() == 1)
    page.get_by_role("checkbox", name="Facets").first.press("Space")
    page.get_by_role("button", name="Pin").first.press("Enter")
    page.locator(".active-entities .mark", has_text="pinned").wait_for()
    assert page.evaluate("document.activeElement.id").startswith("pin-"), "the button keeps the focus"
    assert page.get_by_role("checkbox", name="Facets").first.is_checked()
    page.get_by_role("button", name="Hide").press("Enter")
    page.locator(".active-entities .mark", has_text="hidden").wait_for()
    assert page.evaluate("document.activeElement.id").startswith("entity-"), (
        "the button is gone, its name has the focus"
    )
    page.get_by_role("link", name="Tove", exact=True).press("Enter")
    page.locator("details#manage summary").press("Enter")
    page.get_by_label("Facets").fill("status: away\ndiet: vegetarian")
    page.locator("details#manage").get_by_role("button", name="Save").press("Enter")
    page.locator("main .mark", has_text="diet: vegetarian").wait_for()


def until(page, holds):
    """Load the page again until that holds."""
    while not holds():
        page.reload()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_and_no_page_is_wider_than_a_small_screen(serve, visit, scheme):
    served = serve("Noted.")
    served.aeon("knowledge", "add", "Tove", "Tove rows with Averylongnameofaboatthatdoesnotfitintoasmallscreenatall.")
    served.aeon("knowledge", "add", "Tove Lindberg", "--category", "Person", "--summary", "A friend.")
    served.aeon("knowledge", "add", "me", "I row.")
    served.aeon("knowledge", "set", "Tove", "--facet", "status=active, away")
    page = visit(served, color_scheme=scheme, viewport={"width": 360, "height": 640})
    here = entities_page(say(page, served, "We saw Tove in Linz."))
    served.aeon("knowledge", "hide", "Tove Lindberg", "--in", "last")
    for address in [*PAGES, "/knowledge/entities/Tove", "/knowledge/entities/Tove/forget", here]:
        page.goto(served.base + address if address.startswith("/") else address)
        page.locator("main h1").wait_for()
        for each in page.locator("main details").all():
            each.evaluate("(node) => { node.open = true; }")
        assert (address, serious(page)) == (address, [])
        assert (address, page.evaluate("document.documentElement.scrollWidth")) == (address, 360)


def test_knowledge_works_without_javascript_and_in_german(serve, visit):
    served = serve("Notiert.")
    served.aeon("knowledge", "add", "Tove", "Tove rows.")
    page = visit(served, java_script_enabled=False, locale="de-DE")
    page.get_by_label("Der Link, den der Server ausgegeben hat").fill(served.link)
    page.get_by_role("button", name="Anmelden").click()
    page.get_by_role("link", name="Wissen", exact=True).click()
    page.locator("main").get_by_role("link", name="Tove", exact=True).click()
    page.get_by_role("button", name="Falsch").click()
    page.locator("article.fact .mark", has_text="falsch").wait_for()
    page.get_by_role("button", name="Unentschieden").click()
    page.get_by_role("link", name="Vergessen").first.click()
    page.get_by_role("button", name="Vergessen").click()
    page.get_by_text("Dazu ist kein Fakt bekannt.").wait_for()
    page.locator("summary", has_text="Einen Fakt aufschreiben").click()
    page.get_by_label("Ein Satz").fill("Tove sings.")
    page.locator("details#write").get_by_role("button", name="Speichern").click()
    page.locator("article.fact", has_text="Tove sings.").wait_for()
    page.goto(f"{served.base}/knowledge/entities/Tove")
    page.locator("summary", has_text="Umbenennen oder beschreiben").click()
    page.get_by_label("Merkmale").fill("status: verreist")
    page.locator("details#manage").get_by_role("button", name="Speichern").click()
    page.locator("main .mark", has_text="status: verreist").wait_for()
    served.aeon("chat", "Hallo!")
    page.goto(served.base)
    page.locator("#side").get_by_role("link", name="Hallo!").click()
    page.locator("details.head summary").click()
    page.get_by_role("link", name="In dieser Unterhaltung bekannt").click()
    page.locator("#pin-another").get_by_label("Name", exact=True).fill("Tove")
    page.locator("#pin-another").get_by_role("button", name="Anheften").click()
    page.locator(".active-entities .mark", has_text="angeheftet").wait_for()
    page.get_by_role("button", name="Lösen").click()
    page.get_by_text("Nichts Bekanntes wird darin genannt.").wait_for()
