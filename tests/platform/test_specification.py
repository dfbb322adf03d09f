"""The record against the specification: every property and edge by its name, and whether it may change.

The tables are written from `platform-foundation.md`, for the entities that there are so far. What a rule overrides
stands in `OVERRIDDEN`, with the rule.
"""

import pytest
from tests.platform.stored_processes import Storing, step

from aeon.base.json import parse_strict
from aeon.platform.conversations.model import NewConversation
from aeon.platform.conversations.repository import ConversationRepository
from aeon.platform.conversations.turns import EndedAnswer, Executor, TurnRepository
from aeon.platform.episodes.writing import OwnEpisode, add_own_episode, episode_id
from aeon.platform.graph_types import GRAPH_SCHEMA
from aeon.platform.knowledge.entities import NamedEntityRepository
from aeon.platform.knowledge.entity_forms import NewEntity
from aeon.platform.knowledge.extraction import ExtractionQueue
from aeon.platform.ledger import MutationRequest
from aeon.platform.metrics.model import NewMetric, NewMetricValue
from aeon.platform.metrics.service import Metrics
from aeon.platform.store import DuplicateError, GuardError, InvariantError
from aeon.platform.workers.registry import WorkerRegistry
from aeon.testing.store.rows import insertion, row_of

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
    "Conversation": {
        "id": FIXED,
        "title": FREE,
        "status": FREE,
        "createdAt": UNSAID,
        "updatedAt": UNSAID,
        # platform 22, 23 and 24
        "tipId": FREE,
        "version": UNSAID,
        "titleBy": FREE,
        "pinned": FREE,
        "tags": FREE,
        "contextBudget": FREE,
        "importKey": FIXED,
    },
    "ConversationTurn": {
        "id": FIXED,
        "speaker": FIXED,
        "turnType": FIXED,
        "content": FIXED,
        "timestamp": FIXED,
    },
    "Alternative": {
        "id": FIXED,
        "createdAt": FIXED,
        "hasChildren": UNSAID,
        "cacheStatus": UNSAID,
        # platform 11, 22 and 25: of one that has ended
        "conversationId": FIXED,
        "ownerId": FIXED,
        "content": FIXED,
        "contentHash": FIXED,
        "pathHash": FIXED,
        "state": FIXED,
        "model": FIXED,
        "usage": FIXED,
        "marks": FIXED,
        "processDigest": FIXED,
        "runId": FIXED,
        "endedAt": FIXED,
        "forgottenAt": UNSAID,
    },
    "Episode": {
        "uuid": FIXED,
        "name": FIXED,
        "content": FIXED,
        "groupId": FIXED,
        "source": UNSAID,
        "sourceDescription": UNSAID,
        "entityEdges": UNSAID,
        "validAt": FIXED,
        "createdAt": FIXED,
        # platform 28 and 34
        "extractedAt": UNSAID,
        "extractor": UNSAID,
        "forgottenAt": UNSAID,
    },
    "Entity": {
        "uuid": FIXED,
        "name": FREE,
        "entityType": UNSAID,
        "summary": FREE,
        "createdAt": FIXED,
        "validAt": FIXED,
        "groupId": UNSAID,
        "factIds": UNSAID,
        "entityEdgeIds": UNSAID,
        "sources": UNSAID,
        "facets": UNSAID,
        "enrichment": UNSAID,
        "enrichedAt": UNSAID,
        "enrichedBy": UNSAID,
        # platform 17, 28 and 37
        "madeBy": UNSAID,
        "categoryBy": UNSAID,
        "version": UNSAID,
        "updatedAt": UNSAID,
        "forgottenAt": UNSAID,
    },
    "Summary": {
        "id": FIXED,
        "compressionLevel": FIXED,
        "tokenCount": FREE,
        "createdAt": FIXED,
        # platform 38 and 45
        "pathDigest": FIXED,
        "firstAlternativeId": FIXED,
        "lastAlternativeId": FIXED,
        "deletedAt": UNSAID,
    },
    "Introspection": {
        "id": FIXED,
        "carouselPosition": UNSAID,
        "conversationContext": UNSAID,
        "createdAt": FIXED,
        # platform 39 and 45
        "version": FIXED,
        "createdBy": FIXED,
        "sources": UNSAID,
        "archivedAt": UNSAID,
    },
}
"""Steps change only with their Process, as a whole; values of metrics are appended; platform 18 fixes `dataType`.

What is beyond the specification in conversations and knowledge has the rule in a comment. The names of what Graphiti
manages, which the specification writes in snake case, are written like all others.
"""

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
    ("Conversation", "OWNED_BY", "User"): {"created_at": UNSAID},
    ("Conversation", "DEFAULT_PROCESS", "Process"): {"since": UNSAID},
    ("Conversation", "FORKED_FROM", "Conversation"): {"originTurn": FIXED, "originAlternative": FIXED},
    ("Conversation", "HAS_TURN", "ConversationTurn"): {"sequence": FIXED},
    ("ConversationTurn", "CHILD_OF", "ConversationTurn"): {"viaAlternative": FIXED},
    ("ConversationTurn", "HAS_ALTERNATIVE", "Alternative"): {"isActive": FREE, "sequence": FIXED},
    ("Alternative", "RESPONDS_TO", "Alternative"): {},
    ("Alternative", "EXECUTED_BY", "Process"): {"createdAt": UNSAID},
    ("Alternative", "HAS_CONTENT", "Episode"): {"source": UNSAID, "createdAt": UNSAID},
    ("Episode", "MENTIONS", "Entity"): {
        "name": UNSAID,
        "extractor": UNSAID,
        "confidence": UNSAID,
        "createdAt": UNSAID,
    },
    ("Conversation", "HAS_ACTIVE_ENTITY", "Entity"): {
        "addedAt": UNSAID,
        # platform 44
        "ownerId": UNSAID,
        "state": FREE,
        "includeSummary": FREE,
        "includeFacets": FREE,
        "includeRelationships": FREE,
    },
    ("Conversation", "HAS_SUMMARY", "Summary"): {},
    ("Summary", "SUMMARIZES", "Episode"): {"order": FIXED},
    ("Summary", "HAS_CONTENT", "Episode"): {"createdAt": FIXED, "n": FIXED, "createdBy": FIXED},
    ("Summary", "COVERS_UP_TO", "ConversationTurn"): {},
    ("Summary", "CREATED_BY_PROCESS", "Process"): {},
    ("Introspection", "HAS_CONTENT", "Episode"): {"createdAt": FIXED, "n": FIXED, "createdBy": FIXED},
}
"""A summary and an introspection have each of their contents by a HAS_CONTENT of its own, of which the last counts."""

