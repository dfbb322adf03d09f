"""A record that only these tests share, its search, and many things at once."""

from itertools import count

import pytest

from aeon.platform.search.index import TextIndex

_NUMBERS = count()

ADD_TEMPLATE = """
INSERT INTO service_templates (id, owner_id, name, description, type, protocol, connection_schema, requires_secret,
                               limits, shared, archived, version, created_at, updated_at)
VALUES (:id, :owner, :name, :description, 'rest_api', 'https', '{}', 0, '{}', :shared, 0, 1, 'now', 'now')
"""


@pytest.fixture(scope="module")
def store(new_store):
    """Other tests' shared things are not in it. What one of these tests shares has words that no other one uses."""
    return new_store()


@pytest.fixture
def index(store):
    return TextIndex(store)


@pytest.fixture
def anna(world):
    return world.user("anna")


@pytest.fixture
def bob(world):
    return world.user("bob")


@pytest.fixture
def add_templates(store):
    """`add_templates(owner, names, description="", shared=0)`: many templates, past the catalog; their ids."""

    def add(owner, names, description="", shared=0):
        rows = [
            {"id": f"t{next(_NUMBERS)}", "owner": owner, "name": name, "description": description, "shared": shared}
            for name in names
        ]
        store.update(lambda unit: unit.write_each(ADD_TEMPLATE, rows))
        return [row["id"] for row in rows]

    return add


@pytest.fixture
def names(index):
    """`names(user, text)`: the names that a search finds, the best first."""
    return lambda user, text, kinds=None, limit=20: [hit.name for hit in index.search(user, text, kinds, limit)]
