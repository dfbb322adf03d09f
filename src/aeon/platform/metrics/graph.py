"""Metrics and their values as nodes.

A metric determines the type of its values (platform 18).
"""

from typing import Final

from aeon.base.json import Json, JsonObject
from aeon.platform.graph import ComputedProperty, NodeType, json_text_sql, published_columns
from aeon.platform.metrics.model import prometheus_name
from aeon.platform.store import DialectQuery, Row

_DATA_TYPE: Final = "(SELECT d.data_type FROM metric_definitions AS d WHERE d.id = metric_values.metric_id)"


def _value(row: Row) -> Json:
    match row["data_type"]:
        case "timestamp":
            return row["instant"]
        case "boolean":
            return bool(row["number"])
        case "integer":
            return int(row["number"])
        case _:
            return row["number"]


def _stored(value: Json) -> JsonObject:
    if isinstance(value, str):
        return {"number": None, "instant": value}
    return {"number": float(value), "instant": None}


def _exposed_as(row: JsonObject) -> str:
    return prometheus_name(row["scope"], row["name"])


_VALUE: Final = ComputedProperty(
    sql=DialectQuery(
        sqlite=f"CASE {_DATA_TYPE} WHEN 'timestamp' THEN {json_text_sql('instant')} "
        "WHEN 'boolean' THEN CASE number WHEN 0 THEN 'false' ELSE 'true' END "
        "WHEN 'integer' THEN CAST(number AS INTEGER) ELSE number END",
        postgresql=f"CASE {_DATA_TYPE} WHEN 'timestamp' THEN to_json(instant) "
        "WHEN 'boolean' THEN to_json(number <> 0) "
        "WHEN 'integer' THEN to_json(CAST(number AS bigint)) ELSE to_json(number) END",
    ),
    columns={"number": "number", "instant": "instant", "data_type": _DATA_TYPE},
    value=_value,
    stored=_stored,
    column="number",
)

NODES: Final = (
    NodeType(
        "MetricDefinition",
        "metric_definitions",
        ("id",),
        properties=published_columns(
            "id",
            "name",
            "description",
            "scope",
            "aggregation",
            "data_type",
            "retention_days",
            "version",
            "created_at",
            "updated_at",
        ),
        numbers=frozenset({"retention_days", "version"}),
        defaults={"retention_days": None},
        derived={"exposed_as": _exposed_as},
    ),
    NodeType(
        "MetricValue",
        "metric_values",
        ("id",),
        properties=published_columns("id", "metric_id", "entity_id", "micros", "dimensions", "user_id", timestamp="at"),
        json=frozenset({"dimensions"}),
        numbers=frozenset({"micros"}),
        defaults={"user_id": None},
        computed={"value": _VALUE},
    ),
)
