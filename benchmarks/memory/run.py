"""How well the search in knowledge finds evidence: `python benchmarks/memory/run.py --locomo FILE --beam FOLDERS`.

See README.md of this folder for where the two data sets come from. The first half of the cases of each was used to
choose weights, the second half was not; both are printed. Without them, only the cost of a search is measured.
"""

import argparse
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from datasets import Case, Question, count_beam, load_beam, load_locomo
from record import Record
from scale import measure_scale
from scores import mean, recall, sessions_of
from systems import PlainBM25, PlainVectors, Product, SqliteFullText, System, TimedEmbedder

from aeon.adapters.embeddings.minilm import MiniLMEmbedder


class Outcome(NamedTuple):
    """What a system found for a question."""

    question: Question
    is_tuning: bool
    turns: dict[int, float]
    sessions: float
    seconds: float


def outcomes(system: System, cases: Sequence[Case], embedder: TimedEmbedder) -> list[Outcome]:
    """What a system finds for all questions; the time of embedding a question is not counted."""
    found: list[Outcome] = []
    for number, case in enumerate(cases):
        system.open(case)
        session_of = [said.session for said in case.said]
        for question in case.questions:
            embedded, began = embedder.seconds, time.process_time()
            ranking = system.rank(question.text)
            seconds = time.process_time() - began - (embedder.seconds - embedded)
            sessions = {session_of[place] for place in question.evidence}
            found.append(
                Outcome(
                    question,
                    number < len(cases) // 2,
                    {first: recall(ranking, question.evidence, first) for first in (5, 10, 20)},
                    recall(sessions_of(ranking, session_of), sessions, 5),
                    seconds,
                )
            )
    return found


def row(name: str, found: Sequence[Outcome], *, with_sessions: bool) -> str:
    """A line of the table: recall on the tuning half, the other half, and all; milliseconds a question."""
    halves = ([each for each in found if each.is_tuning], [each for each in found if not each.is_tuning], found)
    cells = [
        " / ".join(f"{mean([each.turns[first] for each in half]):.3f}" for half in halves).replace("0.", ".")
        for first in (5, 10, 20)
    ]
    if with_sessions:
        cells.append(" / ".join(f"{mean([each.sessions for each in half]):.3f}" for half in halves).replace("0.", "."))
    cells.append(f"{median(each.seconds for each in found) * 1e3:.1f}")
    return f"| {name} | {' | '.join(cells)} |"


def by_kind(found: Sequence[Outcome]) -> str:
    """Recall@10 of all questions by their kinds."""
    kinds = sorted({each.question.kind for each in found})
    values = {kind: [each.turns[10] for each in found if each.question.kind == kind] for kind in kinds}
    return ", ".join(f"{kind} {mean(values[kind]):.2f} ({len(values[kind])})" for kind in kinds)


def measure(title: str, cases: Sequence[Case], folder: Path, *, with_sessions: bool, with_vectors: bool) -> None:
    embedder = TimedEmbedder(MiniLMEmbedder())
    record = Record(folder, embedder if with_vectors else None)
    for case in cases:
        record.write(case)
    questions, said = sum(len(case.questions) for case in cases), sum(len(case.said) for case in cases)
    print(f"## {title}: {len(cases)} cases, {said:,} messages, {questions:,} questions\n")
    print(f"| | recall@5 | recall@10 | recall@20 |{' sessions@5 |' if with_sessions else ''} ms of CPU |")
    print(f"|---|---|---|---|{'---|' if with_sessions else ''}--:|")
    systems: list[System] = [PlainBM25(), SqliteFullText(), Product("Aeon, words alone", record, None)]
    if with_vectors:
        systems += [PlainVectors(embedder, record), Product("Aeon", record, embedder)]
    for system in systems:
        found = outcomes(system, cases, embedder)
        print(row(system.name, found, with_sessions=with_sessions), flush=True)
    print(f"\nAeon's recall@10 by kind of question: {by_kind(found)}\n")
    record.store.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--locomo", type=Path, help="locomo10.json")
    parser.add_argument("--beam", type=Path, nargs="+", default=[], help="the folders chats/100K and chats/1M")
    parser.add_argument("--no-vectors", action="store_true", help="embeds nothing, and compares what works by words")
    parser.add_argument("--folder", type=Path, help="keeps the records here, so that the next run embeds nothing again")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        folder = options.folder or Path(temporary)
        with_vectors = not options.no_vectors
        if options.locomo is not None:
            cases = load_locomo(options.locomo)
            measure("LoCoMo", cases, folder / "locomo", with_sessions=True, with_vectors=with_vectors)
        for chats in options.beam:
            cases = load_beam(chats)
            title = f"BEAM {chats.name}, {len(cases)} of {count_beam(chats)} chats"
            measure(title, cases, folder / f"beam-{chats.name}", with_sessions=False, with_vectors=with_vectors)
        measure_scale(Path(temporary) / "scale")


if __name__ == "__main__":
    main()
