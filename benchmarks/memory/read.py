"""How well a reader model answers from what a memory recalls: `python benchmarks/memory/read.py --locomo FILE ...`

    --embedded small                                                 # the embedded model, without a server
    --endpoint URL --model NAME [--judge-endpoint URL --judge-model NAME]   # any OpenAI-compatible endpoint

API keys are read from READER_API_KEY and JUDGE_API_KEY. Every answer and verdict is kept in the file --answers at once;
the same command continues a run that was stopped. README.md says what is measured.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from datasets import Case, load_locomo
from reader.answers import Answer, AnswerFile, AnswerKey
from reader.memories import (
    AeonPassages,
    Limits,
    Memory,
    NoMemory,
    PlainFile,
    RankedMessages,
    WholeConversations,
)
from reader.models import embedded_model, remote_model
from reader.prompts import JUDGE_DIGEST, READER_DIGEST, judge_request, reader_request, verdict_of
from reader.questions import ShortQuestion, sample, short_questions
from reader.scores import share_used
from reader.table import notes, table
from record import Record
from systems import PlainBM25, PlainVectors

from aeon.adapters.embeddings.minilm import MiniLMEmbedder
from aeon.adapters.weights import CATALOG
from aeon.base.errors import LLMError, LLMRequestError
from aeon.llm.interface import LLMAdapter

FIRST_CASE = 5
"""The weights of the search were chosen on the first five cases; the reader is asked about the others."""

ANSWER_TOKENS, REASONING_TOKENS = 48, 4_096
PROMPT_TOKENS = 400
"""Room for the instructions and the question."""


class Reader(NamedTuple):
    """The model that answers. `title` tells it from others in the file of answers."""

    title: str
    model: LLMAdapter
    max_tokens: int


def main(arguments: Sequence[str] | None = None) -> None:
    options = _options(arguments)
    limits = Limits(options.passages, options.tokens)
    cases = load_locomo(options.locomo)[FIRST_CASE:]
    questions = sample(short_questions(cases), options.questions, options.seed)
    kept = AnswerFile(options.answers)
    try:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary, _reader(options) as reader:
            folder = (options.folder or Path(temporary)) / "locomo"
            for memory in _memories(folder, cases, limits, options.context - reader.max_tokens - PROMPT_TOKENS):
                ask_all(reader, setup_of(reader.title, limits, options.context), memory, cases, questions, kept)
        judge_all(options, questions, kept)
    except LLMError as error:
        sys.exit(f"{error} What was answered is kept; the same command continues.")
    print_results(options, questions, kept)


def setup_of(title: str, limits: Limits, context: int) -> str:
    """Name what answers must have in common to stand in one table."""
    return f"{title}, {limits.passages} passages, {limits.tokens} tokens, context {context}, prompt {READER_DIGEST}"


def ask_all(
    reader: Reader,
    setup: str,
    memory: Memory,
    cases: Sequence[Case],
    questions: Sequence[ShortQuestion],
    kept: AnswerFile,
) -> None:
    """Ask a memory's questions that have no answer yet, and keep each answer at once. Raises LLMError."""
    for case in cases:
        asked = [each for each in questions if each.case == case.name]
        waiting = [each for each in asked if AnswerKey(setup, memory.name, each.id) not in kept.answers]
        if waiting:
            memory.open(case)
        for question in waiting:
            kept.add_answer(answer_of(reader, setup, memory, case, question))
            print(f"{memory.name}: {question.id}", file=sys.stderr, flush=True)


def answer_of(reader: Reader, setup: str, memory: Memory, case: Case, question: ShortQuestion) -> Answer:
    """Ask one question. A request that the model refuses is an empty answer. Raises LLMError for other failures."""
    began = time.perf_counter()
    passages = memory.recall(question.text)
    request = reader_request(question.text, passages, reader.max_tokens)
    text, failure, usage = "", None, dict[str, Any]()
    try:
        reply = reader.model.complete(request)
        text, usage = reply.text.strip(), reply.usage
    except LLMRequestError as error:
        failure = str(error)
    seconds = time.perf_counter() - began
    return Answer(
        setup=setup,
        memory=memory.name,
        question=question.id,
        kind=question.kind,
        asked=question.text,
        expected=question.answer,
        text=text,
        failure=failure,
        passages=len(passages),
        tokens=sum(each.tokens for each in passages),
        is_all=len(passages) == len(case.said),
        used=share_used([each.text for each in passages], question.text, text),
        seconds=round(seconds, 3),
        usage=usage,
    )


