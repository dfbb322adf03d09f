"""The page of metrics: values over time and by a dimension, as drawings and as tables."""

import re

import pytest
from tests.application.conftest import STORED
from tests.server.web.test_things import said

from aeon.platform.metrics.model import NewMetricValue
from aeon.server.web.charts import draw_columns, show_number

pytestmark = pytest.mark.server


@pytest.fixture
def own(site):
    """The workspace of the user, in which a Process and a tool were measured."""
    made = site.workspaces.of("me")
    made.documents.apply(STORED)
    for number, phase in ((3, "completed"), (1, "failed")):
        process = made.processes.get("greet").id
        values = [NewMetricValue("process.runs", process, 1, {"phase": phase, "userId": "me"})] * number
        made.metrics._metrics.values.record(values)
    return made


@pytest.fixture
def me(site, own):
    """A signed-in browser of the user."""
    return site.browser("me")


def test_all_metrics_are_listed_with_their_values_in_the_window_platform_18(me):
    shown = said(me.get("/charts"))
    assert "process.runs 4 4 sum · Runs of the process that ended." in shown
    assert "tool.duration_ms - 0 avg" in shown


def test_a_metric_is_drawn_over_time_and_told_in_a_table(me):
    answer = me.get("/charts?metric=process.runs&window=24h")
    assert answer.text.count("<rect") == 1, "all was measured in the last hour"
    assert 'y="0.0"' in answer.text
    rows = re.findall(r"<tr><td>[^<]*</td><td>([^<]*)</td><td>([^<]*)</td></tr>", answer.text)
    assert len(rows) == 24
    assert rows[-1] == ("4", "4")
    assert "Columns from 0 to 4" in answer.text


def test_a_metric_is_divided_by_a_dimension_that_the_address_names(me, own):
    shown = said(me.get("/charts?metric=process.runs&by=phase"))
    assert re.search(r"completed 3 3 failed 1 1", shown)
    answer = me.get("/charts?metric=process.runs&by=entityId")
    assert re.search(r"greet 4 4", said(answer))
    one = re.search(r'href="(/charts\?[^"]*entity=[^"]*)"', answer.text)[1].replace("&amp;", "&")
    assert own.processes.get("greet").id in said(me.get(one))


def test_what_does_not_exist_is_said(me):
    assert me.get("/charts?metric=no.such").status_code == 404
    assert me.get("/charts?window=99y").status_code == 422
    assert me.get("/charts?metric=process.runs&entity=nothing").status_code == 404


def test_another_user_sees_only_their_own_values_platform_2(site, own):
    eve = site.browser("eve")
    assert "process.runs 0 0" in said(eve.get("/charts"))
    process = own.processes.get("greet").id
    assert eve.get(f"/charts?metric=process.runs&entity={process}").status_code == 404


def test_columns_stand_on_zero_whatever_their_signs():
    chart = draw_columns([("a", 3, 1), ("b", -1, 1), ("c", None, 0), ("d", "2026-01-01", 1)], "en")
    assert (chart.high, chart.low, chart.zero) == ("3", "-1", 150)
    assert [(bar.y, bar.height) for bar in chart.bars] == [(0, 150), (150, 50), (150, 0), (150, 0)]
    assert draw_columns([], "en").bars == []


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "-"), (3, "3"), (1234567, "1,234,567"), (2.0, "2"), (12.345, "12.3"), (0.01234, "0.0123"), (True, "True")],
)
def test_a_number_is_shown_short(value, shown):
    assert show_number(value, "en") == shown


def test_german_pages_have_german_numbers(me, own):
    tool = own.tools.get("mine").id
    own.metrics._metrics.values.record([NewMetricValue("tool.duration_ms", tool, 1234.5, {})])
    shown = [show_number(value, "de") for value in (1234.5, 0.25, 4_000_000, None)]
    assert shown == ["1.234,5", "0,25", "4.000.000", "-"]
    for address in ("/charts", "/charts?metric=tool.duration_ms", "/charts?metric=tool.duration_ms&by=entityId"):
        assert "1.234,5" in me.get(address, headers={"accept-language": "de"}).text, address
        assert "1,234.5" in me.get(address).text, address
