"""Processes as YAML texts: written so that they can be saved again, and checked with the line of every fault."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.application.conftest import STORED

from aeon.application.default_catalog import add_defaults
from aeon.application.text_faults import InvalidTextError
from aeon.plan.yaml import dump_yaml, find_lines, load_yaml
from aeon.platform.errors import ForbiddenError, NotFoundError, VersionError

GOOD = """kind: Process
name: order
initialContext: [thing]
steps:
  - {id: look, tool: mine, output: found}
outputTemplate: "{{thing}}"
"""

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab \n:#'\"ä\t-", max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", min_size=1), inner, max_size=3),
    max_leaves=9,
)


@pytest.fixture
def processes(project):
    """The Processes of `STORED`, and those that Aeon ships."""
    add_defaults(project.processes._platform)
    return project.processes


def lines(checked):
    return [(each.line, each.path) for each in checked.faults]


@given(JSON_VALUES)
def test_what_is_written_as_yaml_is_read_again(value):
    assert load_yaml(dump_yaml(value)) == load_yaml(dump_yaml(value, allow_unicode=False)) == value


def test_a_line_is_that_of_the_deepest_part_that_exists():
    text = "a: 1\nb:\n  - c: 2\n  - d:\n      e: 3\n"
    paths = (["b"], ["b", 1], ["b", 1, "d", "e"], ["b", 1, "x"], ["b", 7], [])
    assert find_lines(text, paths) == [2, 4, 5, 4, 2, 1]
    union = "x:\n  type: circle\n  size: 1\n"
    assert find_lines(union, [["x", "circle", "size"], ["x", "square", "size"]]) == [3, 1]


@pytest.mark.parametrize("name", ["ask", "greet", "asks_below"])
def test_a_process_is_written_as_a_text_that_changes_nothing_when_it_is_saved(processes, name):
    before = processes.get(name)
    text = processes.texts.write(before)
    assert "tool: mine" in text or "process: ask" in text
    assert processes.texts.check(text, name) == ([], [])
    after = processes.texts.save(text, name)
    assert (after.digest, after.definition) == (before.digest, before.definition)


def test_every_process_that_aeon_ships_can_be_copied_platform_6(processes):
    found = processes.list_all(owner="shared")
    assert "chat" in {each.name for each in found}
    for shipped in found:
        text = processes.texts.write(shipped, f"{shipped.name} copy")
        assert processes.texts.check(text) == ([], []), shipped.name
        made = processes.texts.save(text)
        assert (made.digest == shipped.digest, made.name) == (True, f"{shipped.name} copy")


def test_a_process_that_calls_itself_calls_its_copy(processes):
    text = GOOD + "maxRecursionDepth: 2\n"
    inner = (
        "  - {id: again, process: order, inputs: {thing: '{thing}'}, output: more, execution: {condition: 'false'}}\n"
    )
    made = processes.texts.save(text.replace("outputTemplate", f"{inner}outputTemplate"))
    copied = processes.texts.write(made, "other")
    assert "process: other" in copied
    other = processes.texts.save(copied)
    assert other.steps[1].process == other.id != made.id


def test_faults_have_the_lines_on_which_they_are(processes):
    check = processes.texts.check
    assert check(GOOD) == ([], [])
    assert lines(check(GOOD.replace("tool: mine", "tool: nothing"))) == [(5, "$.steps[0].tool")]
    assert lines(check(GOOD.replace("{{thing}}", "{{nothing}}"))) == [(6, "$.outputTemplate")]
    both = GOOD.replace("tool: mine", "tool: nothing").replace("{{thing}}", "{{nothing}}")
    assert lines(check(both)) == [(5, "$.steps[0].tool"), (6, "$.outputTemplate")]
    assert lines(check(GOOD.replace("output: found", "out: found"))) == [
        (5, "$.steps[0].out"),
        (5, "$.steps[0].output"),
    ]
    assert lines(check(GOOD.replace("kind: Process", "kind: Tool"))) == [(1, "$.kind")]
    assert lines(check(GOOD.replace("name: order", "name: ask"))) == [(2, "$.name")]
    assert lines(check("kind: Process\nname: [x\n")) == [(3, "")]
    assert lines(check("- 1\n- 2\n")) == [(1, "")]
    assert lines(check("kind: Process\nname: a\nname: b\n")) == [(3, "")]
    assert lines(check("x: &a 1\ny: *a\n")) == [(2, "")]
    assert lines(check(" " * 500_001)) == [(1, "")]


def test_a_text_changes_only_the_process_of_that_name_and_version_platform_29(processes):
    texts = processes.texts
    made = texts.save(GOOD, key="once")
    assert texts.save(GOOD, key="once").id == made.id
    with pytest.raises(InvalidTextError, match="rename it on its page"):
        texts.save(GOOD.replace("name: order", "name: other"), "order")
    changed = texts.save(GOOD.replace("{{thing}}", "a {{thing}}"), "order", expected_version=1)
    assert (changed.id, changed.version) == (made.id, 2)
    with pytest.raises(VersionError):
        texts.save(GOOD, "order", expected_version=1)
    assert processes.get("order").output_template == "a {{thing}}"
    with pytest.raises(InvalidTextError):
        texts.save(GOOD.replace("tool: mine", "tool: nothing"), "order")


def test_a_process_of_another_user_is_read_and_not_changed_platform_2(processes):
    with pytest.raises(ForbiddenError):
        processes.texts.check(GOOD, "chat")
    with pytest.raises(NotFoundError):
        processes.texts.save(GOOD, "nothing like this")


def test_the_stored_documents_are_still_applied_as_they_were(project):
    assert {each.action for each in project.apply(STORED)} == {"keep"}
