"""Whatever a Process says is given back exactly, from the record and by its digest."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.platform.stored_processes import Storing

from aeon.platform.ledger import MutationRequest
from aeon.platform.processes.model import NewProcess

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="{}\x00"), max_size=20)
NUMBERS = st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True).filter(lambda name: name != "step")


@st.composite
def saids(draw, tool):
    """A definition that is right: steps that wait for earlier ones, in sequence, with any values."""
    ids = draw(st.lists(NAMES, unique=True, min_size=1, max_size=6))
    steps = [
        {
            "id": id_,
            "tool": tool,
            "inputs": draw(st.dictionaries(NAMES, VALUES, max_size=3)),
            "dependsOn": draw(st.lists(st.sampled_from(ids[:place]), unique=True)) if place else [],
            "output": {"variable": f"v_{id_}", "required": draw(st.booleans())},
            "execution": {"timeout": draw(st.integers(1, 300))},
        }
        for place, id_ in enumerate(ids)
    ]
    return {
        "name": "work",
        "description": draw(TEXT),
        "initialContext": draw(st.lists(NAMES.map(lambda name: f"i_{name}"), unique=True, max_size=3)),
        "steps": steps,
        "outputTemplate": draw(TEXT),
        "tokenBudget": draw(st.none() | st.integers(1, 10**6)),
        "maxRecursionDepth": draw(st.integers(1, 10)),
        "enabled": draw(st.booleans()),
    }


@pytest.mark.server
def test_what_was_saved_is_what_is_read(store, world):
    storing, user = Storing(world), world.user("u")
    tool = storing.tool(user)
    _law_holds(storing, user, tool)
    assert store is world.store


def _law_holds(storing, user, tool):
    @settings(max_examples=40, suppress_health_check=list(HealthCheck))
    @given(saids(tool.id))
    def law(said):
        new = NewProcess.parsed(said)
        made = storing.processes.add(new, MutationRequest(user))
        try:
            assert storing.processes.get(user, made.id) == made
            assert made.definition == new.definition
            found = storing.processes.get_definition(made.digest)
            assert found.digest == made.digest == new.definition.digest
            named = {"name": "work", "description": new.description, "enabled": new.enabled}
            assert found.model_copy(update=named) == new.definition
        finally:
            storing.remove(user, made)

    law()
