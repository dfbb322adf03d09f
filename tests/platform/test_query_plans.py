"""What a query costs does not grow with what others have: each one is answered from an index."""

import re

import pytest

from aeon.platform import queries as common
from aeon.platform.alerts import queries as alerts
from aeon.platform.catalog import queries as catalog
from aeon.platform.conversations import queries as conversations
from aeon.platform.episodes import queries as episodes
from aeon.platform.introspection import queries as introspection
from aeon.platform.knowledge import queries as knowledge
from aeon.platform.knowledge import search_queries as retrieval
from aeon.platform.knowledge import view_queries as views
from aeon.platform.metrics import queries as metrics
from aeon.platform.processes import queries as processes
from aeon.platform.runs import queries as runs
from aeon.platform.schedules import queries as schedules
from aeon.platform.search import message_queries as messages
from aeon.platform.search import queries as search
from aeon.platform.store import DialectQuery
from aeon.platform.summaries import queries as summaries
from aeon.platform.webhooks import queries as webhooks
from aeon.platform.workers import queries as workers
from aeon.platform.workers.rate_limits import queries as limits
from aeon.platform.workers.result_cache import queries as cache

LISTS = {
    *(
        "alternatives",
        "conversations",
        "digests",
        "entities",
        "episodes",
        "facts",
        "grams",
        "ids",
        "jobs",
        "keys",
        "labels",
        "metrics",
        "names",
        "numbers",
        "processes",
        "rows",
        "runs",
        "segments",
        "subjects",
        "terms",
        "tools",
        "users",
        "words",
    )
}

ROOMS = (
    common,
    catalog,
    conversations,
    episodes,
    knowledge,
    retrieval,
    views,
    metrics,
    processes,
    runs,
    schedules,
    alerts,
    webhooks,
    search,
    messages,
    workers,
    cache,
    limits,
    introspection,
    summaries,
)

QUERIES = {
    f"{'.'.join(module.__name__.split('.')[-2:])}.{name}": query
    for module in ROOMS
    for name, query in vars(module).items()
    if name.isupper() and isinstance(query, str | DialectQuery) and name[0] != "_"
}


def text_of(query, dialect):
    return getattr(query, dialect) if isinstance(query, DialectQuery) else query


@pytest.mark.parametrize("name", QUERIES)
def test_no_query_goes_through_all_rows_of_a_table(plans, store, name):
    used = set(re.findall(r"(?<!:):([a-z_]+)", text_of(QUERIES[name], store.dialect)))
    params = {each: [] if each in LISTS else "1" for each in used}  # a text and a number
    is_by_index, plan = plans.is_by_index(QUERIES[name], params)
    assert is_by_index, plan


def test_a_window_of_a_tree_is_read_from_its_place_on(plans, store):
    """Not all of the conversation, which made each window of 100,000 turns take a fifth of a second."""
    params = {"user": "u", "conversation": "c", "depth": 1, "turn": "t", "n": 1, "limit": 10}
    _, plan = plans.is_by_index(conversations.TREE, params)
    assert "conversation_turns_of" in str(plan), plan
