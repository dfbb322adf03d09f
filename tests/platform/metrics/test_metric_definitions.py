"""Metrics: an administrator defines them; names are unique, scope and type stay, values hold them (platform 18)."""

import pytest

from aeon.platform.errors import ConflictError, ForbiddenError, NotFoundError, ReferencedError, RuleError
from aeon.platform.ledger import MutationRequest
from aeon.platform.metrics import queries
from aeon.platform.metrics.definitions import RETENTION_DAYS, builtin_metrics
from aeon.platform.metrics.model import MetricChange, NewMetric
from aeon.platform.metrics.service import Metrics
from aeon.platform.store import InvariantError

NEW = {"scope": "tool", "aggregation": "sum", "dataType": "integer"}


def broken(rule, call, *args, **named):
    with pytest.raises(RuleError) as raised:
        call(*args, **named)
    assert raised.value.rule == rule
    return raised.value


def test_every_field_of_a_metric_comes_back(measured):
    metric = measured.metric(description="how far", retentionDays=7)
    assert measured.definitions.get(metric.id) == metric
    assert set(metric.as_dict()) == {
        "id",
        "name",
        "description",
        "scope",
        "aggregation",
        "dataType",
        "retentionDays",
        "version",
        "createdAt",
        "updatedAt",
    }
    assert metric in measured.definitions.list_all()


def test_only_an_administrator_defines_changes_and_deletes(measured):
    """Status 403: everybody may see them."""
    metric = measured.metric()
    request = MutationRequest(measured.me)
    for call, args in (
        (measured.definitions.add, (NewMetric.parsed({"name": "x", **NEW}), request)),
        (measured.definitions.change, (metric.id, MetricChange(description="x"), request)),
        (measured.definitions.remove, (metric.id, request)),
    ):
        with pytest.raises(ForbiddenError, match="Only an administrator") as refused:
            call(*args, is_admin=False)
        assert refused.value.status == 403
    assert measured.definitions.get(metric.id) == metric


def test_names_are_unique_within_a_scope(measured):
    """Two that an exposition could not tell apart are one."""
    metric = measured.metric()
    of_services = measured.metric(scope="service")
    same = {"name": metric.name, **NEW}
    for name in (metric.name, f"tool.{metric.name}", metric.name.replace(".", "_")):
        broken("name_unique", _added, measured, {**same, "name": name})
    other = _added(measured, {**same, "scope": "process"})
    broken(
        "name_unique",
        measured.definitions.change,
        of_services.id,
        MetricChange(name=_added(measured, {**NEW, "name": f"{metric.name}.x", "scope": "service"}).name),
        MutationRequest(measured.me),
        is_admin=True,
    )
    assert measured.definitions.find(metric.name, "process") == other
    assert measured.definitions.find(metric.name, "tool") == metric
    error = broken("scope_said", measured.definitions.find, metric.name)
    assert "a process, of a tool" in error.message
    with pytest.raises(NotFoundError):
        measured.definitions.find(metric.name, "conversation")


def test_the_scope_and_the_type_of_values_never_change(measured):
    """Platform 18."""
    for field in ("scope", "dataType", "id"):
        broken("schema", MetricChange.parsed, {field: "float"})
    metric = measured.metric(retentionDays=7, description="before")
    change = MetricChange.parsed({"retentionDays": None, "description": "after", "aggregation": "max"})
    after = measured.definitions.change(metric.id, change, MutationRequest(measured.me), is_admin=True)
    assert (after.retention_days, after.description, after.aggregation, after.version) == (None, "after", "max", 2)
    assert after.updated_at > metric.updated_at
    assert measured.definitions.get(metric.id) == after
    assert (
        measured.definitions.change(metric.id, MetricChange(), MutationRequest(measured.me), is_admin=True).name
        == after.name
    )


@pytest.mark.parametrize("name", ["", "Calls", "1st", "a..b", "a_", "a__b", "a b", "a.", "é", "a" * 101])
def test_a_name_is_of_small_words(name):
    broken("schema", NewMetric.parsed, {**NEW, "name": name})


@pytest.mark.parametrize(("kind", "wrong"), [("boolean", "sum"), ("boolean", "min"), ("timestamp", "avg")])
def test_an_aggregation_says_something_of_its_values(measured, kind, wrong):
    broken("aggregation_fits", measured.metric, aggregation=wrong, data_type=kind)
    metric = measured.metric(aggregation="last", data_type=kind)
    change = MetricChange(aggregation=wrong)
    broken(
        "aggregation_fits", measured.definitions.change, metric.id, change, MutationRequest(measured.me), is_admin=True
    )


