"""The reader of the memory benchmark scores as its readers would, asks what its seed says, and goes on after a stop."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from aeon import Project
from aeon.base.errors import LLMError, LLMRequestError
from aeon.llm.interface import LLMRequest, LLMResponse, RequestAdapter, TextSink
from aeon.testing.embedding import HashEmbedder

ROOM = Path(__file__).parents[2] / "benchmarks" / "memory"
OWN = ("datasets", "read", "reader", "record", "systems", "used")


def forget_own() -> None:
    for name in [name for name in sys.modules if name.split(".")[0] in OWN]:
        del sys.modules[name]


@pytest.fixture
def room(monkeypatch: pytest.MonkeyPatch):
    """The modules of the benchmark by name."""
    monkeypatch.syspath_prepend(str(ROOM))
    forget_own()
    import datasets
    import read
    import record
    import systems
    import used
    from reader import answers, memories, prompts, questions, scores, table

    yield SimpleNamespace(
        **{module.__name__.split(".")[-1]: module for module in (datasets, read, record, systems, used)}
        | {module.__name__.split(".")[-1]: module for module in (answers, memories, prompts, questions, scores, table)}
    )
    forget_own()


class Replies(RequestAdapter):
    """A model that says what is next in a script; an exception is raised. `requests` are those that it got."""

    def __init__(self, *replies: str | Exception) -> None:
        self._replies = list(replies)
        self.requests: list[LLMRequest] = []

    def supports_streaming(self) -> bool:
        return False

    def complete(self, request: LLMRequest, on_text: TextSink | None = None) -> LLMResponse:
        self.requests.append(request)
        reply = self._replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return LLMResponse(reply)


def case_of(room, name="one"):
    said = [
        room.datasets.Said(1, "user", "Ann: I adopted a grey cat.", "2023-05-08T13:56:00.000000+00:00"),
        room.datasets.Said(1, "user", "Bob: How nice!", "2023-05-08T13:56:01.000000+00:00"),
        room.datasets.Said(2, "user", "Ann: The cat sleeps in my red car.", "2023-06-01T09:05:00.000000+00:00"),
    ]
    questions = [
        room.datasets.Question("What did Ann adopt?", "4", frozenset({0}), "a grey cat"),
        room.datasets.Question("Why?", "3", frozenset({0}), "since she is fond of all animals"),
        room.datasets.Question("Where does the cat sleep?", "4", frozenset({2}), "in the car"),
        room.datasets.Question("What is unknown?", "4", frozenset({2})),
    ]
    return room.datasets.Case(name, said, questions)


# Scores


@pytest.mark.parametrize(
    ("answer", "expected"),
    [("The grey cat.", "grey cat"), ("Tom and Ann", "tom ann"), ("7 May, 2023", "7 may 2023"), (" A ", "")],
)
def test_answers_are_compared_without_case_punctuation_and_articles(room, answer, expected):
    assert room.scores.is_exact(answer, expected)


def test_words_within_words_are_no_articles(room):
    assert room.scores.normalized("Athena anded a theory") == "athena anded theory"


def test_f1_counts_each_shared_word_as_often_as_both_have_it(room):
    assert room.scores.token_f1("grey cat", "a grey cat") == 1
    assert room.scores.token_f1("grey cat", "black cat") == 0.5
    assert room.scores.token_f1("cat cat cat", "cat") == 0.5
    assert room.scores.token_f1("Ann adopted the grey cat", "grey cat") == pytest.approx(2 * 2 / (4 + 2))
    assert room.scores.token_f1("dog", "cat") == 0
    assert room.scores.token_f1("", "cat") == 0


def test_a_passage_is_used_if_it_has_a_word_of_the_answer_that_the_question_has_not(room):
    passages = ["Ann: I adopted a grey cat.", "Bob: How nice!", "Ann: The cats sleep."]
    assert room.scores.share_used(passages, "What did Ann adopt?", "A cat, Ann did adopt it") == pytest.approx(2 / 3)
    assert room.scores.share_used(passages, "What did Ann adopt?", "Ann adopted") == 0
    assert room.scores.share_used(passages, "Who?", "It is the one of them") == 0
    assert room.scores.share_used([], "Who?", "Ann") == 0


# Questions


def test_only_questions_with_a_short_answer_are_asked(room):
    found = room.questions.short_questions([case_of(room)])
    assert [(each.id, each.case, each.answer) for each in found] == [
        ("one/1", "one", "a grey cat"),
        ("one/3", "one", "in the car"),
    ]


def test_a_seed_asks_the_same_questions_and_more_of_them_keep_the_first(room):
    all_of_them = list(range(100))
    few, many = room.questions.sample(all_of_them, 10, 3), room.questions.sample(all_of_them, 30, 3)
    assert few == room.questions.sample(all_of_them, 10, 3)
    assert few == sorted(few)
    assert set(few) < set(many)
    assert len(many) == 30
    assert few != room.questions.sample(all_of_them, 10, 4)
    assert room.questions.sample(all_of_them, 500, 3) == all_of_them


# Memories


def test_passages_that_do_not_fit_are_left_out(room):
    passages = [room.memories.Passage(text, "2023-05-08") for text in ("a " * 9, "b " * 50, "c " * 9, "d")]
    kept = room.memories.fitting(passages, room.memories.Limits(2, 40))
    assert [each.text[0] for each in kept] == ["a", "c"]
    assert room.memories.fitting(passages, room.memories.Limits(0, 40)) == []
    assert kept[1].line.startswith("[8 May 2023] c c")


def test_of_what_does_not_fit_the_newest_part_is_told(room):
    passages = room.memories.passages_of(case_of(room))
    last = passages[-1].tokens
    assert room.memories.newest_part(passages, 1_000) == passages
    assert room.memories.newest_part(passages, last) == passages[-1:]
    assert room.memories.newest_part(passages, last - 1) == []


def test_the_plain_file_puts_lines_with_most_words_first_then_newer_ones(room):
    memory = room.memories.PlainFile(room.memories.Limits())
    memory.open(case_of(room))
    assert [each.text for each in memory.recall("What does the cat of Ann do?")] == [
        "Ann: The cat sleeps in my red car.",
        "Ann: I adopted a grey cat.",
    ]
    assert [each.text[:9] for each in memory.recall("Which cat is grey?")] == ["Ann: I ad", "Ann: The "]
    assert memory.recall("Cats?") == []


def test_aeon_and_the_rankings_tell_the_message_that_answers_first(room, tmp_path):
    case, embedder, limits = case_of(room), HashEmbedder(), room.memories.Limits(2)
    record = room.record.Record(tmp_path, embedder)
    record.write(case)
    memories = [
        room.memories.AeonPassages(record, embedder, limits),
        room.memories.RankedMessages(room.systems.PlainBM25(), limits),
        room.memories.RankedMessages(room.systems.PlainVectors(embedder, record), limits),
    ]
    for memory in memories:
        memory.open(case)
        found = memory.recall("Who adopted a grey cat?")
        assert found[0] == room.memories.Passage("Ann: I adopted a grey cat.", case.said[0].at), memory.name
        assert len(found) <= 2
    record.store.close()


# Prompts


def test_the_prompt_has_the_passages_with_their_days_and_the_question_last(room):
    passages = room.memories.passages_of(case_of(room))[:1]
    request = room.prompts.reader_request("What?", passages, 48)
    assert request.prompt == "What was said:\n[8 May 2023] Ann: I adopted a grey cat.\n\nQuestion: What?\nAnswer:"
    assert (request.max_tokens, request.temperature) == (48, 0)


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [("Right.", "right"), ("**wrong**, since", "wrong"), ("Rightly so", "unclear"), ("", "unclear"), ("1", "unclear")],
)
def test_a_verdict_is_the_first_word_of_the_judge(room, reply, verdict):
    assert room.prompts.verdict_of(reply) == verdict


# Answers


def ask(room, kept, model, *, setup="s"):
    case = case_of(room)
    memory = room.memories.PlainFile(room.memories.Limits())
    questions = room.questions.short_questions([case])
    room.read.ask_all(room.read.Reader("r", model, 48), setup, memory, [case], questions, kept)


def test_a_run_that_was_stopped_goes_on_where_it_was(room, tmp_path):
    path = tmp_path / "answers.jsonl"
    with pytest.raises(LLMError):
        ask(room, room.answers.AnswerFile(path), Replies("a grey cat", LLMError("The server is gone.")))
    with path.open("a") as file:
        file.write('{"setup": "s", "mem')  # the run was killed while it wrote
    model = Replies("in a car")
    ask(room, room.answers.AnswerFile(path), model)
    assert [each.prompt.split("\n")[-2] for each in model.requests] == ["Question: Where does the cat sleep?"]
    kept = room.answers.AnswerFile(path)
    assert [(each.question, each.text) for each in kept.answers.values()] == [
        ("one/1", "a grey cat"),
        ("one/3", "in a car"),
    ]
    ask(room, kept, Replies())
    other = Replies("a", "b")
    ask(room, kept, other, setup="other limits")
    assert len(other.requests) == 2


def test_a_refused_request_is_an_empty_answer(room, tmp_path):
    kept = room.answers.AnswerFile(tmp_path / "answers.jsonl")
    ask(room, kept, Replies(LLMRequestError("Too long.", next_step="Shorten it."), "in the car"))
    refused, answered = kept.answers.values()
    assert (refused.text, refused.failure, refused.used) == ("", "Too long. Shorten it.", 0)
    assert (answered.failure, answered.passages, answered.used) == (None, 2, 0.5)
    assert room.table.notes([refused, answered], {}) == [
        "plain file, grep: 1 requests were refused and count as wrong; the first: Too long. Shorten it."
    ]


def test_notes_say_what_did_not_fit_and_what_the_judge_did_not_decide(room):
    whole = room.memories.WholeConversations.name
    answers = [
        room.answers.Answer("s", whole, str(number), "4", "?", "x", "y", None, 1, 9, is_all, 0.0, 1.0)
        for number, is_all in enumerate((True, False))
    ]
    assert room.table.notes(answers, {answers[1].key: "unclear"}) == [
        f"{whole}: it fitted the context for 1 of 2 questions; for the others, its newest part was told.",
        f"{whole}: 1 verdicts were neither right nor wrong, and count as wrong.",
    ]


def test_verdicts_stand_in_the_file_of_answers_and_in_the_table(room, tmp_path):
    path = tmp_path / "answers.jsonl"
    kept = room.answers.AnswerFile(path)
    ask(room, kept, Replies("a grey cat", "at home"))
    for key, verdict in zip([*kept.answers], ["right", "wrong"], strict=True):
        kept.add_verdict("judge", key, verdict)
    again = room.answers.AnswerFile(path)
    assert again.verdicts == kept.verdicts
    verdicts = {key: verdict for (_, key), verdict in again.verdicts.items()}
    row = room.table.table([*again.answers.values()], verdicts).split("\n")[-1]
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[:5] == ["plain file, grep", "2", "0.500", "0.500 ± 0.500", "0.500 of 2"]
    assert room.table.table([*again.answers.values()], {}).split("\n")[-1].split("|")[5].strip() == "-"
    assert all("api" not in json.loads(line) for line in path.read_text().splitlines())


def test_a_judge_is_asked_once_for_each_answer(room, tmp_path, monkeypatch):
    kept = room.answers.AnswerFile(tmp_path / "answers.jsonl")
    ask(room, kept, Replies("a grey cat", "at home"))
    judge = Replies("right", "wrong")
    monkeypatch.setattr(room.read, "remote_model", lambda *_, **__: judge)
    options = room.read._options(
        ["--locomo", "f", "--embedded", "small", "--judge-endpoint", "http://127.0.0.1:1/v1", "--judge-model", "j"]
    )
    questions = room.questions.short_questions([case_of(room)])
    for _ in range(2):
        room.read.judge_all(options, questions, kept)
    assert [*kept.verdicts.values()] == ["right", "wrong"]
    assert "Reference: a grey cat\nAnswer: a grey cat" in judge.requests[0].prompt


@pytest.mark.parametrize("given", [[], ["--embedded", "small", "--endpoint", "u"], ["--endpoint", "u"]])
def test_options_that_name_no_reader_are_refused(room, given):
    with pytest.raises(SystemExit):
        room.read._options(["--locomo", "f", *given])


# Manifests


def test_the_manifests_of_a_project_say_how_much_of_what_was_recalled_is_used(room, tmp_path):
    model = Replies("Noted.", "At Northwind.", "Nobody knows.")
    with Project.open(tmp_path, model=model) as project:
        for message in ("Mara works at Northwind.", "Where does Mara work?", "How are you?"):
            list(project.conversations.ask(None, message))
        found = list(room.used.recalls(project.conversations))
    assert sorted((each.items, each.used) for each in found) == [(0, 0), (0, 0), (1, 1)]
    tokens = max(each.tokens for each in found)
    assert room.used.report(found) == (
        f"3 answers, of which 1 recalled something: 1.0 items with {tokens} tokens (at most {tokens}), "
        "1.000 of the items used."
    )
    assert room.used.report(found[:0]) == "0 answers, none of which recalled anything."
