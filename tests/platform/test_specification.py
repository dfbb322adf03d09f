"""The record against the specification: every property and edge by its name, and whether it may change.

The tables are written from `platform-foundation.md`, for the entities that there are so far. What a rule overrides
stands in `OVERRIDDEN`, with the rule.
"""

import pytest
from tests.platform.stored_processes import Storing, step

from aeon.base.json import parse_strict
from aeon.platform.graph_types import GRAPH_SCHEMA
from aeon.platform.ledger import MutationRequest
from aeon.platform.metrics.model import NewMetric, NewMetricValue
from aeon.platform.metrics.service import Metrics
from aeon.platform.store import InvariantError
from aeon.platform.workers.registry import WorkerRegistry

from .conftest import World

FIXED, FREE, UNSAID = "immutable", "mutable", "of which nothing is said"

TEMPLATE = {
    "id": FIXED,
    "ownerId": FIXED,
    "name": FIXED,
    "description": FIXED,
    "shared": FREE,
    "archived": FREE,
    "createdAt": UNSAID,
    "updatedAt": UNSAID,
}

ENTITIES = {
    "Service": {
        "id": FIXED,
        "name": FREE,
        "type": FIXED,
        "connectionSchema": FREE,
        "protocol": FIXED,
        "requiresSecret": FIXED,
        "enabled": FREE,
        "status": FREE,
        "lastHealthCheck": UNSAID,
        "errorMessage": UNSAID,
        "createdAt": UNSAID,
        "updatedAt": UNSAID,
        "shared": FREE,
        "serviceTemplateId": FIXED,
    },
    "Secret": {
        "id": FIXED,
        "name": FREE,
        "type": FIXED,
        "encryptedValue": FIXED,
        "createdAt": UNSAID,
        "updatedAt": UNSAID,
        "shared": FREE,
    },
    "Tool": {
        "id": FIXED,
        "name": FREE,
        "connectionParams": FREE,
        "operation": FREE,
        "inputSchema": FREE,
        "outputSchema": FREE,
        "enabled": FREE,
        "status": FREE,
        "lastHealthCheck": FREE,
        "errorMessage": FREE,
        "createdAt": UNSAID,
        "updatedAt": UNSAID,
        "shared": FREE,
        "toolTemplateId": FIXED,
    },
    "ServiceTemplate": {
        **TEMPLATE,
        "type": FIXED,
        "protocol": FIXED,
        "connectionSchema": FIXED,
        "requiresSecret": FIXED,
    },
    "ToolTemplate": {**TEMPLATE, "operation": FIXED, "inputSchema": FIXED, "outputSchema": FIXED},
    "Process": {
        "id": UNSAID,
        "name": FREE,
        "description": FREE,
        "initialContext": FREE,
        "steps": FREE,
        "outputTemplate": FREE,
        "tokenBudget": FREE,
        "maxRecursionDepth": UNSAID,
        "enabled": FREE,
        "createdAt": UNSAID,
        "updatedAt": UNSAID,
    },
    "ProcessStep": {
        "id": FIXED,
        "inputs": FIXED,
        "output.variable": FIXED,
        "output.tokenBudget": FIXED,
        "output.required": FIXED,
        "execution.mode": FIXED,
        "execution.condition": FIXED,
        "execution.timeout": FIXED,
        "execution.interactionMode": FIXED,
    },
    "MetricDefinition": {
        "id": UNSAID,
        "name": FREE,
        "description": FREE,
        "scope": FIXED,
        "aggregation": FREE,
        "dataType": FIXED,
        "retentionDays": FREE,
        "createdAt": UNSAID,
        "updatedAt": UNSAID,
    },
    "MetricValue": {
        "metricId": FIXED,
        "entityId": FIXED,
        "value": FIXED,
        "timestamp": FIXED,
        "dimensions": FIXED,
    },
    "Worker": {
        "id": FIXED,
        "type": UNSAID,
        "status": FREE,
        "currentJobId": FREE,
        "lastHeartbeat": FREE,
        "processedCount": FREE,
        "errorCount": FREE,
        "createdAt": UNSAID,
        "updatedAt": UNSAID,
    },
}
"""Steps change only with their Process, as a whole; values of metrics are appended; platform 18 fixes `dataType`."""

