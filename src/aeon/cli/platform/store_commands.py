"""The commands of the record and of its projection, and their options. Each imports what it needs when it runs."""

from pathlib import Path
from typing import Annotated

import typer

from aeon.cli.options import MAX_LISTED, After, AsJson, Limit, Output, Since, User, Yes, group

store = group("The record: everything that this project keeps.")
graph = group("A copy of the record in a graph database (setting graph.address).")
audit = group("The audit log: who did what, and when.")
metric = group("What is measured of services, tools and Processes.")
store.add_typer(graph, name="graph")
store.add_typer(audit, name="audit")
store.add_typer(metric, name="metric")

File = Annotated[Path, typer.Argument(metavar="FILE")]
StoreTarget = Annotated[
    str, typer.Argument(metavar="TARGET", help="postgresql://user@host/database, or sqlite for this folder's file.")
]
PasswordVariable = Annotated[
    str | None,
    typer.Option("--password-env", metavar="NAME", help="The environment variable with the target's password."),
]


@store.command("status")
def store_status(output: Output = "table") -> int:
    """Show which store keeps the record, and what is in it."""
    from aeon.cli.platform.store import show_status

    return show_status(output=output)


@store.command("check")
def store_check() -> int:
    """Check the whole record for damage."""
    from aeon.cli.platform.store import check_store

    return check_store()


@store.command("backup")
def store_backup(file: File) -> int:
    """Back up the record to a file, even while it is in use.

    For PostgreSQL use pg_dump.
    """
    from aeon.cli.platform.store import back_up

    return back_up(file)


@store.command("restore")
def store_restore(file: File, yes: Yes = False) -> int:
    """Replace the record by a backup; the old one is kept."""
    from aeon.cli.confirmation import confirm

    confirm("This replaces the record by the backup.", is_confirmed=yes)
    from aeon.cli.platform.store import restore_backup

    return restore_backup(file)


@store.command("export")
def store_export(file: File) -> int:
    """Write the record as lines of JSON; - is stdout."""
    from aeon.cli.platform.store import export_record

    return export_record(file)


@store.command("import")
def store_import(file: File) -> int:
    """Import an export into this folder's empty record."""
    from aeon.cli.platform.store import import_record

    return import_record(file)


@store.command("migrate")
def store_migrate(
    to: Annotated[
        int | None, typer.Option("--to", min=0, metavar="N", help="The target version; an older one undoes migrations.")
    ] = None,
) -> int:
    """Migrate the tables of PostgreSQL; SQLite migrates by itself."""
    from aeon.cli.platform.store import migrate_store

    return migrate_store(to)


@store.command("move")
def store_move(target: StoreTarget, password_env: PasswordVariable = None) -> int:
    """Copy the record into another, empty store, and compare both.

    Stop everything that writes to it first.
    """
    from aeon.cli.platform.store import move_record

    return move_record(target, password_env)


@store.command("rebuild")
def store_rebuild() -> int:
    """Build the search indexes of conversations again.

    A search does this by itself for an index that is missing or damaged.
    """
    from aeon.cli.platform.store import rebuild_indexes

    return rebuild_indexes()


@graph.command("sync")
def graph_sync(
    watch: Annotated[
        bool, typer.Option("--watch", help="Keep running, and follow the record until interrupted.")
    ] = False,
) -> int:
    """Bring the graph up to date with the record."""
    from aeon.cli.platform.projection import sync_graph

    return sync_graph(is_watching=watch)


@graph.command("status")
def graph_status(output: Output = "table") -> int:
    """Show how far the graph is behind the record."""
    from aeon.cli.platform.projection import show_projection_status

    return show_projection_status(output=output)


@graph.command("rebuild")
def graph_rebuild(yes: Yes = False) -> int:
    """Empty the graph and rebuild it from the record."""
    from aeon.cli.confirmation import confirm

    confirm("This empties the graph before it is built again.", is_confirmed=yes)
    from aeon.cli.platform.projection import rebuild_graph

    return rebuild_graph()


@graph.command("detach")
def graph_detach() -> int:
    """Stop recording changes for the graph; it stays as it is."""
    from aeon.cli.platform.projection import detach_graph

    return detach_graph()