def test_a_metric_with_values_is_deleted_with_them_or_not_at_all(measured):
    """Platform 18: nothing else goes with it."""
    metric, other = measured.metric(), measured.metric()
    measured.record(metric, 1, 2)
    measured.record(other, 3)
    with pytest.raises(ReferencedError, match="has values") as refused:
        measured.definitions.remove(metric.id, MutationRequest(measured.me), is_admin=True)
    assert refused.value.status == 409
    assert measured.total(metric) == 3
    measured.definitions.remove(metric.id, MutationRequest(measured.me), is_admin=True, cascade=True)
    with pytest.raises(NotFoundError):
        measured.definitions.get(metric.id)
    assert measured.total(metric) == 0
    assert measured.total(other) == 3
    empty = measured.metric()
    measured.definitions.remove(empty.id, MutationRequest(measured.me), is_admin=True)


def test_what_was_changed_in_the_meantime_is_not_written_over(measured, monkeypatch):
    metric = measured.metric()
    get = measured.definitions.get

    def overtaken(id_):
        found = get(id_)
        monkeypatch.setattr(measured.definitions, "get", get)
        measured.definitions.change(
            id_, MetricChange(description="theirs"), MutationRequest(measured.me), is_admin=True
        )
        return found

    monkeypatch.setattr(measured.definitions, "get", overtaken)
    with pytest.raises(ConflictError, match="changed in the meantime"):
        measured.definitions.change(
            metric.id, MetricChange(description="mine"), MutationRequest(measured.me), is_admin=True
        )
    assert get(metric.id).description == "theirs"


def test_a_repeated_request_gets_the_first_answer(measured):
    """Platform 20."""
    new = NewMetric.parsed({"name": f"again.{measured.world._number}.x".replace(".", "_a"), **NEW})
    request = MutationRequest(measured.me, "key")
    first = measured.definitions.add(new, request, is_admin=True)
    assert measured.definitions.add(new, request, is_admin=True) == first
    change = MetricChange(description="once")
    for _ in range(2):
        asked = MutationRequest(measured.me, "change")
        assert measured.definitions.change(first.id, change, asked, is_admin=True).version == 2
    for _ in range(2):
        measured.definitions.remove(first.id, MutationRequest(measured.me, "away"), is_admin=True)


def test_who_did_what_is_in_the_audit_trail(measured):
    """Platform 19."""
    metric = measured.metric()
    request = MutationRequest(measured.me)
    measured.definitions.change(metric.id, MetricChange(retention_days=3), request, is_admin=True)
    measured.definitions.remove(metric.id, request, is_admin=True)
    ledger = measured.world.catalog.ledger
    told = [entry for entry in ledger.audit_log(measured.me) if entry["subject"] == metric.id]
    assert [entry["action"] for entry in told] == ["metric.create", "metric.change", "metric.delete"]
    assert '"fields":["retentionDays"]' in told[1]["details"]
    assert {entry["actorId"] for entry in told} == {measured.me}
    assert next(entry for entry in ledger.audit_log("aeon") if entry["subject"] == metric.id)["actorId"] == measured.me
    assert ledger.verify_audit_log("aeon") is None


def test_what_aeon_records_itself_is_there_from_the_start_and_stays(measured):
    there = {metric.id: metric for metric in measured.definitions.list_all()}
    assert len(builtin_metrics()) == 10
    for metric in builtin_metrics():
        assert there[metric.name].retention_days == RETENTION_DAYS
    error = broken(
        "builtin_stays",
        measured.definitions.remove,
        "tool.calls",
        MutationRequest(measured.me),
        is_admin=True,
        cascade=True,
    )
    assert error.advice


def test_an_administrator_s_change_of_what_aeon_brings_stays(measured):
    definitions, request = measured.definitions, MutationRequest(measured.me)
    definitions.change("process.runs", MetricChange(retention_days=1), request, is_admin=True)
    again = Metrics(measured.store, measured.world.catalog.ledger).definitions
    assert again.get("process.runs").retention_days == 1
    definitions.change("process.runs", MetricChange(retention_days=RETENTION_DAYS), request, is_admin=True)


def test_no_query_changes_a_value(measured):
    """Platform 18, append-only: what writes a value inserts it, and the database refuses to change one afterwards."""
    texts = {name: text for name, text in vars(queries).items() if name.isupper() and isinstance(text, str)}
    verbs = {name: text.split()[0] for name, text in texts.items() if "metric_values" in text}
    writing = {name: verb for name, verb in verbs.items() if verb != "SELECT"}
    assert writing == {"ADD_VALUE": "INSERT", "DELETE_VALUES": "DELETE", "PRUNE": "DELETE"}
    metric = measured.metric()
    measured.record(metric, 1)
    change = "UPDATE metric_values SET number = 2 WHERE metric_id = :id"
    with pytest.raises(InvariantError):
        measured.store.update(lambda unit: unit.write(change, {"id": metric.id}))
    assert measured.total(metric) == 1


def _added(measured, new):
    return measured.definitions.add(NewMetric.parsed(new), MutationRequest(measured.me), is_admin=True)