ABSENT = {
    "HAS_FACT": "platform 35: a Fact leads to its subject and to its object",
    "RELATES_TO": "platform 35: a Fact leads to its subject and to its object",
    "TemporalFact": "platform 35: whether a fact holds is seen from a path, so it has no times of its own",
    "relevance": "platform 44: the newest episodes and the user decide which entities are active",
    "invalidAt": "platform 35: validity is never written on a fact",
    "WorkingMemory": "platform 14: it is computed, never stored",
    "hasChildren": "platform 22: it is derived when it is read",
    "cacheStatus": "platform 22: it is derived when it is read",
    "activeFor": "HAS_ALTERNATIVE.isActive is the sole truth, with a unique index",
    "childKey": "CHILD_OF.viaAlternative is unique",
    "recency": "the index of conversations has owner, status and time of change",
    "cost": "it stands in the run of the answer",
    "isTemporary": "platform 28: a temporary conversation is in memory alone",
    "unreadSince": "no door says yet what a user has read",
}
"""What the specification or the notes on it name of conversations and knowledge, and no store has."""

KNOWLEDGE = {"Episode", "Entity", "Fact", "Summary", "Introspection"}

TARGETS = {
    edge: FREE
    if edge[1] in ("USES_SECRET", "PROCESSES", "EXECUTES", "DEFAULT_PROCESS", "HAS_ACTIVE_ENTITY", "MENTIONS")
    else FIXED
    for edge in EDGES
}
"""A worker has the edges of its current job; of MENTIONS nothing is said."""