@store.command("search")
def store_search(
    text: Annotated[list[str], typer.Argument(metavar="WORDS...", help="Words of a name or description.")],
    kind: Annotated[
        str | None, typer.Option("--kind", metavar="KIND", help="Only of this kind: service, tool, process ...")
    ] = None,
    user: User = "me",
    output: Output = "table",
) -> int:
    """Find items of every kind by words, or by similar names."""
    from aeon.cli.platform.entities import search_entities

    return search_entities(" ".join(text), kind, user, output=output)


@audit.command("list")
def audit_list(limit: Limit = MAX_LISTED, after: After = None, user: User = "me", output: Output = "table") -> int:
    """List the entries of your audit log, newest first."""
    from aeon.cli.platform.audit import list_audit_entries

    return list_audit_entries(user, after=after, limit=limit, output=output)


@audit.command("verify")
def audit_verify(
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="SEQ:HASH", help="An earlier end of the log, as this command printed it."),
    ] = None,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Verify that your audit log was not changed.

    With --since, also that its end was not removed.
    """
    from aeon.cli.platform.audit import verify_audit_log

    return verify_audit_log(user, since, as_json=as_json)


Scope = Annotated[str | None, typer.Option("--scope", metavar="SCOPE", help="service, tool, process or conversation.")]
Entity = Annotated[str | None, typer.Option("--entity", metavar="NAME", help="Only this entity: its name or id.")]
Prometheus = Annotated[bool, typer.Option("--prometheus", help="Print the Prometheus text format.")]


@metric.command("list")
def metric_list(  # one for each option
    scope: Scope = None,
    entity: Entity = None,
    since: Since = None,
    prometheus: Prometheus = False,
    user: User = "me",
    output: Output = "table",
) -> int:
    """List the metrics with their totals."""
    from aeon.cli.platform.metrics import MetricsFilter, show_metrics

    return show_metrics(None, user, MetricsFilter(scope, entity, since), as_prometheus=prometheus, output=output)


@metric.command("show")
def metric_show(  # one for each option
    name: Annotated[str, typer.Argument(metavar="NAME", help="A metric.")],
    scope: Scope = None,
    entity: Entity = None,
    since: Since = None,
    prometheus: Prometheus = False,
    user: User = "me",
    output: Output = "table",
) -> int:
    """Show the values of a metric, per item."""
    from aeon.cli.platform.metrics import MetricsFilter, show_metrics

    return show_metrics(name, user, MetricsFilter(scope, entity, since), as_prometheus=prometheus, output=output)


@metric.command("create")
def metric_create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Lower-case words: tool.stars.")],
    scope: Annotated[str, typer.Option("--scope", metavar="SCOPE", help="service, tool, process or conversation.")],
    data_type: Annotated[str, typer.Option("--type", metavar="TYPE", help="integer, float, boolean or timestamp.")],
    aggregation: Annotated[
        str, typer.Option("--aggregation", metavar="HOW", help="sum, avg, min, max, count or last.")
    ],
    description: Annotated[str, typer.Option("--description", metavar="TEXT")] = "",
    days: Annotated[
        int | None,
        typer.Option("--retention-days", metavar="N", help="How long values are kept; default: without limit."),
    ] = None,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Create a metric, or change the one of that name and scope."""
    from aeon.cli.platform.metrics import define_metric

    new = {
        "name": name,
        "scope": scope,
        "dataType": data_type,
        "aggregation": aggregation,
        "description": description,
        "retentionDays": days,
    }
    return define_metric(new, user, as_json=as_json)


@metric.command("delete")
def metric_delete(
    name: Annotated[str, typer.Argument(metavar="NAME")],
    scope: Scope = None,
    cascade: Annotated[
        bool, typer.Option("--cascade", help="Delete its values too; without it, a metric with values is kept.")
    ] = False,
    user: User = "me",
    yes: Yes = False,
) -> int:
    """Delete a metric."""
    from aeon.cli.confirmation import confirm

    confirm(f"This deletes the metric {name}.", is_confirmed=yes)
    from aeon.cli.platform.metrics import delete_metric

    return delete_metric(name, scope, user, is_cascading=cascade)
