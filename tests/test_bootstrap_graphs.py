"""The target of the projection that the settings name, and to whom its password goes (decision 12)."""

from contextlib import closing
from pathlib import Path

import pytest

from aeon.base.errors import ConfigError
from aeon.bootstrap.projection import new_projector, open_target
from aeon.settings import GraphSettings
from aeon.testing.projection import InMemoryGraph
from aeon.testing.records import new_record

PROJECT = Path("/home/ann/project/aeon.toml")


def settings(**values):
    return GraphSettings.model_validate(values)


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("falkordb://ann@127.0.0.1", "FalkorDB server at 127.0.0.1:6379"),
        ("bolt://127.0.0.1/db", "Neo4j server at 127.0.0.1:7687, database db"),
        ("bolt+s://graph.example:1", "Neo4j server at graph.example:1, database neo4j"),
        ("bolt://[::1]:1", "Neo4j server at [::1]:1, database neo4j"),
    ],
)
def test_the_address_says_which_kind_of_server(address, name):
    with closing(open_target(settings(address=address), {})) as target:
        assert target.name == name


def test_without_an_address_there_is_none():
    with pytest.raises(ConfigError, match="No graph database is configured") as raised:
        open_target(settings(), {})
    assert "AEON_GRAPH_ADDRESS" in raised.value.advice


def test_a_password_comes_from_the_variable_that_is_named():
    named = settings(address="bolt://graph.example", password_env="GRAPH_PASSWORD")  # noqa: S106  # its name
    open_target(named, {"GRAPH_PASSWORD": "pw"}).close()
    with pytest.raises(ConfigError, match="GRAPH_PASSWORD"):
        open_target(named, {})


def test_a_projects_file_does_not_decide_who_gets_the_password():
    named = settings(address="bolt://graph.example", password_env="GRAPH_PASSWORD")  # noqa: S106  # its name
    with pytest.raises(ConfigError, match=r"The project's file .* would have the password") as raised:
        open_target(named, {"GRAPH_PASSWORD": "hunter2"}, {"graph.address": PROJECT})
    assert "hunter2" not in str(raised.value)


def test_a_projector_brings_a_graph_up_to_a_record(tmp_path):
    with closing(new_record(tmp_path)) as store:
        target = InMemoryGraph()
        new_projector(store, target).sync()
        assert new_projector(store, target).status().state == "following"