LISTS = {"initialContext", "tags", "marks", "sources"}
OBJECTS = {
    "connectionSchema",
    "operation",
    "inputSchema",
    "outputSchema",
    "inputs",
    "dimensions",
    "connectionParams",
    "usage",
    "facets",
    "enrichment",
}
BOOLEANS = {"requiresSecret", "enabled", "shared", "archived", "output.required", "pinned"}

OVERRIDDEN = {
    ("Secret", "encryptedValue"): "platform 3: the vault alone holds it, and `vaultVersion` says which value it is",
    ("Tool", "connectionParams"): "the edge USES_SERVICE carries them, as the specification says there",
    ("Process", "steps"): "edges HAS_STEP carry their order: a step is a node of its own",
    ("ServiceTemplate", "name"): "mutable: Valid Mutations of the same entity",
    ("ServiceTemplate", "description"): "mutable: Valid Mutations of the same entity",
    ("ToolTemplate", "name"): "mutable: Valid Mutations of the same entity",
    ("ToolTemplate", "description"): "mutable: Valid Mutations of the same entity",
    ("ConversationTurn", "content"): "platform 11: it stands on the alternative, and is written once",
    ("Alternative", "hasChildren"): "platform 22: derived when it is read",
    ("Alternative", "cacheStatus"): "platform 22: derived when it is read",
    ("Episode", "sourceDescription"): "platform 34: the name says of what it is, and `source` what it is",
    ("Episode", "entityEdges"): "edges MENTIONS carry them",
    ("Entity", "validAt"): "platform 35: times are those of the episodes that mention it",
    ("Entity", "groupId"): "platform 16 and 37: an entity is its user's, and not of one conversation",
    ("Entity", "factIds"): "edges HAS_SUBJECT and HAS_OBJECT lead to it",
    ("Entity", "entityEdgeIds"): "platform 35: what relates two entities is a Fact with edges to both",
    ("Entity", "sources"): "platform 17: each MENTIONS is one, with its name, extractor and confidence",
    ("Entity", "enrichedBy"): "the edge ENRICHED_BY leads to the Process",
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
    ("Conversation", "status"): "archived",
    ("Conversation", "titleBy"): "model",
    ("Alternative", "state"): "stopped",
    ("HAS_ACTIVE_ENTITY", "state"): "hidden",
}
"""Values that what may change can have, where not every text is one."""


