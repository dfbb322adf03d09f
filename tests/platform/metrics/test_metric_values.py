"""Values: appended whole or not at all, typed, seen by whom they concern, gone when their time is over (platform 18)."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.base.clock import normalize_instant
from aeon.platform.errors import NotFoundError, RuleError
from aeon.platform.ledger import MutationRequest
from aeon.platform.metrics.model import MetricChange, NewMetricValue
from aeon.platform.metrics.rules import MAX_INTEGER

TYPED = {
    "integer": (3, [True, 2.5, "3", None, MAX_INTEGER + 1]),
    "float": (2.5, [True, float("nan"), float("inf"), "2.5", None]),
    "boolean": (True, [1, 0, "true", None]),
    "timestamp": (
        "2026-01-01T12:00:00+02:00",
        [0, "yesterday", "2026-01-01T12:00:00", "", "9999-12-31T23:59:59-23:59"],
    ),
}


@pytest.mark.parametrize("data_type", TYPED)
def test_a_value_is_of_its_metric_s_type(measured, data_type):
    """Platform 18; an integer will do for a float."""
    metric = measured.metric(aggregation="last", data_type=data_type)
    right, wrong = TYPED[data_type]
    for value in wrong:
        with pytest.raises(RuleError, match=rf"\$\[1\].value: it is not of type {data_type}") as refused:
            measured.record(metric, right, value)
        assert refused.value.field == "$[1].value"
    assert measured.summary(metric).groups[0].values == 0
    measured.record(metric, right)
    expected = "2026-01-01T10:00:00.000000+00:00" if data_type == "timestamp" else right
    assert (measured.total(metric), type(measured.total(metric))) == (expected, type(right))
    if data_type == "float":
        measured.record(metric, 4)
        assert type(measured.total(metric)) is float


def test_a_batch_is_recorded_whole_or_not_at_all(measured):
    """Its metrics and entities must exist, each entity of its metric's scope."""
    metric, of_services = measured.metric(), measured.metric(scope="service")
    good = NewMetricValue(metric.id, measured.tool.id, 1, {})
    gone = measured.metric()
    measured.record(gone, 1)
    measured.definitions.remove(gone.id, MutationRequest(measured.me), is_admin=True, cascade=True)
    for bad in (
        NewMetricValue(gone.id, measured.tool.id, 1, {}),
        NewMetricValue(metric.id, "nothing", 1, {}),
        NewMetricValue(metric.id, measured.service.id, 1, {}),
        NewMetricValue(of_services.id, measured.tool.id, 1, {}),
    ):
        with pytest.raises(NotFoundError, match="No value was recorded"):
            measured.values.record([good, bad])
    with pytest.raises(RuleError, match="there is no metric"):
        measured.values.record([good, NewMetricValue("unknown", measured.tool.id, 1, {})])
    with pytest.raises(RuleError, match="there is no metric"):
        measured.values.record([NewMetricValue(gone.id, measured.tool.id, 1, {})])
    assert measured.summary(metric).groups[0].values == 0
    measured.values.record([])
    measured.values.record([good, NewMetricValue(of_services.id, measured.service.id, 5, {}), good])
    assert (measured.total(metric), measured.total(of_services)) == (2, 5)


ADD_DEFINITION = "INSERT INTO definitions (digest, text, created_at) VALUES (:id, '', '')"
ADD_PROCESS = """
INSERT INTO processes (id, owner_id, name, description, initial_context, output_template, max_recursion_depth, enabled,
                       digest, shared, version, created_at, updated_at)
VALUES (:id, :user, 'p', '', '{}', '', 5, 1, :id, 0, 1, '', '')
"""


def test_a_process_is_measured_too(measured):
    params = {"user": measured.me, "id": f"process-{measured.world._number}"}
    measured.store.update(lambda unit: [unit.write(query, params) for query in (ADD_DEFINITION, ADD_PROCESS)])
    metric = measured.metric(scope="process")
    measured.values.record([NewMetricValue(metric.id, params["id"], 4, {})])
    (group,) = measured.summary(metric, by="entityId").groups
    assert (group.label, group.name, group.value) == (params["id"], "p", 4)
    with pytest.raises(NotFoundError):
        measured.summary(metric, measured.world.user("stranger"), entity=params["id"])


