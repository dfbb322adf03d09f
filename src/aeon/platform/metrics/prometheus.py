"""Writes summaries in the text format of Prometheus (text/plain; version=0.0.4). Pure.

The client library is not used: it is designed for running counters of one process, and its registry would replace only
thirty lines. Every metric is a gauge: a sum over a time window, or over what retention leaves, can also decrease.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime

from aeon.base.json import Json
from aeon.platform.metrics.model import MetricDefinition, MetricGroup, MetricSummary, prometheus_name
from aeon.platform.metrics.rules import ENTITY_DIMENSION

_ILLEGAL = re.compile(r"[^a-zA-Z0-9_]")


def format_exposition(summaries: Iterable[MetricSummary]) -> str:
    """Returns a gauge for each summary, and a line for each group with a value.

    Each metric has one summary.
    """
    return "".join(f"{line}\n" for summary in summaries for line in _lines(summary))


def _lines(summary: MetricSummary) -> Iterator[str]:
    metric = summary.metric
    name = prometheus_name(metric.scope, metric.name)
    about = f"{metric.description.rstrip('.')} ({metric.aggregation})." if metric.description else metric.aggregation
    yield f"# HELP {name} {_escaped(about)}"
    yield f"# TYPE {name} gauge"
    for group in summary.groups:
        if group.value is not None:
            yield f"{name}{_labels(summary, group)} {_number(metric, group.value)}"


def _labels(summary: MetricSummary, group: MetricGroup) -> str:
    """Returns the label of the dimension.

    An entity is labelled by its scope, with id and name.
    """
    if summary.by is None or group.label is None:
        return ""
    values = {_ILLEGAL.sub("_", summary.by): group.label}
    if summary.by == ENTITY_DIMENSION:
        values = {f"{summary.metric.scope}_id": group.label, summary.metric.scope: group.name or ""}
    labels = ",".join(f'{name}="{_quoted(value)}"' for name, value in values.items() if value)
    return f"{{{labels}}}"


def _number(metric: MetricDefinition, value: Json) -> str:
    if metric.aggregation == "count":
        return str(value)
    if metric.data_type == "timestamp":
        return repr(datetime.fromisoformat(value).timestamp())
    return str(int(value)) if metric.data_type == "boolean" else repr(value)


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("\n", r"\n").replace("\r", " ")


def _quoted(text: str) -> str:
    return _escaped(text).replace('"', r"\"")