ENRICH = """
UPDATE entities SET enrichment = :enrichment, enriched_at = :enriched_at, enriched_by = :enriched_by WHERE id = :id
"""


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
        self.sources = {"CALLS_TOOL": f"{caller.id}/first"}
        self._converse(Executor(callee.id, callee.digest))
        self.others = {"Secret": other_secret.id, "User": self.world.user("bob"), "Process": caller.id}
        self._know(callee.id)

    def _converse(self, executor):
        """Add a fork with one exchange, and the conversation that it was forked from, which has one, too."""
        ledger, new_id = self.world.catalog.ledger, self.world.catalog.new_id
        self.conversations = ConversationRepository(self.store, ledger, new_id)
        self.turns = TurnRepository(self.store, ledger, new_id, self.conversations)
        self.executor = executor
        named = {"title": "Bread", "tags": ["home"], "contextBudget": 1000}
        origin = self.conversations.create(NewConversation.parsed(named), MutationRequest(self.user))
        message = self.turns.append(origin.id, "How much?", MutationRequest(self.user))
        self.sources["HAS_TURN"] = origin.id
        fork = self.turns.fork(message.id, "More bread", MutationRequest(self.user))
        asked = self.turns.append(fork.id, "And for two?", MutationRequest(self.user))
        answer, self.message = self.answer(asked), asked.id
        self.ids |= {"Conversation": fork.id, "ConversationTurn": answer.turn.id, "Alternative": answer.id}

    def _know(self, process):
        """Extract what was said, and add by rows what no room makes yet: entities in use, a summary and a note."""
        ledger, new_id = self.world.catalog.ledger, self.world.catalog.new_id
        conversation = self.conversations.create(NewConversation(), MutationRequest(self.user))
        told = self.turns.append(conversation.id, "We saw Tove.", MutationRequest(self.user))
        ExtractionQueue(self.store, ledger, new_id).extract_by_code(self.user)
        self.entities = entities = NamedEntityRepository(self.store, ledger, new_id)
        entity = entities.get(self.user, "Tove").id
        self.ids |= {"Episode": episode_id(told.id), "Entity": entity}
        linz = entities.add(NewEntity(name="Linz"), MutationRequest(self.user))
        self.others |= {"Entity": linz.id, "Episode": episode_id(self.ids["Alternative"])}
        self.sources["HAS_CONTENT"] = {"Alternative": told.id}
        mine = {"owner_id": self.user, "conversation_id": self.ids["Conversation"]}
        ends = dict.fromkeys(("first_alternative_id", "last_alternative_id"), told.id)
        summary, note = (f"{kind} of {self.user}" for kind in ("summary", "note"))
        enriched = {"enrichment": "{}", "enriched_at": "now", "enriched_by": process, "id": entity}
        texts = {
            table: OwnEpisode(f"text of {id_}", self.user, group, source, id_, "In Linz.", ledger.now())
            for table, id_, group, source in (
                ("summary_contents", summary, mine["conversation_id"], "summary"),
                ("introspection_contents", note, f"system_introspection/{self.user}", "introspection"),
            )
        }
        rows = {
            "active_entities": {**mine, "entity_id": entity},
            "summaries": {**mine, **ends, "id": summary, "last_turn_id": told.turn.id, "process_id": process},
            "summary_sources": {"summary_id": summary, "episode_id": episode_id(told.id)},
            "summary_contents": {"summary_id": summary, "episode_id": texts["summary_contents"].id},
            "introspections": {"id": note, "owner_id": self.user},
            "introspection_contents": {"introspection_id": note, "episode_id": texts["introspection_contents"].id},
        }

        def work(unit):
            unit.write(ENRICH, enriched)
            for episode in texts.values():
                add_own_episode(unit, episode)
            for table, changes in rows.items():
                row = row_of(table, **changes)
                unit.write(insertion(table, row), row)

        self.store.update(work)
        self.ids |= {"Summary": summary, "Introspection": note}

    def answer(self, message):
        begun = self.turns.begin_answer(message.id, self.executor, MutationRequest(self.user))
        self.turns.set_run(self.user, begun.id, f"run of {begun.id}")
        ended = EndedAnswer("1 kg", model="m", usage={"prompt_tokens": 3}, marks=["doubtful"])
        assert self.turns.end_answer(self.user, begun.id, ended)
        return self.turns.get(self.user, begun.id)

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

    def add(self, table, **changes):
        """Add a row past the domain. Raises what the store raises, or takes it back."""

        def work(unit):
            row = row_of(table, **changes)
            unit.write(insertion(table, row), row)
            raise TakenBackError

        self.store.update(work)

    def node(self, label, id_=None):
        (row,) = self.store.read(NODE, {"label": label, "id": id_ or self.ids[label]})
        return parse_strict(row["properties"])

    def source(self, kind, label):
        found = self.sources.get(kind, {})
        return found.get(label, self.ids[label]) if isinstance(found, dict) else found

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
        if name == "tipId":
            return self.message
        if (label or kind.type, name) in ANOTHER:
            return ANOTHER[label or kind.type, name]
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
    assert shown.node("Alternative")["content"] == "1 kg"
    steps = {"source": "Process", "id": shown.ids["Process"], "type": "HAS_STEP", "target": "ProcessStep"}
    orders = {row["to_id"]: parse_strict(row["properties"])["order"] for row in shown.store.read(EDGE, steps)}
    assert orders == {shown.sources["CALLS_TOOL"]: 0, shown.ids["ProcessStep"]: 1}


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
    column = next(each for each in (*edge.target_columns, *edge.source_columns) if each not in shared_by(edge))
    other = 0 if kind == "DEPENDS_ON" else shown.others.get(target, "another")
    table, key, id_ = place(shown, edge)
    with pytest.raises(InvariantError if TARGETS[source, kind, target] == FIXED else TakenBackError):
        shown.change(table, key, id_, column, other)


