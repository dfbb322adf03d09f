"""The pages of Processes, tools and secrets in a browser: with axe's rules, on a small screen, with and without script."""

import re

import pytest
from tests.server.web.test_reading import serious
from tests.server.web.test_runs import ORDER

pytestmark = [pytest.mark.server, pytest.mark.slow]


def served_order(serve):
    """A server in whose folder there are a service, a tool and a Process that asks a person."""
    served = serve()
    (served.folder / "order.yaml").write_text(ORDER)
    served.aeon("apply", "-f", "order.yaml")
    return served


def started(served, page, thing):
    """The address of a run of `order` that was started on its page."""
    page.goto(f"{served.base}/processes/order")
    page.get_by_label("thing").fill(thing)
    page.get_by_role("button", name="Start a run").click()
    page.locator(".question").wait_for()
    return page.url.removeprefix(served.base)


def addresses(served, page):
    first, second = started(served, page, "lamp"), started(served, page, "chair")
    return [
        "/processes",
        "/processes/order",
        "/processes/order/edit",
        "/processes/order/delete",
        "/processes/order/compare",
        "/processes/new?copy_of=chat",
        "/triggers",
        "/tokens",
        "/users",
        "/jobs",
        "/tools",
        "/tools/users",
        "/tools/users/edit",
        "/tools/converse_with_tools",
        "/apply",
        "/services",
        "/services/record",
        "/secrets",
        "/secrets/new?kind=oauth_token",
        "/settings",
        "/model",
        "/skills",
        "/skills/dice-roller",
        "/skills/dice-roller/file?path=SKILL.md",
        "/audit?verify=true",
        "/charts",
        "/charts?metric=process.runs",
        "/charts?metric=process.runs&by=phase",
        second,
        f"{second}/compare?with={first.removeprefix('/runs/')}",
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_and_no_page_is_wider_than_a_small_screen(serve, visit, scheme):
    served = served_order(serve)
    served.aeon("apply", "-f", changed(served))
    served.aeon("process", "webhook", "create", "orders", "order")
    page = visit(served, color_scheme=scheme, viewport={"width": 360, "height": 640})
    for address in addresses(served, page):
        page.goto(served.base + address)
        page.locator("main h1").wait_for()
        for each in page.locator("main details").all():
            each.evaluate("(node) => { node.open = true; }")
        assert (address, serious(page)) == (address, [])
        assert (address, page.evaluate("document.documentElement.scrollWidth")) == (address, 360)


def test_a_process_with_a_long_name_makes_no_page_wider_than_a_small_screen(serve, visit):
    served = serve()
    long = "w" * 100
    (served.folder / "order.yaml").write_text(ORDER.replace("name: order", f"name: {long}"))
    served.aeon("apply", "-f", "order.yaml")
    page = visit(served, viewport={"width": 390, "height": 800})
    page.goto(f"{served.base}/processes/{long}")
    page.get_by_label("thing").fill("v" * 200)
    page.get_by_role("button", name="Start a run").click()
    page.locator(".question").wait_for()
    own = [f"/processes/{long}{each}" for each in ("", "/edit", "/delete")]
    widths = {}
    for address in [page.url.removeprefix(served.base), "/runs", "/processes", *own]:
        page.goto(served.base + address)
        for each in page.locator("main details").all():
            each.evaluate("(node) => { node.open = true; }")
        widths[address] = page.evaluate("document.documentElement.scrollWidth")
    assert widths == dict.fromkeys(widths, 390)


def changed(served):
    """A file with another version of the Process."""
    (served.folder / "changed.yaml").write_text(ORDER.replace("{{thing}}: ", "{{thing}} - "))
    return "changed.yaml"


def test_faults_are_shown_while_a_text_is_typed_and_lead_to_their_lines(serve, visit):
    page = visit(served_order(serve))
    page.get_by_role("link", name="Processes", exact=True).click()
    page.locator("main").get_by_role("link", name="order", exact=True).click()
    page.get_by_role("link", name="Edit").click()
    field = page.get_by_label("As text (YAML)")
    text = field.input_value()
    lines = len(text.split("\n"))
    page.locator(f".gutter span:nth-child({lines})").wait_for()  # the script of the page has begun
    assert page.locator(".gutter span").count() == lines
    field.fill(text.replace("tool: users", "tool: nobody", 1))
    page.locator("#faults li", has_text="nobody").wait_for()
    line = int(page.locator("#faults li").first.get_attribute("data-line"))
    assert "nobody" in text.replace("tool: users", "tool: nobody", 1).split("\n")[line - 1]
    assert page.locator(".gutter .at-fault").all_inner_texts() == [f"{line}\n"]
    page.locator("#faults button").first.click()
    chosen = field.evaluate("(field) => field.value.slice(field.selectionStart, field.selectionEnd)")
    assert "nobody" in chosen
    field.fill(text.replace("{{thing}}: ", "{{thing}} - "))
    page.get_by_text("No fault was found.").wait_for()
    page.get_by_role("button", name="Save").click()
    page.get_by_role("link", name="What changed").click()
    page.locator("code", has_text="outputTemplate").wait_for()
    assert [each.evaluate("(block) => block.firstChild.textContent") for each in page.locator(".sides pre").all()] == [
        "{{thing}}: {{step.said}}",
        "{{thing}} - {{step.said}}",
    ]


def test_what_was_typed_into_the_editor_survives_a_reload_and_is_gone_once_it_is_saved(serve, visit):
    served = served_order(serve)
    page = visit(served)
    page.goto(f"{served.base}/processes/order/edit")
    saved = page.get_by_label("As text (YAML)").input_value()
    typed = saved.replace("{{thing}}: ", "{{thing}} - ")
    page.get_by_label("As text (YAML)").fill(typed)
    page.reload()
    assert page.get_by_label("As text (YAML)").input_value() == typed
    page.get_by_role("button", name="Show the saved text").click()
    assert page.get_by_label("As text (YAML)").input_value() == saved
    page.get_by_label("As text (YAML)").fill(typed)
    page.get_by_role("button", name="Save").click()
    page.get_by_role("heading", name="Versions").wait_for()
    assert "sent=" not in page.url
    assert page.evaluate("Object.keys(localStorage)") == []
    page.get_by_role("link", name="Edit").click()
    assert page.get_by_label("As text (YAML)").input_value() == typed
    assert not page.get_by_text("which is not saved").is_visible()


def test_processes_work_without_javascript_from_a_copy_to_its_run(serve, visit):
    served = served_order(serve)
    page = visit(served, java_script_enabled=False)
    page.get_by_label("The link that the server printed").fill(served.link)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name="Processes", exact=True).click()
    page.locator("main").get_by_role("link", name="order", exact=True).click()
    page.get_by_role("link", name="Make a copy").click()
    field = page.locator("textarea#text")
    good = field.input_value()
    field.fill(good.replace("tool: users", "tool: nobody"))
    page.get_by_role("button", name="Check").click()
    assert page.locator("#faults li").count() == 2
    page.locator("textarea#text").fill(good)
    page.get_by_role("button", name="Save").click()
    assert page.locator("h1").inner_text() == "order copy"
    page.get_by_label("thing").fill("lamp")
    page.get_by_role("button", name="Start a run").click()
    assert page.locator("h1").inner_text().startswith("order copy")
    assert re.fullmatch(r".*/runs/[0-9a-f-]+", page.url)


