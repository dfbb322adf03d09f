"""`aeon graph`: the copy of the record in a graph database, brought up to date, watched, made anew."""

import os
import threading
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

from aeon.base.errors import AeonError
from aeon.bootstrap.graphs import open_target, projector
from aeon.bootstrap.stores import open_store
from aeon.cli import session
from aeon.cli.codes import Code
from aeon.cli.say import put, say
from aeon.cli.text import clean, pretty
from aeon.platform.projection import Projector


def sync_graph(*, is_watching: bool) -> int:
    """Bring the graph up to date, once or again and again. Raises ProjectionError, StoreError."""
    with _opened() as graph:
        events, behind = graph.sync(), graph.status().behind
        state = "is up to date" if not behind else f"is {behind:,} event(s) behind, which are not committed yet"
        put(f"{clean(graph.target)} {state}: {events:,} event(s) taken")
        if is_watching:
            say("follows the record until you press Ctrl-C")
            graph.follow(threading.Event().wait, report=_report)
    return Code.DONE


def show_lag(*, as_json: bool) -> int:
    """How far the graph is behind the record; FAILED where it must be rebuilt."""
    with _opened() as graph:
        status = graph.status()
    if as_json:
        told = {"target": status.target, "state": status.state, "behind": status.behind, "lagSeconds": status.lag}
        put(pretty({**told, "reason": status.reason or None}))
    else:
        put(f"{clean(status.target)} is {status.state}: {status.behind:,} event(s) behind, {status.lag:.1f} s")
    if status.state == "rebuild required":
        say(f"{clean(status.reason)} Run `aeon graph rebuild`.", "next: ")
        return Code.FAILED
    return Code.DONE


def rebuild_graph() -> int:
    """Make the graph anew from the record."""
    with _opened() as graph:
        graph.rebuild()
        put(f"{clean(graph.target)} holds the record as it is now")
    return Code.DONE


def detach_graph() -> int:
    """Have the record note no more changes for the graph."""
    with _opened() as graph:
        graph.retire()
        put(f"the record notes no more changes for {clean(graph.target)}")
    return Code.DONE


@contextmanager
def _opened() -> Generator[Projector]:
    here = session.settings_here()
    with closing(open_target(here.settings.graph, os.environ, here.from_project)) as target:
        store = open_store(Path.cwd(), here.settings.store, os.environ, here.from_project)
        with closing(store):
            yield projector(store, target)


def _report(error: AeonError) -> None:
    say(f"{clean(error.message)} It is tried again.", "warning: ")
