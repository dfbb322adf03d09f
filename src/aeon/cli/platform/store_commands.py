"""The commands of the record and of its projection, with their options. Each imports what it needs when it runs."""

from pathlib import Path
from typing import Annotated

import typer

from aeon.cli.options import AsJson, group

store = group(
    "Look after the record: everything that this project keeps, but the values of secrets, which are in the vault."
)
graph = group("Keep a copy of the record in a graph database, Neo4j or FalkorDB, that the setting graph.address names.")

File = Annotated[Path, typer.Argument(metavar="FILE")]
StoreTarget = Annotated[
    str, typer.Argument(metavar="TARGET", help="postgresql://user@host/database, or sqlite for this folder's file.")
]
PasswordVariable = Annotated[
    str | None,
    typer.Option("--password-env", metavar="NAME", help="The environment variable with the target's password."),
]


@store.command("status")
def store_status(as_json: AsJson = False) -> int:
    """Show which store keeps the record, its version, and how much is in it."""
    from aeon.cli.platform.store import show_status

    return show_status(as_json=as_json)


@store.command("check")
def store_check() -> int:
    """Check the whole record for damage: pages, references, tables, audit trails."""
    from aeon.cli.platform.store import check_store

    return check_store()


@store.command("backup")
def store_backup(file: File) -> int:
    """Copy the record into a file, also while it is written to. For PostgreSQL use pg_dump."""
    from aeon.cli.platform.store import back_up

    return back_up(file)


@store.command("restore")
def store_restore(file: File) -> int:
    """Replace the record by a backup; what was there is kept beside it."""
    from aeon.cli.platform.store import restore_backup

    return restore_backup(file)


@store.command("export")
def store_export(file: File) -> int:
    """Write every node and edge of the record as a line of JSON; - is stdout."""
    from aeon.cli.platform.store import export_record

    return export_record(file)


@store.command("import")
def store_import(file: File) -> int:
    """Fill this folder's empty record with what an export wrote, from whatever store or older version."""
    from aeon.cli.platform.store import import_record

    return import_record(file)


@store.command("migrate")
def store_migrate(
    to: Annotated[
        int | None, typer.Option("--to", min=0, metavar="N", help="A version; an older one takes steps back.")
    ] = None,
) -> int:
    """Bring the tables of the PostgreSQL database to this Aeon's version. SQLite does it by itself."""
    from aeon.cli.platform.store import migrate_store

    return migrate_store(to)


@store.command("move")
def store_move(target: StoreTarget, password_env: PasswordVariable = None) -> int:
    """Copy the record into another, empty store, and compare both. Stop everything that writes to it first."""
    from aeon.cli.platform.store import move_record

    return move_record(target, password_env)


@graph.command("sync")
def graph_sync(
    watch: Annotated[bool, typer.Option("--watch", help="Stay, and follow the record until you stop it.")] = False,
) -> int:
    """Bring the graph up to date with the record."""
    from aeon.cli.platform.projection import sync_graph

    return sync_graph(is_watching=watch)


@graph.command("status")
def graph_status(as_json: AsJson = False) -> int:
    """Show how far the graph is behind the record."""
    from aeon.cli.platform.projection import show_projection_status

    return show_projection_status(as_json=as_json)


@graph.command("rebuild")
def graph_rebuild() -> int:
    """Empty the graph and fill it anew from the record."""
    from aeon.cli.platform.projection import rebuild_graph

    return rebuild_graph()


@graph.command("detach")
def graph_detach() -> int:
    """Stop keeping changes for the graph; it stays as it is."""
    from aeon.cli.platform.projection import detach_graph

    return detach_graph()
