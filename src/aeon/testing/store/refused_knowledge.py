"""Rows that the tables of knowledge refuse from any writer."""

from typing import Final

from aeon.base.json import JsonObject
from aeon.testing.store.refused_row import WRONG_NAMES, RefusedRow

_OWN_EPISODE: Final[JsonObject] = {"alternative_id": None, "source": "note", "content": "text"}

_UNDONE: Final[JsonObject] = {"undone_at": "2026-01-01"}
"""Makes a row a merge that does not count, of which an entity may have several."""

BROKEN_KNOWLEDGE: Final[dict[str, list[JsonObject]]] = {
    "episodes": [
        {"alternative_id": None, "source": "other", "content": "text"},
        {"source": "note"},
        {"content": "text"},
        {"alternative_id": None, "source": "note"},
        {"extractor": None},
        {"attempts": -1},
    ],
    "entities": [
        *WRONG_NAMES,
        {"name": None},
        {"name_key": None},
        {"made_by": "other"},
        {"category": "other"},
        {"category_by": "other"},
        {"category_by": None},
        {"version": 0},
    ],
    "mentions": [{"confidence": 1.5}, {"confidence": -0.5}],
    "merges": [{"absorbed_id": "entity"}, {"decided_by": "model"}],
    "facts": [
        {"text": ""},
        {"text": "x" * 1001},
        {"text": None},
        {"text_key": None},
        {"text": None, "text_key": None, "forgotten_at": "2026-01-01", "predicate": "bakes"},
    ],
    "assertions": [{"kind": "other"}, {"state": "other"}, {"confidence": 1.5}],
    "active_entities": [
        {"state": "other"},
        {"include_summary": 2},
        {"include_facets": 2},
        {"include_relationships": 2},
    ],
    "summaries": [{"level": 0}, {"level": 6}, {"token_count": -1}],
    "summary_sources": [{"n": 0}],
    "summary_contents": [{"n": 0}, {"created_by": "user"}],
    "compressions": [{"number": -1}, {"since_introspection": -1}],
    "introspections": [{"carousel_position": -1}, {"version": 0}, {"created_by": "operator"}],
    "introspection_contents": [{"n": 0}, {"created_by": "other"}],
    "knowledge_settings": [
        {"extraction": "other"},
        {"compression": "paused"},
        {"introspection": "paused"},
        {"enrichment": "paused"},
    ],
}
"""Changes that violate a check."""

DANGLING_KNOWLEDGE: Final = [
    RefusedRow("episodes", {"owner_id": "nobody", **_OWN_EPISODE}),
    RefusedRow("episodes", {"alternative_id": "nothing"}),
    RefusedRow("entities", {"owner_id": "nobody"}),
    RefusedRow("entities", {"enriched_by": "nothing", "name_key": "new"}),
    RefusedRow("mentions", {"episode_id": "nothing"}),
    RefusedRow("mentions", {"entity_id": "nothing"}),
    RefusedRow("merges", {"kept_id": "nothing", **_UNDONE}),
    RefusedRow("merges", {"absorbed_id": "nothing"}),
    RefusedRow("merges", {"owner_id": "bob", **_UNDONE}),  # with entities of ann's
    RefusedRow("facts", {"owner_id": "nobody"}),
    RefusedRow("facts", {"subject_id": "nothing", "text_key": "new"}),
    RefusedRow("facts", {"object_id": "nothing", "text_key": "new"}),
    RefusedRow("assertions", {"episode_id": "nothing"}),
    RefusedRow("assertions", {"fact_id": "nothing"}),
    RefusedRow("active_entities", {"conversation_id": "nothing"}),
    RefusedRow("active_entities", {"entity_id": "nothing"}),
    RefusedRow("active_entities", {"entity_id": "nickname", "owner_id": "bob"}),  # ann's conversation and entity
    RefusedRow("summaries", {"conversation_id": "nothing"}),
    RefusedRow("summaries", {"owner_id": "bob"}),  # of a conversation of ann's
    RefusedRow("summaries", {"first_alternative_id": "nothing"}),
    RefusedRow("summaries", {"last_alternative_id": "nothing"}),
    RefusedRow("summaries", {"last_turn_id": "nothing"}),
    RefusedRow("summaries", {"process_id": "nothing"}),
    RefusedRow("summary_sources", {"summary_id": "nothing"}),
    RefusedRow("summary_sources", {"episode_id": "nothing"}),
    RefusedRow("summary_contents", {"summary_id": "nothing", "episode_id": "forgotten"}),
    RefusedRow("summary_contents", {"episode_id": "nothing"}),
    RefusedRow("compressions", {"conversation_id": "nothing"}),
    RefusedRow("introspections", {"owner_id": "nobody"}),
    RefusedRow("introspections", {"process_id": "nothing", "carousel_position": 1}),
    RefusedRow("introspection_contents", {"introspection_id": "nothing", "episode_id": "forgotten"}),
    RefusedRow("introspection_contents", {"episode_id": "nothing"}),
    RefusedRow("knowledge_settings", {"owner_id": "nobody"}),
    RefusedRow("knowledge_leases", {"owner_id": "nobody"}),
    RefusedRow("word_cases", {"owner_id": "nobody"}),
    RefusedRow("vectors", {"owner_id": "nobody", "subject": "other"}),
]
"""Rows that refer to a missing row, or to a row of a different owner."""

DUPLICATE_KNOWLEDGE: Final = [
    RefusedRow("episodes", _OWN_EPISODE),
    RefusedRow("episodes", {"id": "other"}),  # a second one for one alternative (platform 34)
    RefusedRow("entities", {"name_key": "other"}),
    RefusedRow("entities", {"id": "other"}),
    RefusedRow("mentions", {"name": "other"}),
    RefusedRow("merges", _UNDONE),
    RefusedRow("merges", {"id": "other"}),  # a second one into which it was merged
    RefusedRow("facts", {"text_key": "other"}),
    RefusedRow("facts", {"id": "other"}),
    RefusedRow("assertions", {"state": "rejected"}),
    RefusedRow("active_entities", {"state": "hidden"}),
    RefusedRow("summaries", {}),
    RefusedRow("summary_sources", {"episode_id": "forgotten"}),
    RefusedRow("summary_contents", {"episode_id": "forgotten"}),
    RefusedRow("summary_contents", {"n": 2}),
    RefusedRow("compressions", {"number": 2}),
    RefusedRow("introspections", {"carousel_position": 1}),
    RefusedRow("introspections", {"id": "other"}),  # a second note at one position (platform 39)
    RefusedRow("introspection_contents", {"episode_id": "forgotten"}),
    RefusedRow("introspection_contents", {"n": 2}),
    RefusedRow("knowledge_settings", {"extraction": "off"}),
    RefusedRow("knowledge_leases", {"holder": "other"}),
    RefusedRow("word_cases", {"capital": 2}),
    RefusedRow("vectors", {"model": "other"}),
]
"""Rows whose key is taken."""
