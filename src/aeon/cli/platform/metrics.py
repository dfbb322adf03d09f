"""`aeon metrics`: shows metrics and their values; an administrator defines and deletes metrics."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import get_args

from aeon.base.errors import InputError
from aeon.base.json import Json, JsonObject
from aeon.bootstrap.platform import Platform
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.platform.entities import repository_of
from aeon.cli.platform.session import platform_session
from aeon.cli.text import COLUMNS, indented_json, one_line, printable
from aeon.platform.errors import NotFoundError, RuleError
from aeon.platform.ledger import MutationRequest
from aeon.platform.metrics.model import MetricChange, MetricDefinition, MetricScope, MetricSummary, NewMetric
from aeon.platform.metrics.prometheus import format_exposition
from aeon.platform.metrics.rules import ENTITY_DIMENSION, normalize_instant

_ADMIN = "me"
"""The administrator of a project's local record: the user of the machine."""

_UNITS = {"m": "minutes", "h": "hours", "d": "days"}
_AGO = re.compile(r"([0-9]{1,6})([mhd])")


@dataclass(frozen=True, slots=True)
class MetricsFilter:
    """Which metrics to show: by scope, by entity, since when; None does not filter."""

    scope: str | None = None
    entity: str | None = None
    since: str | None = None


def show_metrics(name: str | None, user: str, filters: MetricsFilter, *, as_prometheus: bool, as_json: bool) -> int:
    """Print the value of one metric for each entity, or the totals of all metrics.

    Raises NotFoundError, and InputError for an invalid scope or time.
    """
    scope, since = _scope(filters.scope), _since(filters.since)
    with platform_session(user) as platform:
        metrics = platform.metrics
        wanted = [metrics.definitions.find(name, scope)] if name else metrics.definitions.list_all()
        wanted = [metric for metric in wanted if scope in (None, metric.scope)]
        if filters.entity and not (name or scope):
            raise InputError("The kind of the entity is unknown.", next_step="Add --scope, or name a metric.")
        entity = _entity(platform, wanted[0].scope, filters.entity, user) if filters.entity and wanted else None
        by = ENTITY_DIMENSION if name or as_prometheus else None
        found = [metrics.values.summarize(user, metric, entity=entity, since=since, by=by) for metric in wanted]
    _show(found, as_prometheus=as_prometheus, as_json=as_json)
    return ExitCode.DONE


def define_metric(new: JsonObject, user: str, *, as_json: bool) -> int:
    """Define a metric, or change the metric of that name and scope.

    Raises ForbiddenError, and RuleError for an invalid or immutable value.
    """
    wanted = NewMetric.parsed(new)
    with platform_session(user) as platform:
        definitions = platform.metrics.definitions
        existing = [each for each in definitions.list_all() if (each.scope, each.name) == (wanted.scope, wanted.name)]
        request, is_admin = MutationRequest(user), user == _ADMIN
        if not existing:
            done, metric = "defined", definitions.add(wanted, request, is_admin=is_admin)
        else:
            change = _change(existing[0], wanted)
            done, metric = "changed", definitions.change(existing[0].id, change, request, is_admin=is_admin)
    print_data(indented_json(metric.as_dict()) if as_json else f"{done} {metric.name} of a {metric.scope}")
    return ExitCode.DONE


def delete_metric(name: str, scope: str | None, user: str, *, is_cascading: bool) -> int:
    """Delete a metric; with `is_cascading`, its values too. Raises ForbiddenError, ReferencedError."""
    with platform_session(user) as platform:
        definitions = platform.metrics.definitions
        metric = definitions.find(name, _scope(scope))
        definitions.remove(metric.id, MutationRequest(user), is_admin=user == _ADMIN, cascade=is_cascading)
    print_data(f"deleted {metric.name} of a {metric.scope}")
    return ExitCode.DONE


def _change(before: MetricDefinition, wanted: NewMetric) -> MetricChange:
    if wanted.data_type != before.data_type:
        raise RuleError(
            f"The metric {before.name!r} has values of type {before.data_type}; a type never changes.",
            rule="immutable",
            field="$.dataType",
            next_step="Define a metric with another name.",
        )
    return MetricChange(
        description=wanted.description, aggregation=wanted.aggregation, retention_days=wanted.retention_days
    )


def _show(found: list[MetricSummary], *, as_prometheus: bool, as_json: bool) -> None:
    if as_prometheus:
        print_data(format_exposition(found).removesuffix("\n"))
    elif as_json:
        print_data(indented_json([each.as_dict() for each in found]))
    else:
        for summary in found:
            for line in _lines(summary):
                print_data(one_line(printable(line), COLUMNS))
        if not any(group.values for summary in found for group in summary.groups):
            print_message("nothing that you may see was measured in that time")


def _lines(summary: MetricSummary) -> list[str]:
    metric = summary.metric
    head = f"{metric.name} of a {metric.scope} ({metric.aggregation})"
    if summary.by is None:
        return [f"{head} {_value_text(summary.groups[0].value)}"]
    return [f"{_value_text(group.value)} {group.name or group.label or ''}, {head}" for group in summary.groups]


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


def _since(text: str | None) -> str | None:
    """Return the instant of `24h` ago, or the given instant, normalized. Raises InputError."""
    if text is None:
        return None
    if ago := _AGO.fullmatch(text):
        return (datetime.now(UTC) - timedelta(**{_UNITS[ago[2]]: int(ago[1])})).isoformat()
    if instant := normalize_instant(text):
        return instant
    raise InputError(
        f"{text!r} is not a time.", next_step="Give how long ago, as 30m, 24h or 7d, or an instant (ISO 8601)."
    )


def _entity(platform: Platform, scope: MetricScope, name: str, user: str) -> str:
    """Return the id of an entity by its name; a name that the catalog does not know is taken as an id."""
    try:
        return repository_of(platform, scope).find(user, name).id
    except (InputError, NotFoundError):
        return name
