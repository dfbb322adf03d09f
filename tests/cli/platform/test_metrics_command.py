"""`aeon store metric list`: shown, exposed, defined and deleted, in a project's own graph (platform 18)."""

import json
import os
from pathlib import Path

import pytest

from aeon.base.errors import InputError
from aeon.bootstrap.platform import open_project_platform
from aeon.cli.platform.metrics import MetricsFilter, define_metric, delete_metric, show_metrics
from aeon.platform.errors import ForbiddenError, NotFoundError, ReferencedError, RuleError
from aeon.platform.metrics.model import NewMetricValue
from aeon.platform.metrics.service import Metrics
from aeon.settings import load_settings

pytestmark = pytest.mark.server

FILE = """
kind: Service
name: shop
type: rest_api
protocol: https
connectionSchema: {type: object, required: [endpoint]}
---
kind: Tool
name: item
service: shop
operation: {type: rest_request, path: "/items"}
inputSchema: {type: object}
connectionParams: {endpoint: "https://shop.invalid"}
"""
NEW = {"name": "tool.stars", "scope": "tool", "aggregation": "avg", "dataType": "float"}


def opened_platform():
    loaded = load_settings({}, os.environ, Path.cwd())
    return open_project_platform(Path.cwd(), loaded.settings, os.environ, loaded.from_project)


@pytest.fixture
def told(aeon, capsys):
    """`told(function, ...)`: what it wrote to stdout, on a graph where a tool was called three times."""
    Path("shop.yaml").write_text(FILE)
    assert aeon("apply", "-f", "shop.yaml").code == 0
    with opened_platform() as platform:
        item = platform.catalog.tools.find("me", "item")
        values = Metrics(platform.store, platform.catalog.ledger).values
        values.record([NewMetricValue("tool.calls", item.id, 1, {"userId": "me"})] * 3)
    capsys.readouterr()

    def call(function, *args, **named):
        assert function(*args, **named) == 0
        return capsys.readouterr().out

    return call


def show(told, name=None, user="me", *, as_prometheus=False, as_json=False, **asked):
    output = "json" if as_json else "table"
    return told(show_metrics, name, user, MetricsFilter(**asked), as_prometheus=as_prometheus, output=output)


def rows(text):
    """The rows of a table, their cells joined by one space."""
    return [" ".join(line.split()) for line in text.splitlines()[1:]]


def test_what_was_measured_is_shown(told):
    everything = show(told)
    assert "3 tool.calls tool sum" in rows(everything)
    assert "- tool.duration_ms tool avg" in rows(everything)
    assert rows(show(told, "tool.calls")) == ["3 item tool.calls tool sum"]
    assert rows(show(told, "tool.calls", entity="item", since="24h")) == ["3 item tool.calls tool sum"]
    assert show(told, scope="tool", entity="item").count("\n") == 6
    assert show(told, scope="service").count("\n") == 2
    (summary,) = json.loads(show(told, "tool.calls", as_json=True))
    assert summary["groups"][0]["values"] == 3
    text = show(told, as_prometheus=True)
    assert "# TYPE aeon_tool_calls gauge\naeon_tool_calls{tool_id=" in text
    assert ',tool="item"} 3\n' in text
    assert show(told, "tool.calls", since="2999-01-01T00:00:00Z") == ""


def test_another_user_s_things_are_not_shown(told):
    """Platform 2."""
    assert show(told, "tool.calls", "ann") == ""
    with pytest.raises(NotFoundError):
        show(told, "tool.calls", "ann", entity="item")


def test_a_metric_is_defined_changed_and_deleted_by_an_administrator(told):
    assert told(define_metric, NEW, "me", as_json=False) == "defined tool.stars of a tool\n"
    changed = told(define_metric, {**NEW, "retentionDays": 7}, "me", as_json=True)
    assert json.loads(changed)["retentionDays"] == 7
    with pytest.raises(RuleError, match="type float; a type never changes"):
        define_metric({**NEW, "dataType": "integer"}, "me", as_json=False)
    for call in (
        lambda: define_metric({**NEW, "name": "x"}, "ann", as_json=False),
        lambda: define_metric(NEW, "ann", as_json=False),
        lambda: delete_metric("tool.stars", None, "ann", is_cascading=False),
    ):
        with pytest.raises(ForbiddenError):
            call()
    with opened_platform() as platform:
        metrics = Metrics(platform.store, platform.catalog.ledger)
        item = platform.catalog.tools.find("me", "item")
        metrics.values.record([NewMetricValue(metrics.definitions.find("tool.stars").id, item.id, 4.5, {})])
    with pytest.raises(ReferencedError):
        delete_metric("tool.stars", "tool", "me", is_cascading=False)
    assert told(delete_metric, "tool.stars", "tool", "me", is_cascading=True) == "deleted tool.stars of a tool\n"


def test_what_cannot_be_asked_is_said_plainly(told):
    for asked, said in (
        ({"scope": "robot"}, "no scope 'robot'"),
        ({"since": "soon"}, "'soon' is not a time"),
        ({"entity": "item"}, "kind of the entity is unknown"),
    ):
        with pytest.raises(InputError, match=said) as refused:
            show(told, **asked)
        assert refused.value.advice
    with pytest.raises(NotFoundError, match="List the metrics"):
        show(told, "nothing")
