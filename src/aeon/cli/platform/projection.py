"""`aeon graph`: the copy of the record in a graph database, brought up to date, watched, made anew."""

import os
import threading
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

from aeon.base.errors import AeonError
from aeon.bootstrap.projection import new_projector, open_target
from aeon.bootstrap.stores import open_store
from aeon.cli import session
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.text import indented_json, printable
from aeon.platform.projection import Projector


def sync_graph(*, is_watching: bool) -> int:
    """Bring the graph up to date, once or again and again. Raises ProjectionError, StoreError."""
    with _projector_session() as graph:
        events, behind = graph.sync(), graph.status().behind
        state = "is up to date" if not behind else f"is {behind:,} event(s) behind, which are not committed yet"
        print_data(f"{printable(graph.target)} {state}: {events:,} event(s) taken")
        if is_watching:
            print_message("follows the record until you press Ctrl-C")
            graph.follow(threading.Event().wait, report=_report)
    return ExitCode.DONE


def show_projection_status(*, as_json: bool) -> int:
    """How far the graph is behind the record; FAILED where it must be rebuilt."""
    with _projector_session() as graph:
        status = graph.status()
    if as_json:
        told = {"target": status.target, "state": status.state, "behind": status.behind, "lagSeconds": status.lag}
        print_data(indented_json({**told, "reason": status.reason or None}))
    else:
        print_data(
            f"{printable(status.target)} is {status.state}: {status.behind:,} event(s) behind, {status.lag:.1f} s"
        )
    if status.state == "rebuild required":
        print_message(f"{printable(status.reason)} Run `aeon graph rebuild`.", "next: ")
        return ExitCode.FAILED
    return ExitCode.DONE


def rebuild_graph() -> int:
    """Make the graph anew from the record."""
    with _projector_session() as graph:
        graph.rebuild()
        print_data(f"{printable(graph.target)} holds the record as it is now")
    return ExitCode.DONE


def detach_graph() -> int:
    """Have the record note no more changes for the graph."""
    with _projector_session() as graph:
        graph.unregister()
        print_data(f"the record notes no more changes for {printable(graph.target)}")
    return ExitCode.DONE


@contextmanager
def _projector_session() -> Generator[Projector]:
    here = session.load_cli_settings()
    with closing(open_target(here.settings.graph, os.environ, here.from_project)) as target:
        store = open_store(Path.cwd(), here.settings.store, os.environ, here.from_project)
        with closing(store):
            yield new_projector(store, target)


def _report(error: AeonError) -> None:
    print_message(f"{printable(error.message)} It is tried again.", "warning: ")
