"""A loop over real calls: under a rate limit, killed in the middle, and gone on with (platform 41)."""

import json
import signal
from pathlib import Path

import pytest

from .conftest import CATALOG, until

ITEMS = 200
"""Calls of the loop."""

AT_ONCE = 8

LOOP = """
kind: Process
name: fetch
initialContext: [ids]
steps:
  - id: each
    tool: item
    forEach: {items: "{ids}", as: id, concurrency: 8, failures: lost}
    inputs: {id: "{id}"}
    output: fetched
outputTemplate: '{"fetched": {{json step.fetched}}, "lost": {{json step.lost}}}'
"""

LIMITS = "limits: {{concurrency: 8, rate: {{calls: 60, seconds: 1}}}}\n---"

pytestmark = pytest.mark.slow


def test_what_was_fetched_before_a_kill_is_not_fetched_again(aeon, shop, background):
    """200 calls, 8 at once, 60 a second; `kill -9` in the middle, and one call that fails."""
    Path("shop.yaml").write_text(CATALOG.replace("---", LIMITS, 1).format(port=shop.port) + LOOP)
    assert aeon("apply", "-f", "shop.yaml").code == 0
    ids = [*(f"i{number}" for number in range(ITEMS - 1)), "lost"]
    running = background("process", "run", "fetch", "--input", f"ids={json.dumps(ids)}")
    until(lambda: sum(shop.calls.values()) >= ITEMS // 3)
    assert running.ends(signal.SIGKILL) == -signal.SIGKILL
    assert sum(shop.calls.values()) < ITEMS
    resumed = aeon("log", "resume", "last")
    assert resumed.code == 0, resumed.err
    found = json.loads(resumed.out)
    assert [each and each["body"]["path"] for each in found["fetched"]] == [*(f"/{id_}" for id_ in ids[:-1]), None]
    assert [each["index"] for each in found["lost"]] == [ITEMS - 1]
    repeated = [path for path, times in shop.calls.items() if times > 1]
    assert len(repeated) <= AT_ONCE  # those that were under way
    assert max(shop.calls.values()) <= 2


def test_an_item_of_fifty_megabytes_fails_alone_and_is_kept_nowhere(aeon, applied, shop):
    """The others go on; neither the record nor the folder grows by it."""
    applied(LOOP)
    done = aeon("process", "run", "fetch", "--input", 'ids=["a", "huge", "b"]')
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert [each and each["body"]["path"] for each in found["fetched"]] == ["/a", None, "/b"]
    assert [(each["item"], "longer than 1,000,000 bytes" in each["message"]) for each in found["lost"]] == [
        ("huge", True)
    ]
    assert sum(file.stat().st_size for file in Path(".aeon").rglob("*") if file.is_file()) < 20_000_000
