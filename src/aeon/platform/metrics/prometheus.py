"""Summaries in the text format that Prometheus reads (text/plain; version=0.0.4). Pure.

Written by hand: the client library parses this format as well, but it is made to hold running counters of one process,
and would bring its registry for thirty lines of text. Every metric is a gauge: what is summed up over a window of time,
or over what retention leaves, also becomes less.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime

from aeon.base.json import Json
from aeon.platform.metrics.model import MetricDefinition, MetricGroup, MetricSummary, prometheus_name
from aeon.platform.metrics.rules import ENTITY_DIMENSION

_ILLEGAL = re.compile(r"[^a-zA-Z0-9_]")


def format_exposition(summaries: Iterable[MetricSummary]) -> str:
    """One gauge for each summary, one line for each group that has a value; one summary of each metric."""
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
    """The dimension by its name, an entity by its scope with its name beside its id."""
    if summary.by is None or group.label is None:
        return ""
    given = {_ILLEGAL.sub("_", summary.by): group.label}
    if summary.by == ENTITY_DIMENSION:
        given = {f"{summary.metric.scope}_id": group.label, summary.metric.scope: group.name or ""}
    said = ",".join(f'{name}="{_quoted(value)}"' for name, value in given.items() if value)
    return f"{{{said}}}"


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
