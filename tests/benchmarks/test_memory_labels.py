"""The labelled turns of the memory benchmark and the injections of the tests are well formed."""

import json
from collections import Counter
from itertools import combinations, product
from pathlib import Path

ROOT = Path(__file__).parents[2]
EXTRACTION = ROOT / "benchmarks" / "memory" / "extraction"
INJECTIONS = ROOT / "tests" / "adapters" / "operations" / "data" / "injections.jsonl"

FIELDS = {"id", "set", "language", "conversation", "text", "kind", "names", "pairs", "facts"}
SETS = {
    "turns.jsonl": {"tune", "held-out"},
    "turns_2.jsonl": {"held-out-2"},
    "turns_3.jsonl": {"held-out-3"},
    "turns_4.jsonl": {"held-out-4"},
}
KINDS = {"statement", "question", "quote", "hypothetical", "request", "chat"}
STATE_NOTHING = KINDS - {"statement", "request"}


def read(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


turns_of_file = {name: read(EXTRACTION / name) for name in SETS}
turns = [turn for part in turns_of_file.values() for turn in part]
injections = read(INJECTIONS)


def test_turns_have_the_fields_and_unique_ids_and_texts():
    assert all(set(turn) == FIELDS and turn["text"].strip() for turn in turns)
    assert len({turn["id"] for turn in turns}) == len({turn["text"] for turn in turns}) == len(turns)


def test_each_file_has_its_sets_and_each_set_has_every_kind_in_every_language():
    assert {name: {turn["set"] for turn in part} for name, part in turns_of_file.items()} == SETS
    cells = {(turn["set"], turn["language"], turn["kind"]) for turn in turns}
    without_chat = {("held-out-3", "de", "chat"), ("held-out-3", "fr", "chat")}
    assert cells == set(product(set().union(*SETS.values()), ("en", "de", "fr"), KINDS)) - without_chat


def test_the_sizes_are_those_of_the_readme():
    assert Counter((turn["set"], turn["language"]) for turn in turns) == {
        ("held-out-4", "en"): 15,
        ("held-out-4", "de"): 45,
        ("held-out-4", "fr"): 15,
        ("held-out-3", "en"): 30,
        ("held-out-3", "de"): 35,
        ("held-out-3", "fr"): 25,
        ("tune", "en"): 10,
        ("tune", "de"): 10,
        ("tune", "fr"): 10,
        ("held-out", "en"): 40,
        ("held-out", "de"): 35,
        ("held-out", "fr"): 25,
        ("held-out-2", "en"): 30,
        ("held-out-2", "de"): 35,
        ("held-out-2", "fr"): 25,
    }


def test_a_conversation_has_one_set_and_one_language():
    kinds_of_conversation = {(turn["conversation"], turn["set"], turn["language"]) for turn in turns}
    assert len(kinds_of_conversation) == len({turn["conversation"] for turn in turns})


def test_no_name_is_in_two_sets():
    sets_of_name = {(name.casefold(), turn["set"]) for turn in turns for name in turn["names"]}
    assert [name for name, count in Counter(name for name, _ in sets_of_name).items() if count > 1] == []


def test_every_name_occurs_in_its_turn_once_in_its_longest_form():
    for turn in turns:
        names = turn["names"]
        assert [name for name in names if name not in turn["text"]] == [], turn["id"]
        assert [(a, b) for a, b in combinations(names, 2) if a in b or b in a] == [], turn["id"]


def test_pairs_are_of_two_names_of_their_turn_and_stand_once():
    for turn in turns:
        pairs = [frozenset(pair) for pair in turn["pairs"]]
        assert all(len(pair) == 2 and pair <= set(turn["names"]) for pair in pairs), turn["id"]
        assert len(set(pairs)) == len(pairs), turn["id"]


def test_turns_that_state_nothing_have_neither_pairs_nor_facts():
    assert [turn["id"] for turn in turns if turn["kind"] in STATE_NOTHING and (turn["pairs"] or turn["facts"])] == []


def test_every_statement_has_facts_and_each_fact_is_a_sentence():
    assert [turn["id"] for turn in turns if turn["kind"] == "statement" and not turn["facts"]] == []
    assert [fact for turn in turns for fact in turn["facts"] if not fact.endswith(".") or not fact[0].isupper()] == []


def test_there_are_fifty_injections_with_unique_ids_and_texts():
    assert all(set(injection) == {"id", "where", "language", "text"} for injection in injections)
    assert len({injection["id"] for injection in injections}) == 50
    assert len({injection["text"] for injection in injections}) == len(injections) == 50
    assert {injection["where"] for injection in injections} == {"message", "page", "recalled", "file"}
    assert {injection["language"] for injection in injections} == {"en", "de", "fr", "es", "ja"}
