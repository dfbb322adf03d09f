"""The pages of runs in a browser: a question to a person, why a run waits, cancel, retry, filters in the address."""

import pytest

pytestmark = [pytest.mark.server, pytest.mark.slow]

ORDER = """
kind: Service
name: record
type: neo4j_graph
protocol: bolt
connectionSchema: {type: object, required: [endpoint]}
---
kind: Tool
name: users
service: record
connectionParams: {endpoint: "aeon:graph"}
operation: {type: graph_query, query: "@users_of_mine"}
inputSchema: {type: object}
---
kind: Process
name: order
initialContext: [thing]
steps:
  - {id: look, tool: users, output: found}
  - id: approve
    tool: users
    dependsOn: [look]
    output: said
    execution: {interactionMode: manual, timeout: 300}
outputTemplate: "{{thing}}: {{step.said}}"
"""


@pytest.fixture
def asked(serve, visit):
    """A page, and a run that waits for an answer."""
    served = serve()
    (served.folder / "order.yaml").write_text(ORDER)
    served.aeon("apply", "-f", "order.yaml")
    served.aeon("process", "run", "order", "--input", "thing=lamp", code=3)
    page = visit(served)
    page.get_by_role("link", name="Runs", exact=True).click()
    page.locator("tbody a").first.click()
    page.locator(".question").wait_for()
    return page


def test_a_question_is_answered_by_a_form_and_the_run_goes_on_platform_9(asked):
    assert asked.locator("h1").inner_text() == "order running"
    assert "approve Waits for an answer of me." in asked.locator("main").inner_text()
    asked.get_by_label("Answer").fill("yes, ten")
    asked.get_by_role("button", name="Send").click()
    asked.locator("h1", has_text="completed").wait_for()
    shown = [each.evaluate("(block) => block.firstChild.textContent") for each in asked.locator("main > pre").all()]
    assert shown == ['{\n  "thing": "lamp"\n}', "lamp: yes, ten"]
    steps = [each.inner_text().split()[:3] for each in asked.locator(".timeline > li").all()]
    assert steps == [["look", "users", "completed"], ["approve", "users", "completed"]]


def test_a_run_is_cancelled_and_retried_and_found_by_its_phase(asked):
    asked.get_by_role("button", name="Cancel this run").click()
    asked.locator("h1", has_text="cancelled").wait_for()
    asked.get_by_role("button", name="Try again").click()
    asked.locator(".question").wait_for()
    assert asked.get_by_text("Retry of").count() == 1
    asked.get_by_role("link", name="Runs", exact=True).click()
    asked.get_by_label("Phase").select_option("cancelled")
    asked.get_by_role("button", name="Filter").click()
    asked.wait_for_url("**phase=cancelled**")
    assert asked.locator("tbody tr td:nth-child(2)").all_inner_texts() == ["cancelled"]


def test_an_answer_to_a_paused_run_is_kept_and_used_when_it_goes_on(asked):
    asked.get_by_role("button", name="Pause this run").click()
    asked.locator("h1", has_text="paused").wait_for()
    asked.get_by_label("Answer").fill("yes")
    asked.get_by_role("button", name="Send").click()
    asked.locator(".question").wait_for(state="detached")
    assert "paused" in asked.locator("h1").inner_text()
    asked.get_by_role("button", name="Let it go on").click()
    asked.locator("h1", has_text="completed").wait_for()


def test_a_paused_run_is_let_go_on_by_a_button(asked):
    asked.get_by_role("button", name="Pause this run").click()
    asked.get_by_role("button", name="Let it go on").click()
    asked.locator("h1", has_text="running").wait_for()
    asked.get_by_role("button", name="Pause this run").wait_for()


def test_what_is_typed_into_a_question_is_not_read_over(asked):
    field = asked.get_by_label("Answer")
    field.fill("not sure yet")
    asked.wait_for_timeout(3_500)  # two looks at the run
    assert field.input_value() == "not sure yet"
    asked.get_by_role("heading", name="Steps").click()
    asked.wait_for_timeout(2_500)
    assert asked.get_by_label("Answer").input_value() == "not sure yet"


LOOP = """
kind: Process
name: rows
inputs: {numbers: {type: array}}
steps:
  - {id: each, tool: users, inputs: {}, forEach: {items: "{numbers}", concurrency: 20}, output: found}
"""


def test_a_loop_is_one_line_with_its_counts_and_its_items_are_on_pages_of_their_own(serve, visit):
    served = serve()
    (served.folder / "rows.yaml").write_text(ORDER + "---\n" + LOOP)
    served.aeon("apply", "-f", "rows.yaml")
    served.aeon("process", "run", "rows", "--input", f'{{"numbers": {[*range(205)]}}}')
    assert "each completed: 205 of 205, run " in served.aeon("log", "show", "last")
    assert "completed, 205 of 205" in served.aeon("process", "draw", "rows", "--run", "last")
    page = visit(served)
    page.get_by_role("link", name="Runs", exact=True).click()
    page.locator("tbody a").first.click()
    line = page.locator(".timeline > li")
    assert line.inner_text().split("\n")[0] == "each users completed 205 of 205 Run"
    assert "truncated" not in line.inner_html(), "its results are on the pages of its items"
    line.get_by_role("link", name="Run").click()
    page.locator("#step-each\\[0\\]").wait_for()
    assert page.locator(".timeline > li").count() == 200
    page.get_by_role("link", name="More").click()
    page.locator("#step-each\\[200\\]").wait_for()
    assert page.locator(".timeline > li").count() == 5
