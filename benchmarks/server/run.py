"""What the server costs: `python benchmarks/server/run.py`; --help lists options. It prints the table of RESULTS.md.

`aeon serve` is a process of its own, on SQLite in a folder of its own. Its routes stand beside a bare FastAPI route on
the same uvicorn, and a change beside the call of the service under it, in turns.
"""

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from aeon.application.workspace import Workspace, open_workspace
from aeon.settings import load_settings
from aeon.testing.wire_double import WireDouble
from aeon.testing.wire_rules import TextResponse, WireExchange
from processes import Served, read_answer, start_aeon, start_bare

STREAMS_OF_USER = 30

CATALOG = """
kind: Service
name: graph
type: neo4j_graph
protocol: bolt
connectionSchema: {type: object, required: [endpoint]}
---
kind: Tool
name: mine
service: graph
connectionParams: {endpoint: "aeon:graph"}
operation: {type: graph_query, query: "@users_of_mine"}
inputSchema: {type: object}
---
kind: Process
name: waits
steps:
  - {id: ask, tool: mine, output: said, execution: {interactionMode: manual, timeout: 300}}
---
kind: Process
name: steps
steps:
"""
CATALOG += "".join(
    f"  - {{id: s{n}, tool: mine, output: o{n}{f', dependsOn: [s{n - 1}]' if n else ''}}}\n" for n in range(8)
)


class Row:
    """Prints a row of the table as soon as it is measured."""

    missed = 0

    def __init__(self, what: str, measured: str, aim: str, *, is_met: bool) -> None:
        Row.missed += not is_met
        print(f"| {what} | {measured} | {aim}: {'met' if is_met else '**missed**'} |", flush=True)


class Timed:
    """An answer of the model that begins when it is told to."""

    def __init__(self) -> None:
        self.begins = threading.Event()
        self.began = 0.0

    def play(self, exchange: WireExchange) -> None:
        self.begins.wait(30)
        self.began = time.time()
        TextResponse("Flour, eggs, milk and a pinch of salt.").play(exchange)


def p95(values: list[float]) -> float:
    return quantiles(values, n=20)[-1]


def ready(folder: Path, environ: dict[str, str], rounds: int) -> None:
    """From the start of the process to an answer that all is ready, beside `aeon init` in a folder of its own."""
    inits, serves, memory = [], [], []
    for number in range(rounds):
        own = folder / f"init{number}"
        own.mkdir()
        began = time.perf_counter()
        subprocess.run([sys.executable, "-m", "aeon", "init"], cwd=own, env=environ, check=True, capture_output=True)
        inits.append(time.perf_counter() - began)
        began = time.perf_counter()
        served = start_aeon(folder, environ)
        serves.append(time.perf_counter() - began)
        memory.append(served.memory / (1 << 20))
        served.stop()
    taken, beside = median(serves), median(serves) / median(inits)
    said = f"{taken:.2f} s, {beside:.2f} times `aeon init` ({median(inits):.2f} s)"
    Row("ready", said, "3 s, 2 times", is_met=taken <= 3 and beside <= 2)
    Row("memory when ready", f"{median(memory):.0f} MiB", "180 MiB", is_met=median(memory) <= 180)


def reads(served: Served, bare: Served, seconds: float) -> None:
    """One thing by id and a page of 50, beside a bare route, in turns."""
    ids = [served.ask("POST", "/api/v1/conversations", {"title": f"number {n}"})["id"] for n in range(60)]
    rates, bares, pages, costs = [], [], [], []
    for _ in range(3):
        bares.append(bare.load("/", seconds)[0])
        rates.append(served.load(f"/api/v1/conversations/{ids[0]}", seconds)[0])
        rate, cost = served.load("/api/v1/conversations?limit=50", seconds)
        pages.append(rate)
        costs.append(cost)
    share = median(rates) / median(bares)
    said = f"{median(rates):.0f} a second, 1/{1 / share:.1f} of a bare route ({median(bares):.0f})"
    Row("one thing by id", said, "1/8", is_met=share >= 1 / 8)
    Row("a page of 50", f"{median(costs):.1f} ms CPU, {median(pages):.0f} a second", "4 ms", is_met=median(costs) <= 4)