EDGES = {
    ("Service", "OWNED_BY", "User"): {"created_at": UNSAID},
    ("Secret", "OWNED_BY", "User"): {"created_at": UNSAID},
    ("Tool", "OWNED_BY", "User"): {"created_at": UNSAID},
    ("Tool", "USES_SERVICE", "Service"): {"connectionParams": FREE},
    ("Tool", "USES_SECRET", "Secret"): {"scope": UNSAID},
    ("Process", "OWNED_BY", "User"): {"created_at": UNSAID},
    ("ProcessStep", "CALLS_TOOL", "Tool"): {"timeout": FIXED, "interactionMode": FIXED},
    ("ProcessStep", "CALLS_PROCESS", "Process"): {"timeout": FIXED},
    ("ProcessStep", "DEPENDS_ON", "ProcessStep"): {"order": FIXED},
    ("Worker", "PROCESSES", "ProcessStep"): {},
    ("Worker", "EXECUTES", "Tool"): {},
}

TARGETS = {edge: FREE if edge[1] in ("USES_SECRET", "PROCESSES", "EXECUTES") else FIXED for edge in EDGES}
"""A worker has the edges of its current job."""

LISTS = {"initialContext"}
OBJECTS = {"connectionSchema", "operation", "inputSchema", "outputSchema", "inputs", "dimensions", "connectionParams"}
BOOLEANS = {"requiresSecret", "enabled", "shared", "archived", "output.required"}

OVERRIDDEN = {
    ("Secret", "encryptedValue"): "platform 3: the vault alone holds it, and `vaultVersion` says which value it is",
    ("Tool", "connectionParams"): "the edge USES_SERVICE carries them, as the specification says there",
    ("Process", "steps"): "edges HAS_STEP carry their order: a step is a node of its own",
    ("ServiceTemplate", "name"): "mutable: Valid Mutations of the same entity",
    ("ServiceTemplate", "description"): "mutable: Valid Mutations of the same entity",
    ("ToolTemplate", "name"): "mutable: Valid Mutations of the same entity",
    ("ToolTemplate", "description"): "mutable: Valid Mutations of the same entity",
}

PROPERTIES = [(label, name) for label, said in ENTITIES.items() for name in said]
KEPT = [each for each in PROPERTIES if each not in OVERRIDDEN or OVERRIDDEN[each].startswith("mutable")]
FIXED_PROPERTIES = [each for each in PROPERTIES if ENTITIES[each[0]][each[1]] == FIXED and each not in OVERRIDDEN]
FREE_PROPERTIES = [
    each for each in KEPT if ENTITIES[each[0]][each[1]] == FREE or OVERRIDDEN.get(each, "").startswith("mutable")
]
KEPT_EDGES = [each for each in EDGES if each not in OVERRIDDEN]
EDGE_PROPERTIES = [(*edge, name) for edge in KEPT_EDGES for name, said in EDGES[edge].items() if said != UNSAID]

CONNECTION = {"endpoint": "http://127.0.0.1"}
VALUES = {"integer": 5, "float": 0.1, "boolean": True, "timestamp": "2026-01-01T01:00:00+01:00"}
SHOWN_VALUES = {**VALUES, "timestamp": "2026-01-01T00:00:00.000000+00:00"}

NODE = "SELECT properties FROM graph_node WHERE label = :label AND id = :id"
EDGE = """
SELECT to_id, properties FROM graph_edge
WHERE from_label = :source AND from_id = :id AND type = :type AND to_label = :target
"""

ANOTHER = {
    ("Service", "status"): "down",
    ("Tool", "status"): "down",
    ("MetricDefinition", "aggregation"): "count",
    ("Worker", "status"): "offline",
}
"""Values that what may change can have, where not every text is one."""


class TakenBackError(Exception):
    """A change was accepted, and is not kept."""


