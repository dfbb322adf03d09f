"""`aeon store metric list`: shows metrics and their values; an administrator defines and deletes metrics."""

from dataclasses import dataclass
from typing import get_args

from aeon.application.metrics import ENTITY_DIMENSION, format_exposition
from aeon.application.workspace import Workspace
from aeon.base.errors import InputError
from aeon.base.json import Json, JsonObject
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.output import OutputFormat, print_as, print_table
from aeon.cli.platform.session import workspace_session
from aeon.cli.platform.times import parse_since
from aeon.cli.text import indented_json
from aeon.platform.errors import NotFoundError
from aeon.platform.metrics.model import MetricScope, MetricSummary


@dataclass(frozen=True, slots=True)
class MetricsFilter:
    """Which metrics to show: by scope, by entity, since when; None does not filter."""

    scope: str | None = None
    entity: str | None = None
    since: str | None = None


def show_metrics(
    name: str | None, user: str, filters: MetricsFilter, *, as_prometheus: bool, output: OutputFormat
) -> int:
    """Print the value of one metric for each entity, or the totals of all metrics.

    Raises NotFoundError, and InputError for an invalid scope or time.
    """
    scope, since = _scope(filters.scope), parse_since(filters.since)
    with workspace_session(user) as workspace:
        metrics = workspace.metrics
        wanted = [metrics.find(name, scope)] if name else metrics.list_all()
        wanted = [metric for metric in wanted if scope in (None, metric.scope)]
        if filters.entity and not (name or scope):
            raise InputError("The kind of the entity is unknown.", next_step="Add --scope, or name a metric.")
        entity = _entity(workspace, wanted[0].scope, filters.entity) if filters.entity and wanted else None
        by = ENTITY_DIMENSION if name or as_prometheus else None
        found = [metrics.summarize(each.name, each.scope, entity=entity, since=since, by=by) for each in wanted]
    _show(found, as_prometheus=as_prometheus, output=output)
    return ExitCode.DONE


def define_metric(new: JsonObject, user: str, *, as_json: bool) -> int:
    """Define a metric, or change the metric of that name and scope.

    Raises ForbiddenError, and RuleError for an invalid or immutable value.
    """
    with workspace_session(user) as workspace:
        metric, is_new = workspace.metrics.define(new)
    done = "defined" if is_new else "changed"
    print_data(indented_json(metric.as_dict()) if as_json else f"{done} {metric.name} of a {metric.scope}")
    return ExitCode.DONE


def delete_metric(name: str, scope: str | None, user: str, *, is_cascading: bool) -> int:
    """Delete a metric; with `is_cascading`, its values too. Raises ForbiddenError, ReferencedError."""
    with workspace_session(user) as workspace:
        metric = workspace.metrics.remove(name, _scope(scope), with_values=is_cascading)
    print_data(f"deleted {metric.name} of a {metric.scope}")
    return ExitCode.DONE


def _show(found: list[MetricSummary], *, as_prometheus: bool, output: OutputFormat) -> None:
    if as_prometheus:
        print_data(format_exposition(found).removesuffix("\n"))
    elif not print_as(output, [each.as_dict() for each in found]):
        rows = [row for summary in found for row in _rows(summary)]
        nothing = "nothing that you may see was measured in that time"
        print_table(("VALUE", "OF", "METRIC", "SCOPE", "AGGREGATION"), rows, nothing)
        if rows and not any(group.values for summary in found for group in summary.groups):
            print_message(nothing)


def _rows(summary: MetricSummary) -> list[tuple[str, ...]]:
    metric = summary.metric
    about = metric.name, metric.scope, metric.aggregation
    return [(_value_text(group.value), group.name or group.label or "", *about) for group in summary.groups]


def _value_text(value: Json) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


def _scope(text: str | None) -> MetricScope | None:
    for scope in get_args(MetricScope):
        if text == scope:
            return scope
    if text is None:
        return None
    raise InputError(f"There is no scope {text!r}.", next_step=f"Name one of {', '.join(get_args(MetricScope))}.")


def _entity(workspace: Workspace, scope: MetricScope, name: str) -> str:
    """Return the id of an entity by its name; a name that the catalog does not know is taken as an id."""
    try:
        return workspace.catalog.of_kind(scope).get(name).id
    except (InputError, NotFoundError):
        return name
