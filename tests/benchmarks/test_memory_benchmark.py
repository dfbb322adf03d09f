"""The benchmark of memory counts as its readers would, on data made up here, and measures the product's own search."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from aeon.testing.embedding import HashEmbedder

ROOM = Path(__file__).parents[2] / "benchmarks" / "memory"
OWN = ("datasets", "record", "run", "scale", "scores", "systems")


@pytest.fixture
def room(monkeypatch: pytest.MonkeyPatch):
    """The modules of the benchmark by name."""
    monkeypatch.syspath_prepend(str(ROOM))
    for name in OWN:
        monkeypatch.delitem(sys.modules, name, raising=False)
    import datasets
    import record
    import run
    import scores
    import systems

    yield SimpleNamespace(datasets=datasets, record=record, run=run, scores=scores, systems=systems)
    for name in OWN:
        sys.modules.pop(name, None)


def test_recall_is_the_share_of_the_evidence_among_the_first(room):
    assert room.scores.recall([4, 7, 1, 9], {7, 9}, 2) == 0.5
    assert room.scores.recall([4, 7, 1, 9], {7, 9}, 4) == 1
    assert room.scores.recall([], {7}, 10) == 0
    assert room.scores.recall([7, 7], {7, 8}, 2) == 0.5


def test_sessions_stand_in_the_order_of_their_best_result(room):
    assert room.scores.sessions_of([3, 2, 0, 1], [1, 1, 2, 3]) == [3, 2, 1]


def test_the_mean_of_nothing_is_nothing(room):
    assert room.scores.mean([]) == 0
    assert room.scores.mean([0.5, 1.0]) == 0.75


def locomo(tmp_path, room, monkeypatch):
    """A file in the form of LoCoMo with two cases, and its cases."""
    turns = [
        ("Ann", "D1:1", "I adopted a grey cat."),
        ("Bob", "D1:2", "How nice!"),
        ("Ann", "D1:3", "It sleeps a lot."),
    ]
    later = [("Bob", "D2:1", "My car is broken."), ("Ann", "D2:2", "Take the train.")]
    talk = {
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [{"speaker": who, "dia_id": id_, "text": text} for who, id_, text in turns],
        "session_2_date_time": "9:05 am on 1 June, 2023",
        "session_2": [{"speaker": who, "dia_id": id_, "text": text} for who, id_, text in later],
    }
    asked = [
        {"question": "What did Ann adopt?", "category": 4, "evidence": ["D1:1"]},
        {"question": "What is broken?", "category": 1, "evidence": ["D2:1; D1:2", "D:9"]},
        {"question": "No answer?", "category": 5, "evidence": ["D1:1"]},
        {"question": "No evidence?", "category": 4, "evidence": []},
    ]
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps([{"conversation": talk, "qa": asked}] * 2), "utf-8")
    with pytest.raises(SystemExit, match="is not the file that was measured"):
        room.datasets.load_locomo(path)
    monkeypatch.setattr(room.datasets, "LOCOMO_SHA256", room.datasets.hashlib.sha256(path.read_bytes()).hexdigest())
    return room.datasets.load_locomo(path)


def test_questions_of_locomo_have_the_places_of_their_evidence(room, tmp_path, monkeypatch):
    first, second = locomo(tmp_path, room, monkeypatch)
    assert [said.text for said in first.said][:2] == ["Ann: I adopted a grey cat.", "Bob: How nice!"]
    assert [said.session for said in first.said] == [1, 1, 1, 2, 2]
    assert first.said[3].at.startswith("2023-06-01T09:05")
    assert [(each.text, each.kind, set(each.evidence)) for each in first.questions] == [
        ("What did Ann adopt?", "4", {0}),
        ("What is broken?", "1", {1, 3}),
    ]
    assert second.name == "locomo-2"


def test_questions_of_beam_have_the_places_of_their_evidence(room, tmp_path):
    folder = tmp_path / "3"
    (folder / "probing_questions").mkdir(parents=True)
    (tmp_path / "12").mkdir()  # its chat.json is not there
    turns = [
        [
            {"role": "user", "id": 0, "content": "The sprint ends in May. ->-> 1,1"},
            {"role": "assistant", "id": 1, "content": "Noted."},
        ]
    ]
    (folder / "chat.json").write_text(json.dumps([{"time_anchor": "March-15-2024", "turns": turns}]), "utf-8")
    asked = {
        "temporal": [{"question": "When?", "source_chat_ids": {"first": [0], "second": [1, 99]}}],
        "abstention": [{"question": "Why?"}],
    }
    (folder / "probing_questions" / "probing_questions.json").write_text(json.dumps(asked), "utf-8")
    (case,) = room.datasets.load_beam(tmp_path)
    assert room.datasets.count_beam(tmp_path) == 2
    assert [(said.role, said.text) for said in case.said] == [
        ("user", "The sprint ends in May."),
        ("assistant", "Noted."),
    ]
    assert [(each.kind, set(each.evidence)) for each in case.questions] == [("temporal", {0, 1})]


def test_every_system_ranks_the_messages_of_a_case(room, tmp_path, monkeypatch):
    cases = locomo(tmp_path, room, monkeypatch)
    embedder = room.systems.TimedEmbedder(HashEmbedder())
    record = room.record.Record(tmp_path / "record", embedder)
    for case in cases:
        record.write(case)
        record.write(case)  # a second run uses what the first one has written
    systems = [
        room.systems.PlainBM25(),
        room.systems.SqliteFullText(),
        room.systems.PlainVectors(embedder, record),
        room.systems.Product("words", record, None),
        room.systems.Product("whole", record, embedder),
    ]
    for system in systems:
        found = room.run.outcomes(system, cases, embedder)
        assert [each.is_tuning for each in found] == [True, True, False, False]
        assert found[0].turns == {5: 1.0, 10: 1.0, 20: 1.0}, system.name
        assert found[0].sessions == 1
        line = room.run.row(system.name, found, with_sessions=True)
        assert line.startswith(f"| {system.name} | ")
        assert line.count("|") == 7
    assert room.run.by_kind(found).startswith("1 ")
    record.store.close()


def test_without_vectors_only_what_works_by_words_is_compared(room, tmp_path, monkeypatch, capsys):
    cases = locomo(tmp_path, room, monkeypatch)
    room.run.measure("Made up", cases, tmp_path / "record", with_sessions=False, with_vectors=False)
    printed = capsys.readouterr().out
    assert printed.startswith("## Made up: 2 cases, 10 messages, 4 questions\n")
    rows = [line.split(" | ")[0] for line in printed.splitlines() if line.startswith("| ") and "recall" not in line]
    assert rows == ["| BM25", "| SQLite FTS5, porter", "| Aeon, words alone"]
