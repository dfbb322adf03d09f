"""What a search costs in the memory of a user who has said much; the texts and vectors are made up."""

import random
import time
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from statistics import median, quantiles

from datasets import Case, Said
from record import Record
from systems import TimedEmbedder

from aeon.platform.embedder import EmbeddedTexts, Embedder, unit_vector
from aeon.platform.knowledge.retrieval import KnowledgeSearch

MESSAGES, SESSIONS, WORDS = 10_000, 250, 20_000
TODAY = date(2026, 1, 1)


class RandomEmbedder(Embedder):
    """Gives each text a vector at random, of the length of the embedded model's."""

    def __init__(self) -> None:
        self._chance = random.Random(1)

    @property
    def model(self) -> str:
        return "random"

    @property
    def dimensions(self) -> int:
        return 384

    @property
    def max_tokens(self) -> int:
        return 256

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def embed(self, texts: Sequence[str]) -> EmbeddedTexts:
        vectors = [[self._chance.gauss(0, 1) for _ in range(self.dimensions)] for _ in texts]
        return EmbeddedTexts([unit_vector(vector) or vector for vector in vectors], 0)


def case_of(messages: int) -> Case:
    """Messages of 5 to 60 words, of which few are frequent and most are rare, as in a language."""
    chance = random.Random(7)
    words = [_word(number) for number in range(WORDS)]
    weights = [1 / (rank + 5) for rank in range(WORDS)]
    said = [
        Said(
            place * SESSIONS // messages,
            "assistant" if place % 2 else "user",
            " ".join(chance.choices(words, weights, k=chance.randint(5, 60))),
            f"2025-{place * 12 // messages + 1:02}-01T00:00:00.000000+00:00",
        )
        for place in range(messages)
    ]
    return Case("much", said, [])


def measure_scale(folder: Path) -> None:
    """Print what the first search costs, one after a new message, and any other."""
    chance, embedder = random.Random(9), RandomEmbedder()
    timed = TimedEmbedder(embedder)
    record, case = Record(folder, embedder), case_of(MESSAGES)
    record.write(case)
    questions = [" ".join(chance.sample(said.text.split(), k=5)) for said in chance.sample(case.said, k=200)]
    print(f"## {MESSAGES:,} messages in {SESSIONS} conversations\n")
    print("| ms of CPU | words alone | with vectors |\n|---|--:|--:|")
    figures: list[list[str]] = []
    for model in (None, timed):
        search = KnowledgeSearch(record.store, model)

        def find(question: str, search: KnowledgeSearch = search) -> float:
            embedded, began = timed.seconds, time.process_time()
            search.find(case.name, question, today=TODAY)
            return (time.process_time() - began - (timed.seconds - embedded)) * 1e3

        first, taken = find(questions[0]), [find(question) for question in questions]
        after = []
        for number in range(20):
            record.append(case, f"One more message, number {number}.")
            after.append(find(questions[number]))
        values = [first, median(taken), quantiles(taken, n=20)[-1], median(after)]
        figures.append([f"{value:,.1f}" for value in values])
    names = ("the first search, which reads all of it", "a search, median", "a search, p95", "a search after a message")
    for name, *cells in zip(names, *figures, strict=True):
        print(f"| {name} | {' | '.join(cells)} |")
    print()
    record.store.close()


def _word(number: int) -> str:
    letters = "bdfgklmnprstvz"
    return "".join(letters[number // 14**place % 14] + "aeiou"[(number + place) % 5] for place in range(4))