def test_there_are_no_conversations_to_measure_yet(measured):
    metric = measured.metric(scope="conversation")
    for id_ in ("none", measured.tool.id):
        with pytest.raises(NotFoundError, match="No value was recorded"):
            measured.values.record([NewMetricValue(metric.id, id_, 4, {})])
        with pytest.raises(NotFoundError):
            measured.summary(metric, entity=id_)
    assert measured.summary(metric, by="entityId").groups == []


@pytest.mark.parametrize(
    "dimensions",
    [
        {"entityId": "x"},
        {"": "x"},
        {"a-b": "x"},
        {"a": ""},
        {"a": "x" * 201},
        {"a": "two\nlines"},
        {"a": 5},
        {f"d{number}": "x" for number in range(11)},
    ],
)
def test_dimensions_are_a_few_plain_words(measured, dimensions):
    """Platform 3: what is refused is not repeated."""
    metric = measured.metric()
    with pytest.raises(RuleError, match=r"\$\[0\].dimensions") as refused:
        measured.values.record([NewMetricValue(metric.id, measured.tool.id, 1, dimensions)])
    assert "xx" not in refused.value.message
    assert measured.summary(metric).groups[0].values == 0


def test_everything_wrong_with_a_batch_is_said_at_once(measured):
    metric = measured.metric()
    with pytest.raises(RuleError, match=r"\$\[0\].*\$\[1\].*and 30 more") as refused:
        measured.record(metric, *["canary"] * 50)
    assert "canary" not in refused.value.message
    with pytest.raises(RuleError, match="too many for one batch"):
        measured.record(metric, *[1] * 10_001)


def test_each_aggregation_says_what_its_name_says(measured):
    values = [5, -3, 10, 4]
    expected = {"sum": 16, "avg": 4.0, "min": -3, "max": 10, "count": 4, "last": 4}
    for aggregation, outcome in expected.items():
        metric = measured.metric(aggregation=aggregation)
        assert measured.total(metric) == (0 if aggregation in ("sum", "count") else None)
        measured.record(metric, *values[:2])
        measured.record(metric, *values[2:])
        assert measured.total(metric) == outcome
    day, next_day = "2026-03-01T00:00:00+00:00", "2026-03-02T00:00:00+00:00"
    latest = measured.metric(aggregation="max", data_type="timestamp")
    measured.record(latest, next_day, day)
    assert measured.total(latest) == normalize_instant(next_day)
    flag = measured.metric(aggregation="last", data_type="boolean")
    measured.record(flag, True, False)
    assert measured.total(flag) is False


def test_values_are_divided_by_a_dimension_or_by_their_entities(measured):
    metric = measured.metric()
    second = measured.world.tool(measured.me, measured.service, name="second")
    measured.record(metric, 1, 2, model="a")
    measured.record(metric, 4, model="b", entity=second)
    measured.record(metric, 8)
    assert measured.by(metric, "model") == {None: 8, "a": 3, "b": 4}
    assert measured.by(metric, "model", entity=measured.tool.id) == {None: 8, "a": 3}
    assert measured.by(metric, "entityId") == {measured.tool.id: 11, second.id: 4}
    assert measured.by(metric, "absent") == {None: 15}
    assert measured.total(metric, entity=second.id) == 4
    last = measured.metric(aggregation="last")
    measured.record(last, 1, 2, model="a")
    measured.record(last, 3, 4, model="b")
    assert measured.by(last, "model") == {"a": 2, "b": 4}


def test_a_span_of_time_begins_with_its_first_instant_and_ends_before_its_last(measured):
    metric = measured.metric()
    measured.record(metric, 1)
    first = measured.store.read("SELECT at FROM metric_values WHERE metric_id = :id", {"id": metric.id})[0]["at"]
    measured.record(metric, 2)
    later = (datetime.fromisoformat(first) + timedelta(microseconds=1)).isoformat()
    assert measured.total(metric, since=first) == 3
    assert measured.total(metric, since=later) == 2
    assert measured.total(metric, until=later) == 1
    assert measured.total(metric, until=first, entity=measured.tool.id) == 0
    elsewhere = datetime.fromisoformat(later).astimezone().isoformat()
    assert measured.total(metric, since=elsewhere, entity=measured.tool.id) == 2
    with pytest.raises(RuleError, match="since is not an ISO 8601 instant"):
        measured.summary(metric, since="24h")