class Shown:
    """A record with one of everything, made by the domain. `ids` are those of nodes that have every edge."""

    def __init__(self, store):
        self.store, self.world = store, World(store)
        self.user = user = self.world.user("ann")
        catalog, storing = self.world.catalog, Storing(self.world)
        template, tool_template = self.world.service_template(user, requiresSecret=True), self.world.tool_template(user)
        service = catalog.service_from(template.id, {"name": "api"}, MutationRequest(user))
        secret, other_secret = self.world.secret(user), self.world.secret(user, name="other")
        own = {"name": "get", "serviceId": service.id, "secretId": secret.id, "secretScope": "read"}
        tool = catalog.tool_from(tool_template.id, {**own, "connectionParams": CONNECTION}, MutationRequest(user))
        callee = storing.add(user, step("only", tool=tool.id, inputs={"id": "x"}), name="callee")
        first = step("first", tool=tool.id, inputs={"id": "x"})
        caller = storing.add(user, first, step("then", process=callee.id, after=["first"]), name="caller")
        self.metrics = {kind: self._measured(kind, value, tool) for kind, value in VALUES.items()}
        metric, value = self.metrics["integer"]
        self.ids = {
            "Service": service.id,
            "Secret": secret.id,
            "Tool": tool.id,
            "ServiceTemplate": template.id,
            "ToolTemplate": tool_template.id,
            "Process": caller.id,
            "ProcessStep": f"{caller.id}/then",
            "MetricDefinition": metric,
            "MetricValue": value,
            "Worker": self._worker(caller, tool),
        }
        self.first = f"{caller.id}/first"
        self.others = {"Secret": other_secret.id, "User": self.world.user("bob"), "Process": caller.id}

    def _measured(self, kind, value, tool):
        name = f"{kind}.n{self.user.rpartition('-')[2]}"
        new = {"name": name, "scope": "tool", "aggregation": "last", "dataType": kind, "retentionDays": 9}
        metrics = Metrics(self.store, self.world.catalog.ledger)
        metric = metrics.definitions.add(NewMetric.parsed(new), MutationRequest(self.user), is_admin=True)
        metrics.values.record([NewMetricValue(metric.id, tool.id, value, {"userId": self.user})])
        (row,) = self.store.read("SELECT id FROM metric_values WHERE metric_id = :id", {"id": metric.id})
        return metric.id, row["id"]

    def _worker(self, process, tool):
        registry, executor = WorkerRegistry(self.store, self.world.clock), f"executor of {self.user}"
        (worker,) = registry.register(executor, {"rest_api": 1}, [])
        job = {"current_process_id": process.id, "current_step_id": "first", "current_tool_id": tool.id}
        registry.heartbeat(executor, [worker.model_copy(update={"status": "busy", "current_job_id": "job", **job})])
        return worker.id

    def node(self, label, id_=None):
        (row,) = self.store.read(NODE, {"label": label, "id": id_ or self.ids[label]})
        return parse_strict(row["properties"])

    def source(self, kind, label):
        return self.first if kind == "CALLS_TOOL" else self.ids[label]

    def edge(self, source, kind, target):
        params = {"source": source, "id": self.source(kind, source), "type": kind, "target": target}
        (row,) = self.store.read(EDGE, params)
        return row["to_id"], parse_strict(row["properties"])

    def change(self, table, key, id_, column, value):
        """Change a column past the domain. Raises InvariantError, or TakenBackError where it was accepted."""
        parts = dict(zip(key, id_.split("/", len(key) - 1), strict=True))
        where = " AND ".join(f"{name} = :key_{name}" for name in parts)
        params = {"value": value, **{f"key_{name}": part for name, part in parts.items()}}

        def work(unit):
            query = f"UPDATE {table} SET {column} = :value WHERE {where}"  # the test's own
            assert unit.write(query, params), "there is such a row"
            raise TakenBackError

        self.store.update(work)

    def another(self, kind, label, name):
        """Another value than the one that a property has, as its column holds it."""
        column, now = kind.properties.get(name, ""), self.node(label)[name] if label else None
        if (label, name) in ANOTHER:
            return ANOTHER[label, name]
        if column in kind.json:
            return '["another"]' if name in LISTS else '{"another":1}'
        if column in kind.booleans:
            return int(not now)
        return 7 if column in kind.numbers or not column else f"{now} another"


