"""Measures the finder of names and statements on labelled turns: python benchmarks/memory/extraction/run.py

Turns of one conversation follow one another, so that what the user wrote before helps as it does in the product. A set
that the finder was tuned on says little; see RESULTS.md for which ones were opened when.
"""

import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from aeon.platform.knowledge.names import distinct_names, find_names
from aeon.platform.knowledge.pairs import pairs_of
from aeon.platform.knowledge.readings import words_of
from aeon.platform.knowledge.statements import find_statements
from aeon.platform.knowledge.word_cases import count_cases

FILES = ("turns.jsonl", "turns_2.jsonl", "turns_3.jsonl", "turns_4.jsonl")
NOT_STATED = ("question", "quote", "hypothetical")


def turns() -> Iterator[dict]:
    for name in FILES:
        for line in (Path(__file__).parent / name).read_text("utf-8").splitlines():
            yield json.loads(line)


def measure(turn: Mapping, cases: Mapping[str, tuple[int, int]]) -> Counter:
    """Count what was found, missed and invented in a turn."""
    began = time.process_time()
    names = set(distinct_names(find_names(turn["text"], cases)))
    statements = find_statements(turn["text"], cases)
    pairs = {frozenset(pair) for each in statements for pair in pairs_of(each)}
    took = time.process_time() - began
    wanted, wanted_pairs = set(turn["names"]), {frozenset(pair) for pair in turn["pairs"]}
    return Counter(
        {
            "turns": 1,
            "names": len(names & wanted),
            "invented names": len(names - wanted),
            "missed names": len(wanted - names),
            "pairs": len(pairs & wanted_pairs),
            "invented pairs": len(pairs - wanted_pairs),
            "missed pairs": len(wanted_pairs - pairs),
            "statements": len(statements),
            "statements of what is not stated": len(statements) if turn["kind"] in NOT_STATED else 0,
            "microseconds": round(took * 1e6),
        }
    )


def measured() -> dict[tuple[str, str], Counter]:
    """The counts by set and language."""
    found: dict[tuple[str, str], Counter] = defaultdict(Counter)
    written: dict[str, dict[str, tuple[int, int]]] = defaultdict(dict)
    for turn in turns():
        before = written[turn["conversation"]]
        counted = count_cases(turn["text"])
        words = words_of(turn["text"]) | counted.keys()
        cases = {word: added(before.get(word, (0, 0)), counted.get(word, (0, 0))) for word in words}
        counts = measure(turn, cases)
        found[turn["set"], turn["language"]].update(counts)
        found[turn["set"], "all"].update(counts)
        before.update({word: cases[word] for word in counted})
    return found


def added(first: tuple[int, int], second: tuple[int, int]) -> tuple[int, int]:
    return first[0] + second[0], first[1] + second[1]


def share(part: int, *others: int) -> str:
    whole = part + sum(others)
    return f"{part / whole:.2f}" if whole else "-"


def main() -> None:
    print("| set | language | turns | names P | names R | pairs P | pairs R | statements | not stated | ms a turn |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for (name, language), each in measured().items():
        cells = (
            name,
            language,
            each["turns"],
            share(each["names"], each["invented names"]),
            share(each["names"], each["missed names"]),
            share(each["pairs"], each["invented pairs"]),
            share(each["pairs"], each["missed pairs"]),
            each["statements"],
            each["statements of what is not stated"],
            f"{each['microseconds'] / each['turns'] / 1000:.2f}",
        )
        print(f"| {' | '.join(map(str, cells))} |")


if __name__ == "__main__":
    main()
