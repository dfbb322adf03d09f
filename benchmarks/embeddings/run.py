"""What embeddings cost: `python benchmarks/embeddings/run.py`. It prints the table of RESULTS.md.

CPU time of one process, which embeds each text alone on one core; medians over texts that differ.
"""

import argparse
import random
import time
from pathlib import Path
from statistics import median

from aeon.adapters.embeddings.minilm import MiniLMEmbedder
from aeon.adapters.embeddings.wordpiece import bert_uncased

TEXT = (
    "the train to leaves at noon from platform seven while she reads about pancakes flour eggs milk sugar a river "
    "flows through city and nobody knows which meeting was moved yesterday because weather in mountains changed"
)
PAIRS = (
    ("When does the train leave?", "What is the departure time of the train?"),
    ("When does the train leave?", "The train has twelve carriages."),
    ("When does the train leave?", "I like pancakes."),
    ("When does the train leave?", "Wann fährt der Zug ab?"),
    ("I like coffee.", "I do not like coffee."),
)


def resident() -> int:
    """MiB of memory that this process has now."""
    status = Path("/proc/self/status").read_text("ascii")
    return int(status.partition("VmRSS:")[2].split()[0]) // 1024


def text_of(tokens: int, chance: random.Random) -> str:
    """A text with so many tokens, its two special ones included."""
    words: list[str] = []
    while len(bert_uncased().encode(" ".join([*words, "x"]))) <= tokens:
        words.append(chance.choice(TEXT.split()))
    return " ".join(words)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--texts", type=int, default=50, help="texts of each length")
    texts, chance = options.parse_args().texts, random.Random(1)
    before, began = resident(), time.process_time()
    embedder = MiniLMEmbedder()
    embedder.embed(["ready"])
    print(f"loaded in {time.process_time() - began:.2f} s of CPU, {resident() - before} MiB more memory\n")
    print("| tokens | ms of CPU a text | of which the tokenizer |\n|--:|--:|--:|")
    for tokens in (12, 32, 100, 256):
        took, counted = [], []
        for _ in range(texts):
            text = text_of(tokens, chance)
            start = time.process_time()
            embedder.embed([text])
            between = time.process_time()
            bert_uncased().encode(text)
            took.append((between - start) * 1000)
            counted.append((time.process_time() - between) * 1000)
        print(f"| {tokens} | {median(took):.1f} | {median(counted):.2f} |")
    print(f"\nafter that: {resident()} MiB in all\n\n| texts | cosine |\n|---|--:|")
    for one, other in PAIRS:
        first, second = embedder.embed([one, other]).vectors
        print(f"| {one} / {other} | {dot(first, second):.2f} |")


def dot(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


if __name__ == "__main__":
    main()