def test_what_is_measured_is_seen_by_whom_it_concerns(measured):
    """Platform 2: a thing's owner sees it all, others what they did themselves and what is nobody's doing."""
    world = measured.world
    other, stranger = world.user("other"), world.user("stranger")
    service = world.service(measured.me, name="shared", shared=True)
    tool = world.tool(measured.me, service, name="shared", shared=True)
    metric = measured.metric()
    measured.record(metric, 1, entity=tool, userId=measured.me)
    measured.record(metric, 2, entity=tool, userId=other)
    measured.record(metric, 4, entity=tool)
    measured.record(metric, 8, userId=other)
    measured.record(metric, 16, userId=measured.me)
    assert measured.total(metric) == 31
    assert measured.by(metric, "userId") == {None: 4, measured.me: 17, other: 10}
    assert measured.total(metric, other) == 14
    assert measured.by(metric, "userId", other) == {None: 4, other: 10}
    assert measured.total(metric, stranger) == 4
    assert measured.total(metric, other, entity=measured.tool.id) == 8
    with pytest.raises(NotFoundError) as hidden:
        measured.summary(metric, stranger, entity=measured.tool.id)
    with pytest.raises(NotFoundError) as absent:
        measured.summary(metric, stranger, entity="none")
    assert hidden.value.message.replace(measured.tool.id, "none") == absent.value.message
    assert [group.name for group in measured.summary(metric, other, by="entityId").groups if group.name] == ["shared"]


def test_what_was_deleted_keeps_its_values(measured):
    """They go by retention alone; only who did it sees them, for nobody is their owner any more."""
    metric = measured.metric()
    tool = measured.world.tool(measured.me, measured.service, name="short-lived")
    measured.record(metric, 1, entity=tool, userId=measured.me)
    measured.record(metric, 2, entity=tool)
    measured.world.catalog.tools.remove(tool.id, MutationRequest(measured.me))
    assert measured.total(metric) == 1
    assert measured.by(metric, "entityId") == {tool.id: 1}


def test_values_are_deleted_when_their_time_is_over_and_never_else(measured):
    """Platform 18."""
    short, long, ever = measured.metric(retentionDays=1), measured.metric(retentionDays=30), measured.metric()
    for metric in (short, long, ever):
        measured.record(metric, 1)
    measured.clock.sleep(86_400)
    for metric in (short, long, ever):
        measured.record(metric, 2)
    assert measured.values.prune(measured.clock.now()) >= 1
    assert [measured.total(metric) for metric in (short, long, ever)] == [2, 3, 3]
    measured.definitions.change(long.id, MetricChange(retention_days=1), MutationRequest(measured.me), is_admin=True)
    measured.values.prune(measured.clock.now())
    assert [measured.total(metric) for metric in (short, long, ever)] == [2, 2, 3]


def test_a_metric_that_goes_while_values_come_leaves_none(measured):
    """Whichever comes first: values of no metric there never are."""
    for _ in range(5):
        metric = measured.metric()

        def record(metric=metric):
            with suppress(NotFoundError, RuleError):
                for _ in range(20):
                    measured.record(metric, 1)

        def remove(metric=metric):
            measured.definitions.remove(metric.id, MutationRequest(measured.me), is_admin=True, cascade=True)

        with ThreadPoolExecutor(3) as pool:
            for done in [pool.submit(record), pool.submit(remove), pool.submit(record)]:
                done.result()
        left = measured.store.read("SELECT id FROM metric_values WHERE metric_id = :id", {"id": metric.id})
        assert left == []


def test_two_who_record_at_once_lose_nothing(measured):
    metric = measured.metric()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: measured.record(metric, 1, 1), range(20)))
    assert measured.total(metric) == 40


def test_more_values_than_are_pruned_at_once(measured, monkeypatch):
    monkeypatch.setattr("aeon.platform.metrics.values._BATCH", 3)
    metric = measured.metric(retentionDays=1)
    measured.record(metric, *range(7))
    measured.clock.sleep(100_000)
    assert measured.values.prune(measured.clock.now()) >= 7
    assert measured.summary(metric).groups[0].values == 0


@given(st.datetimes(timezones=st.timezones()), st.datetimes(timezones=st.timezones()))
def test_instants_sort_as_they_follow_each_other(one, other):
    """So that the latest instant is the greatest text."""
    texts = normalize_instant(one.isoformat()), normalize_instant(other.isoformat())
    if None not in texts:
        assert (texts[0] < texts[1]) == (one.timestamp() < other.timestamp())