def changes(served: Served, workspace: Workspace, rounds: int) -> None:
    """A change through the server beside the same call of the service, in turns, in one record."""
    ours, theirs = [], []
    with socket.create_connection(("127.0.0.1", served.port)) as wire:
        for _ in range(rounds):
            began = time.perf_counter()
            wire.sendall(served.request("POST", "/api/v1/conversations", '{"title": "x"}'))
            read_answer(wire)
            ours.append((time.perf_counter() - began) * 1e3)
            began = time.perf_counter()
            workspace.conversations.create("x")
            theirs.append((time.perf_counter() - began) * 1e3)
    times = median(ours) / median(theirs)
    said = f"{median(ours):.1f} ms, {times:.2f} times the call of the service ({median(theirs):.1f} ms)"
    Row("a change", said, "2 times", is_met=times <= 2)


@contextmanager
def events(served: Served, path: str) -> Iterator[Iterator[tuple[str, Any, float]]]:
    """The events of a stream: name, data, when it came."""
    with closing(served.connection()) as connection:
        connection.request("GET", path, headers=served.headers)
        answer = connection.getresponse()
        assert answer.status == 200, answer.read()

        def each() -> Iterator[tuple[str, Any, float]]:
            name = ""
            while line := answer.readline().decode().strip("\n") or answer.readline().decode().strip("\n"):
                at = time.time()
                if line.startswith("event: "):
                    name = line[7:]
                elif line.startswith("data: "):
                    yield name, json.loads(line[6:]), at
                    if name == "end":
                        return

        yield each()


def ages(served: Served, rounds: int) -> None:
    """How old an entry of a run is when a client has it; those of the first moment are left out."""
    found = []
    for _ in range(rounds):
        run = served.ask("POST", "/api/v1/processes/steps/runs", {})["id"]
        connected = time.time()
        with events(served, f"/api/v1/runs/{run}/events") as stream:
            for name, data, at in stream:
                if name == "entry":
                    made = datetime.fromisoformat(data["at"]).astimezone(UTC).timestamp()
                    found += [(at - made) * 1e3] if made > connected else []
    said = f"p50 {median(found):.0f}, p95 {p95(found):.0f} ms ({len(found)} events)"
    Row("age of an event at a client", said, "p95 150 ms", is_met=p95(found) <= 150)


def first_pieces(served: Served, answers: list[Timed]) -> None:
    """From the model's beginning to the first piece at a reader that waits, of a conversation's answer."""
    taken, ends = [], []
    for answer in answers:
        place = served.ask("POST", "/api/v1/conversations", {})["id"]
        said = served.ask("POST", f"/api/v1/conversations/{place}/messages", {"content": "What?"})["id"]
        made = served.ask("POST", f"/api/v1/messages/{said}/answers")["id"]
        with events(served, f"/api/v1/messages/{made}/events") as stream:
            threading.Timer(0.7, answer.begins.set).start()
            came = {}
            for name, _, at in stream:
                came.setdefault(name, at)
        taken.append((came["piece"] - answer.began) * 1e3)
        ends.append((came["end"] - answer.began) * 1e3)
    said = f"p50 {median(taken):.0f}, p95 {p95(taken):.0f} ms; the end after {median(ends):.0f} ms"
    Row("first piece after the model's", said, "60 ms", is_met=p95(taken) <= 60)


def chat_pieces(served: Served, answers: list[Timed]) -> None:
    """The same at the door for chat programs."""
    taken = []
    for answer in answers:
        asked = {"model": "chat", "messages": [{"role": "user", "content": "What?"}], "stream": True}
        threading.Timer(0.7, answer.begins.set).start()
        with closing(served.connection()) as connection:
            headers = {"Content-Type": "application/json", **served.headers}
            connection.request("POST", "/v1/chat/completions", json.dumps(asked), headers)
            found = connection.getresponse()
            while (line := found.readline()) and b'"content": "F' not in line:
                continue
            taken.append((time.time() - answer.began) * 1e3)
            found.read()
    said = f"p50 {median(taken):.0f}, p95 {p95(taken):.0f} ms"
    Row("the same for a chat program", said, "60 ms", is_met=p95(taken) <= 60)