@pytest.mark.parametrize(("source", "kind", "target", "name"), EDGE_PROPERTIES)
def test_a_property_of_an_edge_changes_only_where_it_may(shown, source, kind, target, name):
    edge = GRAPH_SCHEMA.edges[kind, source, target]
    table, key, id_ = place(shown, edge)
    with pytest.raises(InvariantError if EDGES[source, kind, target][name] == FIXED else TakenBackError):
        shown.change(table, key, id_, edge.properties[name], shown.another(edge, "", name))


def shared_by(edge):
    """The columns that refer to both ends."""
    return edge.target_columns.keys() & edge.source_columns.keys()


def place(shown, edge):
    """The table, key and id of an edge's row."""
    if edge.type == "DEPENDS_ON":
        return edge.table, ("process_id",), shown.ids["Process"]
    if edge.key:
        return edge.table, tuple(edge.source_columns), shown.source(edge.type, edge.source)
    if edge.source_columns:
        return edge.table, GRAPH_SCHEMA.nodes[edge.target].key, shown.edge(edge.source, edge.type, edge.target)[0]
    return edge.table, GRAPH_SCHEMA.nodes[edge.source].key, shown.source(edge.type, edge.source)


@pytest.mark.parametrize("name", ABSENT)
def test_what_is_listed_as_absent_is_in_no_store(name):
    types = {*GRAPH_SCHEMA.nodes, *(kind for kind, *_ in GRAPH_SCHEMA.edges)}
    said = [GRAPH_SCHEMA.nodes[label] for label in ("Conversation", "ConversationTurn", "Alternative", *KNOWLEDGE)]
    said += [each for each in GRAPH_SCHEMA.edges.values() if {each.source, each.target} & KNOWLEDGE]
    assert name not in types | {each for kind in said for each in kind.properties}


