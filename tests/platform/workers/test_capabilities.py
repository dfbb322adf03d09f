"""What a process can execute, and what a Process needs of it (platform 10)."""

import pytest

from aeon.platform.catalog.needs import describe_needs, needs_of, operation_name
from aeon.platform.catalog.operations import GraphQuery, SkillScriptCall
from aeon.platform.processes.language import language_of
from aeon.platform.processes.model import ProcessDefinition
from aeon.platform.workers.capabilities import Capabilities

QUERY = GraphQuery(query="RETURN 1")


def test_all_labels_and_the_operation_are_needed():
    here = Capabilities(("gpu", "site=berlin"), ("rest_request", "skill_script"))
    assert here.can_execute(())
    assert here.can_execute(needs_of(["gpu"], "skill_script"))
    assert here.can_execute(needs_of(["site=berlin", "gpu"], "rest_request"))
    needs = needs_of(["gpu", "site=rome"], "graph_query:neo4j")
    assert here.missing(needs) == ["operation:graph_query:neo4j", "site=rome"]
    assert describe_needs(needs) == "the labels gpu and site=rome, the operation graph_query:neo4j"


def test_all_needs_that_labels_and_operations_of_a_type_satisfy():
    here = Capabilities(("b", "a"), ("skill_script", "graph_query:neo4j"))
    assert here.fitting_needs("rest_api") == [(), ("a",), ("b",), ("a", "b")]
    assert {needs for needs in here.fitting_needs("mcp_server") if "operation:skill_script" in needs} == {
        needs_of(labels, "skill_script") for labels in ([], ["a"], ["b"], ["a", "b"])
    }


@pytest.mark.parametrize(
    ("endpoint", "name"),
    [("aeon:graph", "graph_query"), ("bolt://h", "graph_query:neo4j"), ("falkordb://h", "graph_query:falkordb")],
)
def test_a_query_of_a_graph_needs_the_driver_of_its_server(endpoint, name):
    assert operation_name(QUERY, {"endpoint": endpoint}) == name
    assert operation_name(SkillScriptCall(skill="s", script="x"), {}) == "skill_script"


@pytest.mark.parametrize(
    ("more", "version"),
    [({}, 1), ({"forEach": {"items": [1]}}, 2), ({"retry": {"attempts": 1}}, 2)],
)
def test_the_language_of_a_definition_is_the_earliest_that_has_all_it_uses(more, version):
    step = {"id": "a", "tool": "t", "output": {"variable": "a"}, **more}
    assert language_of(ProcessDefinition.parsed({"name": "p", "steps": [step]})) == version


def test_a_last_section_needs_the_second_version():
    step = {"id": "a", "tool": "t", "output": {"variable": "a"}}
    end = {**step, "id": "b", "output": {"variable": "b"}}
    assert language_of(ProcessDefinition.parsed({"name": "p", "steps": [step], "finally": [end]})) == 2
