"""The metrics that Aeon itself records, as data. Nobody deletes them, for what records them would fail."""

from functools import cache
from importlib.resources import files
from typing import cast

from aeon.base.json import Json
from aeon.plan.yaml import load_yaml
from aeon.platform.metrics.model import NewMetric

RETENTION_DAYS = 90


@cache
def builtin_metrics() -> tuple[NewMetric, ...]:
    """Each to be defined under its name as id, unless it is there."""
    listed = load_yaml(files("aeon.platform.metrics").joinpath("builtin.yaml").read_text("utf-8"))
    return tuple(NewMetric.parsed({"retentionDays": RETENTION_DAYS, **each}) for each in cast(list[Json], listed))


def is_builtin(id_: str) -> bool:
    """Whether it is the id of one of them."""
    return any(metric.name == id_ for metric in builtin_metrics())