class TestInvariantsOfConversations:
    """Those of `ConversationTurn` and `Conversation`; each test makes a conversation of its own."""

    @pytest.fixture
    def message(self, shown):
        conversation = shown.conversations.create(NewConversation(), MutationRequest(shown.user))
        return shown.turns.append(conversation.id, "How much?", MutationRequest(shown.user))

    def active(self, shown, message):
        return [each.id for each in shown.turns.list_siblings(shown.user, message.id) if each.is_active]

    def insert(self, shown, like, **changes):
        """Add an alternative past the domain: the row of another one with changes."""

        def work(unit):
            (row,) = unit.read("SELECT * FROM alternatives WHERE id = :id", {"id": like.id})
            row.pop("shown_in", None)  # SQLite generates it
            new = {**row, "id": f"beside {like.id}", "sequence": 99, "is_active": 0, **changes}
            names = ", ".join(new)
            values = ", ".join(f":{name}" for name in new)
            unit.write(f"INSERT INTO alternatives ({names}) VALUES ({values})", new)  # the test's own
            raise TakenBackError

        shown.store.update(work)

    def test_exactly_one_alternative_of_a_turn_is_active_platform_22(self, shown, message):
        edited = shown.turns.edit(message.id, "How many?", MutationRequest(shown.user))
        assert self.active(shown, message) == [edited.id]
        with pytest.raises(DuplicateError):
            shown.change("alternatives", ("id",), message.id, "is_active", 1)
        shown.turns.activate(message.id, MutationRequest(shown.user))
        assert self.active(shown, edited) == [message.id]

    def test_the_sequence_of_a_turn_is_that_of_its_parent_and_one_platform_11(self, shown, message):
        answer = shown.answer(message)
        again = shown.turns.append(message.conversation_id, "And for two?", MutationRequest(shown.user))
        assert [each.turn.sequence for each in (message, answer, again)] == [1, 2, 3]
        assert [(each.turn.speaker, each.turn.turn_type) for each in (message, answer)] == [
            ("user", "message"),
            ("agent", "message"),
        ]

    def test_an_alternative_responds_to_one_of_the_parent_turn_and_the_root_s_to_none(self, shown, message):
        answer = shown.answer(message)
        assert (message.responds_to_id, answer.responds_to_id) == (None, message.id)
        assert (message.turn.parent_id, answer.turn.parent_id) == (None, message.turn.id)
        for like, to in ((answer, None), (answer, answer.id), (answer, shown.ids["Alternative"]), (message, answer.id)):
            with pytest.raises(InvariantError, match="responds to one of the parent turn"):
                self.insert(shown, like, responds_to_id=to)
        with pytest.raises(TakenBackError):
            self.insert(shown, answer)

    def test_a_parent_turn_is_of_the_same_conversation(self, shown, message):
        def work(unit):
            (row,) = unit.read("SELECT * FROM conversation_turns WHERE id = :id", {"id": message.turn.id})
            row.pop("shows", None)  # SQLite generates it
            new = {**row, "id": "another", "sequence": 2, "via_alternative_id": message.id}
            columns, values = ", ".join(new), ", ".join(f":{name}" for name in new)
            query = f"INSERT INTO conversation_turns ({columns}) VALUES ({values})"  # the test's own
            unit.write(query, {**new, "parent_id": shown.ids["ConversationTurn"]})

        with pytest.raises(GuardError):
            shown.store.update(work)

    def test_only_answers_have_a_process_and_the_conversation_has_the_newest_platform_44(self, shown, message):
        answer = shown.answer(message)
        conversation = shown.conversations.get(shown.user, message.conversation_id)
        assert (message.process_id, answer.process_id) == (None, shown.executor.process)
        assert conversation.default_process_id == shown.executor.process

    def test_what_is_continued_from_the_same_alternative_stands_in_one_turn_platform_23(self, shown, message):
        first, second = shown.answer(message), shown.answer(message)
        assert first.turn.id == second.turn.id
        other = shown.answer(shown.turns.edit(message.id, "How many?", MutationRequest(shown.user)))
        assert other.turn.id != first.turn.id
        with pytest.raises(InvariantError, match="answered in one turn"):
            self.insert(shown, other, responds_to_id=message.id)

    @pytest.mark.parametrize("label", ["Conversation", "ConversationTurn", "Alternative"])
    def test_nothing_of_a_conversation_is_ever_deleted_platform_19(self, shown, label):
        table = GRAPH_SCHEMA.nodes[label].table

        def work(unit):
            unit.write(f"DELETE FROM {table} WHERE id = :id", {"id": shown.ids[label]})  # the test's own

        with pytest.raises(InvariantError, match="never deleted"):
            shown.store.update(work)

    def test_an_answer_to_what_is_not_active_is_stale_platform_12(self, shown, message):
        answer = shown.answer(message)
        assert answer.cache_status == "valid"
        shown.turns.edit(message.id, "How many?", MutationRequest(shown.user))
        assert shown.turns.get(shown.user, answer.id).cache_status == "stale"


