"""Every page of every thing that ships, and of Processes with each kind of step, in both languages."""

import re

import pytest
from tests.server.web.test_things import post, said

pytestmark = pytest.mark.server

LANGUAGES = ("en", "de")

EVERY_KIND_OF_STEP = """
kind: Process
name: every kind
inputs: {numbers: {type: array, default: [1, 2]}}
steps:
  - {id: look, tool: mine, output: found}
  - {id: rest, wait: 1, output: rested}
  - {id: until, wait: "2020-01-01T00:00:00Z", dependsOn: [rest], output: waited}
  - {id: each, tool: mine, forEach: {items: "{numbers}"}, output: all}
  - {id: below, process: greet, inputs: {who: you}, compensate: {tool: mine}, output: greeted}
  - id: approve
    tool: mine
    dependsOn: [below]
    question: {assignee: me}
    execution: {interactionMode: manual, timeout: 300}
    output: said
onFailure:
  - {id: pause, wait: 1, output: paused}
finally:
  - {id: last, wait: 1, output: ended}
outputTemplate: "{{step.said}}"
"""


def look(client, path):
    """The words of a page in English; it opens in both languages."""
    pages = [client.get(path, headers={"accept-language": each}) for each in LANGUAGES]
    assert [each.status_code for each in pages] == [200, 200], path
    return said(pages[0])


def linked(client, path, prefix):
    """The addresses below a prefix to which a page and those that follow it lead."""
    found, following = [], path
    while following:
        text = client.get(following).text
        found += re.findall(rf'href="({prefix}/[^"/?#]+)"', text.partition("<main")[2])
        more = re.search(rf'href="({prefix}\?[^"]*after=[^"]*)"', text)
        following = more and more[1].replace("&amp;", "&")
    return list(dict.fromkeys(found))


def test_every_page_of_every_shipped_thing_opens(me):
    opened = {}
    for kind in ("tools", "processes", "services", "skills"):
        addresses = [each for each in linked(me, f"/{kind}", f"/{kind}") if not each.endswith("/new")]
        opened[kind] = {address: look(me, address) for address in addresses}
    using_model = [each for each in opened["tools"].values() if "llm_call" in each]
    assert len(using_model) > 7
    assert all("0 tokens" in each for each in using_model)
    assert all(len(each) > 1 for each in opened.values()), {kind: len(each) for kind, each in opened.items()}
    for address in opened["processes"]:
        look(me, f"/processes/new?copy_of={address.rpartition('/')[2]}")


def test_the_pages_of_a_process_and_its_runs_show_every_kind_of_step(me, own):
    own.documents.apply(EVERY_KIND_OF_STEP)
    process = own.processes.get("every kind")
    shown = look(me, f"/processes/{process.id}")
    assert re.search(r"rest waits 1 .*until waits 2020-01-01T00:00:00Z after rest", shown)
    assert "each mine for each of {numbers}" in shown
    look(me, f"/processes/{process.id}/edit")
    own.documents.apply(EVERY_KIND_OF_STEP.replace("wait: 1", "wait: 0"))
    assert "rest changed wait" in look(me, f"/processes/{process.id}/compare")
    runs = [post(me, f"/processes/{process.id}/runs", key=f"k{place}").headers["location"] for place in range(2)]
    for address in runs:
        own.runs.settle(address.rpartition("/")[2])
        assert "rest wait completed" in look(me, address)
        assert me.get(f"/api/v1{address}/picture").status_code == 200
    look(me, f"{runs[0]}/compare?with={runs[1].rpartition('/')[2]}")
    assert me.get(f"/api/v1/processes/{process.id}/picture").status_code == 200
    look(me, "/jobs")