def idle(served: Served, tokens: list[str], number: int, seconds: float) -> None:
    """Streams of runs that wait for a person."""
    paths = []
    for token in tokens:
        own = Served(served.process, served.port, token)
        own.ask("POST", "/api/v1/apply", {"text": CATALOG})
        run = own.ask("POST", "/api/v1/processes/waits/runs", {})["id"]
        paths += [(own, f"/api/v1/runs/{run}/events")] * STREAMS_OF_USER
    served.load("/api/v1/session", 1.0, clients=64)  # all threads of the server have begun, each with a connection
    time.sleep(2)
    cpu = served.cpu
    time.sleep(seconds)
    without = (served.cpu - cpu) / seconds
    opened, half = [], 0
    for own, path in paths[:number]:
        wire = socket.create_connection(("127.0.0.1", served.port))
        wire.sendall(own.request("GET", path))
        assert wire.recv(65536).startswith(b"HTTP/1.1 200")
        opened.append(wire)
        half = served.memory if len(opened) <= number // 2 else half
    time.sleep(1)
    cpu = served.cpu
    time.sleep(seconds)
    share = (served.cpu - cpu) / seconds - without
    each = (served.memory - half) / (number - number // 2) / 1024  # of the second half: the first one fills caches
    for wire in opened:
        wire.close()
    said = f"{each:.0f} KiB each, {share:.1%} of a core"
    Row(f"{number} idle streams", said, "32 KiB, 3 %", is_met=each <= 32 and share <= 0.03)


@contextmanager
def workspace_of(folder: Path, environ: dict[str, str], user: str) -> Iterator[Workspace]:
    loaded = load_settings({}, environ, folder)
    with open_workspace(folder, loaded, environ, user) as workspace:
        yield workspace


def measure(folder: Path, options: argparse.Namespace) -> None:
    answers = [Timed() for _ in range(2 * options.answers)]
    with WireDouble([answers[0], *answers[1:]]) as model:
        own = {"HOME": str(folder), "XDG_STATE_HOME": str(folder / "state"), "PATH": os.environ["PATH"]}
        environ = {**own, "AEON_MODEL_BASE_URL": model.base_url, "AEON_MODEL_NAME": "scripted"}
        os.environ.update(own)  # of the record that this process opens beside the server
        project = folder / "project"
        (project / ".git").mkdir(parents=True)
        (project / "aeon.toml").write_text("[conversations]\ntitles = false\n")  # a title would take a scripted answer
        ready(project, environ, options.starts)
        served, bare = start_aeon(project, environ), start_bare()
        try:
            with workspace_of(project, environ, "me") as workspace:
                token = workspace.access.new_token("me", "benchmark").secret
                served = Served(served.process, served.port, token)
                served.ask("POST", "/api/v1/apply", {"text": CATALOG})
                parts: list[Callable[[], None]] = [
                    lambda: reads(served, bare, options.seconds),
                    lambda: changes(served, workspace, options.rounds),
                    lambda: ages(served, options.runs),
                    lambda: first_pieces(served, answers[: options.answers]),
                    lambda: chat_pieces(served, answers[options.answers :]),
                ]
                for part in parts:
                    part()
            users = [f"user{number}" for number in range(-(-options.streams // STREAMS_OF_USER))]
            tokens = []
            for user in users:
                with workspace_of(project, environ, user) as workspace:
                    tokens.append(workspace.access.new_token(user, "benchmark").secret)
            idle(served, tokens, options.streams, options.idle)
        finally:
            served.stop()
            bare.stop()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--starts", type=int, default=5, help="starts of the server")
    parser.add_argument("--seconds", type=float, default=2.0, help="of load, three times each")
    parser.add_argument("--rounds", type=int, default=300, help="changes")
    parser.add_argument("--runs", type=int, default=20, help="runs of eight steps that are followed")
    parser.add_argument("--answers", type=int, default=10, help="answers whose first piece is timed")
    parser.add_argument("--streams", type=int, default=200, help="idle streams")
    parser.add_argument("--idle", type=float, default=10.0, help="seconds that they stay open")
    print("| what | measured | aim |\n|---|---|---|")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        measure(Path(folder), parser.parse_args())
    return 1 if Row.missed else 0


if __name__ == "__main__":
    sys.exit(main())