def test_the_pages_go_by_keys_and_speak_german(serve, visit):
    served = served_order(serve)
    page = visit(served, locale="de-DE")
    page.goto(f"{served.base}/processes/order/edit")
    field = page.get_by_label("Als Text (YAML)")
    field.focus()
    page.keyboard.press("Control+End")
    page.keyboard.type("x: 1")
    page.locator("#faults", has_text="Fehler: 1").wait_for()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Speichern"
    page.goto(f"{served.base}/tools/users")
    page.get_by_role("heading", name="Probeaufruf").wait_for()
    page.get_by_role("button", name="Aufrufen").focus()
    page.keyboard.press("Enter")
    page.locator("h3", has_text="Ergebnis").wait_for()
    assert page.get_by_role("link", name="Werkzeuge").first.get_attribute("aria-current") == "page"


def test_a_secret_that_was_typed_is_on_no_page_and_in_no_address(serve, visit):
    served = served_order(serve)
    page = visit(served)
    page.goto(f"{served.base}/secrets/new")
    page.get_by_label("Name", exact=True).fill("shop")
    page.get_by_label("key (required)").fill("zeppelin-7f3a")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("heading", name="shop").wait_for()
    for path in ("", "/secrets", "/tools/users", "/secrets/shop"):
        page.goto(served.base + path)
        assert "zeppelin" not in page.content() + page.url


def test_a_message_is_forgotten_in_the_browser_platform_28(serve, visit):
    page = visit(serve("The Danube."))
    page.locator("#say").fill("My word is zeppelin.")
    page.locator("#say").press("Enter")
    page.locator("article.answer[data-state=complete]").wait_for()
    address = page.url
    page.locator("article.said").get_by_role("link", name="Forget").click()
    page.get_by_role("button", name="Forget").click()
    page.get_by_role("heading", name="Forgotten").wait_for()
    page.goto(address)
    page.locator("article.said", has_text="[erased]").wait_for()
    assert "zeppelin" not in page.content()
