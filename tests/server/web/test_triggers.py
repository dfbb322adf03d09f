"""What starts a Process by itself, on its page: listed, added by text, disabled."""

import json

import pytest

from .test_runs import ORDER

pytestmark = [pytest.mark.server, pytest.mark.slow]


@pytest.fixture
def served(serve):
    made = serve()
    (made.folder / "order.yaml").write_text(ORDER.replace("name: order", 'name: the "order"'))
    made.aeon("apply", "-f", "order.yaml")
    return made


def open_process(page):
    page.get_by_role("link", name="Processes", exact=True).click()
    page.get_by_role("link", name='the "order"').click()


def test_a_schedule_is_added_by_text_shown_and_disabled(served, visit):
    page = visit(served)
    open_process(page)
    page.get_by_text("Only when somebody starts it.").wait_for()
    page.get_by_role("link", name="Add a schedule, a webhook or an alert").click()
    shown = page.locator("textarea").input_value()
    page.locator("textarea").fill(shown.replace("inputs: {}", "inputs: {thing: lamp}"))
    page.get_by_role("button", name="Save").click()
    page.get_by_text("every morning").first.wait_for()
    open_process(page)
    line = page.locator("#triggers + ul li")
    assert line.inner_text().startswith("schedule every morning 0 8 * * mon-fri Europe/Berlin → 20")
    line.get_by_role("button", name="Disable").click()
    line.get_by_text("disabled").wait_for()
    assert "paused" in served.aeon("process", "schedule", "list")
    line.get_by_role("button", name="Enable").click()
    line.get_by_role("button", name="Disable").wait_for()


def test_webhooks_and_alerts_are_shown_with_their_address_and_state(served, visit):
    made = served.aeon("process", "webhook", "create", "orders", 'the "order"')
    served.aeon(
        "process",
        "alert",
        "create",
        "fails",
        'the "order"',
        "--metric",
        "process.failures",
        "--when",
        ">= 3",
        "--input",
        "thing=x",
    )
    page = visit(served)
    open_process(page)
    webhook, alert = page.locator("#triggers + ul li").all()
    path = next(word for word in made.replace(",", " ").split() if "/hooks/" in word)
    assert webhook.inner_text().startswith(f"webhook orders POST /hooks/{path.rpartition('/')[2]}, standard")
    assert alert.inner_text().startswith("alert fails process.failures >= 3 quiet")
    webhook.get_by_role("button", name="Disable").click()
    page.locator("#triggers + ul li").first.get_by_text("disabled").wait_for()
    assert "disabled" in served.aeon("process", "webhook", "list")


def test_what_another_user_changed_starts_nothing_until_this_one_trusts_it(served, visit):
    """The page says so before an event is refused, and shows the version that is trusted then."""
    served.aeon("serve", "user", "create", "ann")
    text = ORDER.replace("name: order", "name: hers\nshared: true").replace(
        "name: record", "name: record\nshared: true"
    )
    (served.folder / "hers.yaml").write_text(text.replace("name: users", "name: users\nshared: true"))
    served.aeon("apply", "-f", "hers.yaml", "--user", "ann")
    id_ = json.loads(served.aeon("process", "show", "hers", "--user", "ann", "--json"))["id"]
    served.aeon("process", "webhook", "create", "orders", id_)
    page = visit(served)
    page.goto(f"{served.base}/processes/{id_}")
    line = page.locator("#triggers + ul li")
    assert line.get_by_role("button", name="Trust this version").count() == 0
    (served.folder / "hers.yaml").write_text((served.folder / "hers.yaml").read_text().replace("said}}", "said}}!"))
    served.aeon("apply", "-f", "hers.yaml", "--user", "ann")
    page.reload()
    line.get_by_text("starts nothing: its Process was changed").wait_for()
    line.get_by_role("button", name="Trust this version").click()
    line.get_by_role("button", name="Disable").wait_for()
    assert "not trusted" not in served.aeon("process", "webhook", "list")
    assert line.get_by_text("starts nothing").count() == 0
