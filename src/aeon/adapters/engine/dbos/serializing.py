"""What DBOS stores is JSON, never a pickle; large texts go by reference."""

from typing import Any, cast

from dbos import Serializer

from aeon.base.json import Json, canonical_json, parse_strict
from aeon.platform.processes.runs.claims import ResultStore, check_in, check_out


class JsonSerializer(Serializer):
    """JSON in one form. What is no JSON is refused, so that a row of the database can never carry code."""

    def __init__(self, results: ResultStore) -> None:
        self._results = results

    def serialize(self, data: Any) -> str:  # DBOS's own signature
        return check_in(self._results, canonical_json(_plain(data)))

    def deserialize(self, serialized_data: str) -> Any:  # DBOS's own signature
        return parse_strict(check_out(self._results, serialized_data))

    def name(self) -> str:
        return "aeon_json"


def _plain(data: Any) -> Json:  # whatever DBOS hands over
    """Arguments come as tuples, errors as they were raised."""
    if isinstance(data, dict):
        return {str(key): _plain(value) for key, value in cast(dict[object, Any], data).items()}
    if isinstance(data, tuple | list):
        return [_plain(value) for value in cast(list[Any], data)]
    if isinstance(data, BaseException):
        return {"error": type(data).__name__, "message": str(data)}
    return data