@pytest.fixture(scope="module")
def shown(store):
    return Shown(store)


@pytest.mark.parametrize(("label", "name"), KEPT)
def test_a_node_shows_every_property_by_its_name_as_what_it_is(shown, label, name):
    value = shown.node(label)[name]
    if name in LISTS | OBJECTS | BOOLEANS:
        assert isinstance(value, list if name in LISTS else dict if name in OBJECTS else bool)


def test_what_stands_elsewhere_stands_there(shown):
    """Platform 3, and the edges that carry what a node does not."""
    assert shown.node("Secret")["vaultVersion"] >= 1
    assert "encryptedValue" not in shown.node("Secret")
    assert shown.edge("Tool", "USES_SERVICE", "Service")[1]["connectionParams"] == CONNECTION
    steps = {"source": "Process", "id": shown.ids["Process"], "type": "HAS_STEP", "target": "ProcessStep"}
    orders = {row["to_id"]: parse_strict(row["properties"])["order"] for row in shown.store.read(EDGE, steps)}
    assert orders == {shown.first: 0, shown.ids["ProcessStep"]: 1}


@pytest.mark.parametrize("kind", VALUES)
def test_a_value_is_of_its_metrics_type(shown, kind):
    value = shown.node("MetricValue", shown.metrics[kind][1])["value"]
    assert value == SHOWN_VALUES[kind]
    assert type(value) is type(SHOWN_VALUES[kind])


@pytest.mark.parametrize(("source", "kind", "target"), KEPT_EDGES)
def test_a_node_has_every_edge_with_its_properties(shown, source, kind, target):
    id_, properties = shown.edge(source, kind, target)
    assert properties.keys() == EDGES[source, kind, target].keys()
    assert shown.node(target, id_)


@pytest.mark.parametrize(("label", "name"), FIXED_PROPERTIES)
def test_the_store_refuses_to_change_what_is_immutable(shown, label, name):
    node = GRAPH_SCHEMA.nodes[label]
    column = node.properties.get(name, "number")
    with pytest.raises(InvariantError, match="immutable"):
        shown.change(node.table, node.key, shown.ids[label], column, shown.another(node, label, name))


@pytest.mark.parametrize(("label", "name"), FREE_PROPERTIES)
def test_the_store_lets_what_is_mutable_change(shown, label, name):
    node = GRAPH_SCHEMA.nodes[label]
    with pytest.raises(TakenBackError):
        shown.change(node.table, node.key, shown.ids[label], node.properties[name], shown.another(node, label, name))


@pytest.mark.parametrize(("source", "kind", "target"), KEPT_EDGES)
def test_the_target_of_an_edge_changes_only_where_it_may(shown, source, kind, target):
    edge = GRAPH_SCHEMA.edges[kind, source, target]
    column = next(column for column in edge.target_columns if column not in edge.source_columns)
    other = 0 if edge.key else shown.others.get(target, "another")
    table, key, id_ = place(shown, edge)
    with pytest.raises(InvariantError if TARGETS[source, kind, target] == FIXED else TakenBackError):
        shown.change(table, key, id_, column, other)


@pytest.mark.parametrize(("source", "kind", "target", "name"), EDGE_PROPERTIES)
def test_a_property_of_an_edge_changes_only_where_it_may(shown, source, kind, target, name):
    edge = GRAPH_SCHEMA.edges[kind, source, target]
    table, key, id_ = place(shown, edge)
    with pytest.raises(InvariantError if EDGES[source, kind, target][name] == FIXED else TakenBackError):
        shown.change(table, key, id_, edge.properties[name], shown.another(edge, "", name))


def place(shown, edge):
    """The table, key and id of an edge's row."""
    if edge.key:
        return edge.table, ("process_id",), shown.ids["Process"]
    return edge.table, GRAPH_SCHEMA.nodes[edge.source].key, shown.source(edge.type, edge.source)