class TestInvariantsOfKnowledge:
    """Those of `Episode`, `Entity`, `Summary` and `Introspection` that the tables hold or the domain."""

    def test_an_episode_is_of_the_conversation_and_named_after_its_alternative_platform_34(self, shown):
        episode = shown.node("Episode")
        alternative = shown.source("HAS_CONTENT", "Alternative")
        said = shown.turns.get(shown.user, alternative)
        assert (episode["groupId"], episode["source"]) == (said.conversation_id, "message")
        assert (episode["name"], episode["uuid"]) == (f"Turn:{alternative}", episode_id(alternative))
        assert episode["validAt"] == episode["createdAt"] == said.created_at

    def test_the_text_of_a_turn_stands_once_on_its_alternative_platform_11(self, shown):
        assert shown.node("Episode")["content"] is None
        assert shown.node("Alternative", shown.source("HAS_CONTENT", "Alternative"))["content"] == "We saw Tove."

    def test_every_alternative_with_content_has_its_own_episode(self, shown):
        conversation = shown.conversations.create(NewConversation(), MutationRequest(shown.user))
        message = shown.turns.append(conversation.id, "When?", MutationRequest(shown.user))
        shown.turns.edit(message.id, "When was it?", MutationRequest(shown.user))
        shown.answer(message)
        missing = """
            SELECT a.id FROM alternatives AS a WHERE a.owner_id = :user AND a.content IS NOT NULL
              AND NOT EXISTS (SELECT 1 FROM episodes AS e WHERE e.alternative_id = a.id)
        """
        assert shown.store.read(missing, {"user": shown.user}) == []

    @pytest.mark.parametrize("column", ["extracted_at", "extractor"])
    def test_the_mark_of_an_extraction_is_not_taken_back_platform_34(self, shown, column):
        with pytest.raises(InvariantError):
            shown.change("episodes", ("id",), shown.ids["Episode"], column, None)

    @pytest.mark.parametrize("label", ["Episode", "Entity", "Summary", "Introspection"])
    def test_nothing_that_is_known_is_ever_deleted_platform_19(self, shown, label):
        query = f"DELETE FROM {GRAPH_SCHEMA.nodes[label].table} WHERE id = :id"  # the test's own
        with pytest.raises(InvariantError, match="never deleted"):
            shown.store.update(lambda unit: unit.write(query, {"id": shown.ids[label]}))

    @pytest.mark.parametrize("maker", ["extraction", "graphiti"])
    def test_what_was_found_can_become_the_users_and_never_back_platform_37(self, shown, maker):
        entity = shown.ids["Entity"]
        with pytest.raises(TakenBackError):
            shown.change("entities", ("id",), entity, "made_by", "user")
        mine = shown.entities.add(NewEntity(name=f"Vera {maker}"), MutationRequest(shown.user))
        with pytest.raises(InvariantError, match="immutable"):
            shown.change("entities", ("id",), mine.id, "made_by", maker)

    def test_a_correction_adds_a_content_and_keeps_the_one_before_platform_38(self, shown):
        another = {"episode_id": shown.others["Episode"], "n": 2}
        with pytest.raises(TakenBackError):
            shown.add("summary_contents", summary_id=shown.ids["Summary"], created_by="operator", **another)
        with pytest.raises(TakenBackError):
            shown.add(
                "introspection_contents", introspection_id=shown.ids["Introspection"], created_by="user", **another
            )

    def test_a_position_of_the_carousel_has_one_note_and_any_number_of_archived_ones_platform_39(self, shown):
        again = {"id": f"again {shown.ids['Introspection']}", "owner_id": shown.user}
        with pytest.raises(DuplicateError):
            shown.add("introspections", **again)
        with pytest.raises(TakenBackError):
            shown.add("introspections", **again, archived_at="now")
