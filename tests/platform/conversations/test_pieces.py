"""The pieces of answers: in one process and through the record, for readers who come late, with makers who wake late."""

import random
import re
import threading
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aeon.platform.conversations.pieces import AnswerStoppedError, InProcessPieces, RecordedPieces
from aeon.platform.store import StoreUnavailableError


@pytest.fixture
def answer(talk):
    return talk.turns.begin_answer(talk.say(talk.conversation()).id, talk.executor, talk.request())


def streams(talk):
    """Two processes at the same record, as far as pieces know."""
    return RecordedPieces(talk.store, talk.world.clock), RecordedPieces(talk.store, talk.world.clock)


def later(talk):
    talk.world.clock.sleep(1)


def test_the_first_piece_is_seen_elsewhere_at_once_and_the_others_soon(talk, answer):
    maker, elsewhere = streams(talk)
    assert maker.begin(answer.id) == ""
    maker.append(answer.id, "one")
    maker.append(answer.id, "two")
    assert (maker.read(answer.id, 0, 0), elsewhere.read(answer.id, 0, 0)) == (["one", "two"], ["one"])
    later(talk)
    maker.append(answer.id, "three")
    assert elsewhere.read(answer.id, 1, 0) == ["two", "three"]
    assert elsewhere.read(answer.id, 3, 0) == []


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.text(max_size=5), st.booleans()), max_size=12), st.integers(0, 12))
def test_whoever_comes_late_gets_each_piece_once_from_the_number_named(talk, pieces, number):
    made = talk.turns.begin_answer(talk.say(talk.conversation()).id, talk.executor, talk.request())
    maker, elsewhere = streams(talk)
    maker.begin(made.id)
    for text, waits in pieces:
        if waits:
            later(talk)
        maker.append(made.id, text)
    later(talk)
    maker.append(made.id, "end")
    expected = [*(text.replace("\0", "\N{REPLACEMENT CHARACTER}") for text, _ in pieces), "end"]
    assert maker.read(made.id, number, 0) == expected[number:]
    assert elsewhere.read(made.id, number, 0) == expected[number:]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_ten_thousand_cuts_and_new_makers_lose_and_double_nothing(talk, seed):
    """Readers in the maker's process and elsewhere are cut off after any piece, and go on from their number."""
    chance = random.Random(seed)
    made = talk.turns.begin_answer(talk.say(talk.conversation()).id, talk.executor, talk.request())
    local, maker, elsewhere = InProcessPieces(), *streams(talk)
    local.begin(made.id)
    maker.begin(made.id)
    written, cuts = [], 0
    seen = {"local": [], "same process": [], "elsewhere": []}
    while cuts < 10_000:
        if chance.random() < 0.2:
            written.append(f"{len(written)} ")
            local.append(made.id, written[-1])
            maker.append(made.id, written[-1])
        if chance.random() < 0.001:  # an attempt that failed is made again, by another process
            later(talk)
            maker.append(made.id, "")
            local.append(made.id, "")
            written.append("")
            maker, _ = streams(talk)
            assert maker.begin(made.id) == "".join(written)
        if chance.random() < 0.05:
            later(talk)
        for name, stream in (("local", local), ("same process", maker), ("elsewhere", elsewhere)):
            if chance.random() < 0.5:
                found = stream.read(made.id, len(seen[name]), 0)
                seen[name] += found[: chance.randint(0, len(found))]
                cuts += 1
    later(talk)
    maker.append(made.id, "end")
    local.append(made.id, "end")
    for name, stream in (("local", local), ("same process", maker), ("elsewhere", elsewhere)):
        seen[name] += stream.read(made.id, len(seen[name]), 0)
        assert seen[name] == [*written, "end"], name


def test_a_maker_that_wakes_up_late_writes_nothing_platform_43(talk, answer):
    """Attack: the first maker was suspended, another took the answer over, and the first goes on."""
    late, maker = streams(talk)
    late.begin(answer.id)
    late.append(answer.id, "one ")
    assert maker.begin(answer.id) == "one "
    later(talk)
    with pytest.raises(AnswerStoppedError):
        late.append(answer.id, "stray")
    with pytest.raises(AnswerStoppedError):
        late.append(answer.id, "stray")
    maker.append(answer.id, "two")
    assert maker.read(answer.id, 0, 0) == ["one ", "two"]
    assert late.begin(answer.id) == "one two", "it may take the answer over again"


def test_who_stops_an_answer_from_elsewhere_keeps_what_was_written_and_its_maker_stops(talk, answer):
    maker, elsewhere = streams(talk)
    maker.begin(answer.id)
    maker.append(answer.id, "Half")
    assert elsewhere.stop(answer.id) == "Half"
    talk.end(answer, "Half", is_stopped=True)
    later(talk)
    with pytest.raises(AnswerStoppedError):
        maker.append(answer.id, " an answer")
    with pytest.raises(AnswerStoppedError):
        maker.begin(answer.id)


