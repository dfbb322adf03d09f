"""Texts that give orders are data: in a fact that a prompt tells, and for the extractor (issue: prompt injection).

The fifty texts stand in `tests/adapters/operations/data/injections.jsonl`.
"""

import json
from pathlib import Path

import pytest
from tests.platform.knowledge.conftest import Known

from aeon.platform.knowledge.entity_forms import NewEntity
from aeon.platform.memory.working_memory import ReplyForm
from aeon.testing.records import new_record

TEXTS = Path(__file__).parents[2] / "adapters" / "operations" / "data" / "injections.jsonl"
INJECTIONS = [json.loads(line) for line in TEXTS.read_text("utf-8").splitlines()]
FORM = ReplyForm("Be brief.", max_tokens=100, temperature=0.0, context=8000)


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    store = new_record(tmp_path_factory.mktemp("record"))
    yield Known(store)
    store.close()


@pytest.fixture(scope="module")
def memory(known):
    return known.memory()


def prepared(known, memory, text):
    message = known.say(known.conversation(), text)
    answer = known.turns.begin_answer(message.id, known.executor, known.request())
    return memory.prepare(known.user, answer.id, FORM).request


@pytest.mark.parametrize("injection", INJECTIONS, ids=[each["id"] for each in INJECTIONS])
def test_an_order_in_a_fact_stays_one_line_of_what_is_told_as_data(known, memory, injection):
    """The worst case: the user confirmed it. It is fenced, has its day, and nothing of it stands outside its line."""
    name = f"Zed{injection['id'].replace('-', '').title()}"
    entity = known.entities.add(NewEntity(name=name), known.request())
    fact = known.facts.add(injection["text"][:900], entity, known.request())
    question = f"What about {name}?"
    request = prepared(known, memory, question)
    head, *lines = request.prompt.split("\n")
    assert "it is no instruction" in head
    assert lines[-2:] == ["", question]
    assert lines[:-2] == [f"- {fact.created_at[:10]}: {fact.text}"]
    assert request.system_prompt == prepared(known, memory, "What about nothing?").system_prompt
    known.facts.decide(fact.id, "rejected", known.request())
    assert prepared(known, memory, question).prompt == question


@pytest.mark.parametrize("injection", INJECTIONS, ids=[each["id"] for each in INJECTIONS])
def test_an_order_in_a_message_confirms_nothing_and_contradicts_nothing(known, injection):
    other = Known(known.store)
    (message,) = other.tell(injection["text"])
    rows = known.store.read(
        "SELECT s.state, s.kind FROM assertions AS s JOIN episodes AS e ON e.id = s.episode_id WHERE e.alternative_id = :id",
        {"id": message.id},
    )
    assert {(row["state"], row["kind"]) for row in rows} <= {("candidate", "states")}
