"""A tool that is shared no more in the middle of a run: checked again before each call (platform 4)."""

from pathlib import Path

import pytest

from .conftest import CATALOG, until

pytestmark = [pytest.mark.server, pytest.mark.slow]

ERRAND = """
kind: Process
name: errand
initialContext: [who]
steps:
  - {{id: first, tool: {tool}, inputs: {{id: slow}}, output: first}}
  - {{id: then, tool: {tool}, inputs: {{id: second}}, dependsOn: [first], output: then}}
"""


def test_a_run_whose_tool_is_unshared_fails_at_its_next_call_and_goes_on_when_it_is_shared_again(
    aeon, background, shop
):
    """It says whose tool it was and what to do; what was completed stays."""
    catalog = CATALOG.format(port=shop.port)

    def ann_applies(shared):
        Path("shop.yaml").write_text(catalog.replace("service: shop\n", f"service: shop\nshared: {shared}\n"))
        said = aeon("apply", "-f", "shop.yaml", "--user", "ann")
        assert said.code == 0, said.err

    ann_applies("true")
    (tool,) = [each["id"] for each in aeon("tool", "list", "--json").json if each["name"] == "item"]
    Path("errand.yaml").write_text(ERRAND.format(tool=tool))
    assert aeon("apply", "-f", "errand.yaml").code == 0
    running = background("process", "run", "errand", "--input", "who=me")
    until(lambda: shop.calls["/slow"] == 1)
    ann_applies("false")
    shop.lets_go.set()
    assert running.waited() == 1
    assert (
        "Step 'then' (tool 'item', tried once): the tool 'item' of ann is deleted, or no longer shared with"
        in running.err
    )
    assert "Ask its owner to share it again" in running.err
    assert shop.calls == {"/slow": 1}
    (job,) = aeon("process", "job", "list", "--dead", "--json").json
    ann_applies("true")
    again = aeon("process", "job", "retry", job["id"])
    assert (again.code, shop.calls) == (0, {"/slow": 1, "/second": 1}), again.err