def test_pieces_go_when_the_content_is_there(talk, answer):
    maker, elsewhere = streams(talk)
    maker.begin(answer.id)
    maker.append(answer.id, "all")
    talk.end(answer, "all")
    assert elsewhere.read(answer.id, 0, 0) == []
    assert talk.store.read("SELECT * FROM pieces WHERE alternative_id = :id", {"id": answer.id}) == []
    other = talk.turns.begin_answer(talk.say(talk.conversation()).id, talk.executor, talk.request())
    maker.begin(other.id)
    assert maker.read(answer.id, 0, 0) == [], "the maker forgets answers that were ended elsewhere"


class InterruptedReads:
    """The store of a record, where something happens between a read and its answer: once."""

    def __init__(self, store, between):
        self._store = store
        self._between = [between]

    def read(self, query, params):
        rows = self._store.read(query, params)
        while self._between:
            self._between.pop()()
        return rows

    def __getattr__(self, name):
        return getattr(self._store, name)


def test_an_answer_that_begins_while_another_one_does_is_not_stopped(talk):
    """Two threads of a process began one each: the first took that of the second for one that had ended."""
    first, second = (
        talk.turns.begin_answer(talk.say(talk.conversation()).id, talk.executor, talk.request()) for _ in range(2)
    )
    pieces = RecordedPieces(InterruptedReads(talk.store, lambda: pieces.begin(second.id)), talk.world.clock)
    pieces.begin(first.id)
    pieces.append(second.id, "one")
    assert pieces.read(second.id, 0, 0) == ["one"]


def test_what_was_written_in_the_instant_of_the_end_is_removed(talk, answer):
    talk.end(answer, "all")
    stray = {"id": answer.id}
    talk.store.update(lambda unit: unit.write("INSERT INTO pieces VALUES (:id, 1, 'stray')", stray))
    assert talk.user not in talk.turns.list_owners_generating()
    talk.turns.remove_left_pieces()
    assert talk.store.read("SELECT * FROM pieces WHERE alternative_id = :id", stray) == []


def test_an_answer_goes_on_while_the_record_is_away(talk, answer, monkeypatch):
    maker, elsewhere = streams(talk)
    maker.begin(answer.id)

    def away(_work):
        raise StoreUnavailableError("away")

    with monkeypatch.context() as outage:
        outage.setattr(maker, "_store", type("Away", (), {"update": staticmethod(away)})())
        maker.append(answer.id, "one")
        later(talk)
        maker.append(answer.id, "two")
    later(talk)
    maker.append(answer.id, "three")
    assert elsewhere.read(answer.id, 0, 0) == ["one", "two", "three"]


def test_a_reader_in_the_same_process_wakes_at_once():
    pieces = InProcessPieces()
    pieces.begin("a")
    found = []
    reader = threading.Thread(target=lambda: found.extend(pieces.read("a", 0, 30)))
    reader.start()
    pieces.append("a", "one")
    reader.join(5)
    assert found == ["one"]


def test_a_reader_elsewhere_is_told_of_pieces_and_of_the_end_where_the_database_can(talk, answer):
    """PostgreSQL carries what makers announce, so that nobody looks again and again; SQLite has no such thing."""
    maker, elsewhere = streams(talk)
    told = threading.Semaphore(0)
    maker.begin(answer.id)
    with elsewhere.watch(answer.id, told.release):
        if talk.store.dialect == "sqlite":
            maker.append(answer.id, "one")
            assert not told.acquire(timeout=0.2)
            return
        while not told.acquire(timeout=0.05):  # until the listener has connected
            later(talk)
            maker.append(answer.id, "one ")
        seen = elsewhere.read(answer.id, 0, 0)
        later(talk)
        threading.Timer(0.1, maker.append, (answer.id, "two")).start()
        began = time.monotonic()
        assert elsewhere.read(answer.id, len(seen), 60) == ["two"]
        while told.acquire(timeout=0):
            pass
        talk.end(answer, "".join([*seen, "two"]))
        assert told.acquire(timeout=30)
        assert elsewhere.read(answer.id, len(seen) + 1, 30) == []
        assert time.monotonic() - began < 30, "nothing waited until its time was over"


def test_an_announced_subject_is_no_more_than_ids(talk, answer):
    """Attack: whoever may connect to the database listens; what users said is not to be heard."""
    maker, _ = streams(talk)
    heard = []
    talk.store.listen(heard.append)
    maker.begin(answer.id)
    maker.append(answer.id, "a secret of two")
    for _ in range(400):
        if heard or talk.store.dialect == "sqlite":
            break
        later(talk)
        maker.append(answer.id, ".")
        threading.Event().wait(0.02)
    assert all(re.fullmatch(rf"pieces:{answer.id}:\d+", each) for each in heard)
    assert bool(heard) == (talk.store.dialect == "postgresql")
