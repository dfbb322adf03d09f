"""The engine's complaints as errors of the port, without anybody's values (platform 3)."""

import pytest

from aeon.adapters.graph.falkordb.failures import failure
from aeon.platform.graph import (
    DuplicateError,
    GraphUnavailableError,
    GuardError,
    QueryError,
    QueryTimeoutError,
    ReadOnlyError,
)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Division by zero", GuardError),
        ("unique constraint violation on node of type Secret", DuplicateError),
        ("Query timed out", QueryTimeoutError),
        ("graph.RO_QUERY is to be executed only on read-only queries", ReadOnlyError),
        ("NOAUTH Authentication required.", GraphUnavailableError),
        ("unknown command 'GRAPH.QUERY', with args beginning with: 'aeon' 'hunter2'", GraphUnavailableError),
        ("LOADING Redis is loading the dataset in memory", GraphUnavailableError),
        ("Redis is loading the dataset in memory", GraphUnavailableError),
        ("User ann has no permissions to run the 'graph.query' command", GraphUnavailableError),
        ("MISCONF Errors writing to the AOF file: No space left on device", GraphUnavailableError),
        ("Max pending queries exceeded", GraphUnavailableError),
        ("OOM command not allowed when used memory > 'maxmemory'.", GraphUnavailableError),
        ("READONLY You can't write against a read only replica.", GraphUnavailableError),
        ("Type mismatch: expected Integer but was String", QueryError),
    ],
)
def test_complaints_by_kind(text, kind):
    error = failure(text)
    assert type(error) is kind
    assert error.advice
    assert "hunter2" not in str(error)
    assert "Secret" not in str(error)


def test_platform_3_values_are_hidden_wherever_they_stand():
    params = {"a": "hunter2", "b": [{"c": "x"}], "n": 12345, "none": None}
    said = str(failure("Cannot take 'x' or hunter2hunter2 or 12345 here. errCtx: hunter2", params))
    assert "hunter2" not in said
    assert "'x'" not in said
    assert "12345" not in said
    assert "errCtx" not in said
    assert "Cannot take" in said