def judge_all(options: argparse.Namespace, questions: Sequence[ShortQuestion], kept: AnswerFile) -> None:
    """Have the judge give its verdict on the answers that have none yet. Raises LLMError."""
    if options.judge_model is None:
        return
    judge = remote_model(options.judge_endpoint, options.judge_model, "JUDGE_API_KEY", reasons=options.reasoning_judge)
    max_tokens = REASONING_TOKENS if options.reasoning_judge else ANSWER_TOKENS
    by_id = {each.id: each for each in questions}
    for key, answer in kept.answers.items():
        if key.question in by_id and (judge_title(options), key) not in kept.verdicts:
            reply = judge.complete(judge_request(by_id[key.question], answer.text, max_tokens))
            kept.add_verdict(judge_title(options), key, verdict_of(reply.text))


def judge_title(options: argparse.Namespace) -> str:
    """Name the judge so that its verdicts are told from those of others."""
    return f"{options.judge_model}, prompt {JUDGE_DIGEST}"


def print_results(options: argparse.Namespace, questions: Sequence[ShortQuestion], kept: AnswerFile) -> None:
    """Print a table for each setup that has answered the questions."""
    asked = {each.id for each in questions}
    verdicts = {key: verdict for (judge, key), verdict in kept.verdicts.items() if judge == judge_title(options)}
    answers = [each for each in kept.answers.values() if each.question in asked]
    for setup in dict.fromkeys(each.setup for each in answers):
        own = [each for each in answers if each.setup == setup]
        print(f"\n{setup}; seed {options.seed}, {len(questions)} questions\n\n{table(own, verdicts)}")
        print("".join(f"\n{note}" for note in notes(own, verdicts)))


@contextmanager
def _reader(options: argparse.Namespace) -> Generator[Reader]:
    max_tokens = REASONING_TOKENS if options.reasoning else ANSWER_TOKENS
    if options.embedded is not None:
        with embedded_model(options.embedded, options.context) as model:
            yield Reader(f"embedded {options.embedded}", model, max_tokens)
    else:
        model = remote_model(options.endpoint, options.model, "READER_API_KEY", reasons=options.reasoning)
        yield Reader(options.model, model, max_tokens)


def _memories(folder: Path, cases: Sequence[Case], limits: Limits, room: int) -> Iterator[Memory]:
    """Yield what is compared; `room` is the estimated tokens that all that was said may have.

    Graphiti's search belongs here too, as one more `Memory`.
    """
    embedder = MiniLMEmbedder()
    record = Record(folder, embedder)
    for case in cases:
        record.write(case)
    yield AeonPassages(record, embedder, limits)
    yield RankedMessages(PlainBM25(), limits)
    yield RankedMessages(PlainVectors(embedder, record), limits)
    yield PlainFile(limits)
    yield NoMemory()
    yield WholeConversations(room)
    record.store.close()


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    defaults = Limits()
    parser.add_argument("--locomo", type=Path, required=True, help="locomo10.json")
    parser.add_argument("--embedded", choices=CATALOG, help="the embedded model that reads")
    parser.add_argument("--endpoint", help="the root of the reader's API, such as https://host/v1")
    parser.add_argument("--model", help="the reader's name at the endpoint")
    parser.add_argument("--reasoning", action="store_true", help="the reader thinks before it answers")
    parser.add_argument("--judge-endpoint", help="the root of the judge's API")
    parser.add_argument("--judge-model", help="the judge's name there")
    parser.add_argument("--reasoning-judge", action="store_true", help="the judge thinks before it answers")
    parser.add_argument("--context", type=int, default=8192, help="the tokens that the reader takes")
    parser.add_argument("--passages", type=int, default=defaults.passages, help="the most passages of a memory")
    parser.add_argument("--tokens", type=int, default=defaults.tokens, help="the most estimated tokens of them")
    parser.add_argument("--questions", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1, help="chooses the questions")
    parser.add_argument("--answers", type=Path, default=Path("answers.jsonl"), help="keeps answers and verdicts here")
    parser.add_argument("--folder", type=Path, help="keeps the record here, so that the next run embeds nothing again")
    options = parser.parse_args(arguments)
    if (options.embedded is None) == (options.endpoint is None):
        parser.error("Give either --embedded, or --endpoint and --model.")
    if (options.endpoint is None) != (options.model is None):
        parser.error("--endpoint and --model belong together.")
    if (options.judge_endpoint is None) != (options.judge_model is None):
        parser.error("--judge-endpoint and --judge-model belong together.")
    return options


if __name__ == "__main__":
    main()
