"""What the servers refuse, without anybody's values (platform 3)."""

import pytest
import redis.exceptions as wire

from aeon.adapters.graph_clients import falkordb, neo4j


@pytest.mark.parametrize(
    ("text", "said", "is_passing"),
    [
        ("unique constraint violation on node of type Secret", "must be unique", False),
        ("Query timed out", "longer than its timeout", True),
        ("graph.RO_QUERY is to be executed only on read-only queries", "The query writes", False),
        ("NOAUTH Authentication required.", "refuses the password", True),
        ("unknown command 'GRAPH.QUERY', with args beginning with: 'aeon' 'hunter2'", "no FalkorDB in it", True),
        ("LOADING Redis is loading the dataset in memory", "is busy", True),
        ("Redis is loading the dataset in memory", "is busy", True),
        ("User ann has no permissions to run the 'graph.query' command", "does not allow", True),
        ("MISCONF Errors writing to the AOF file: No space left on device", "full disk", True),
        ("Max pending queries exceeded", "is busy", True),
        ("OOM command not allowed when used memory > 'maxmemory'.", "out of memory", True),
        ("READONLY You can't write against a read only replica.", "accepts no writes", True),
        ("Type mismatch: expected Integer but was String", "Type mismatch", False),
    ],
)
def test_complaints_of_falkordb(text, said, is_passing):
    refusal = falkordb.failure_of_text(text)
    assert said in refusal.message
    assert refusal.advice
    assert refusal.is_transient is is_passing
    assert "hunter2" not in str(refusal)
    assert "Secret" not in str(refusal)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (wire.TimeoutError("x"), "longer than its timeout"),
        (wire.ConnectionError("x"), "server at h:1 does not answer: ConnectionError"),
        (ConnectionResetError("x"), "server at h:1 does not answer: ConnectionResetError"),
        (wire.AuthenticationError("WRONGPASS"), "refuses the password"),
        (wire.BusyLoadingError("Redis is loading"), "is busy"),
    ],
)
def test_errors_of_falkordbs_client(error, said):
    refusal = falkordb.failure_of(error, "h:1")
    assert said in refusal.message
    assert refusal.is_transient


def test_platform_3_values_are_hidden_wherever_they_stand():
    params = {"a": "hunter2", "b": [{"c": "x"}], "n": 12345, "none": None}
    said = falkordb.failure_of_text("Cannot take 'x' or hunter2hunter2 or 12345 here. errCtx: hunter2", params).message
    assert "hunter2" not in said
    assert "'x'" not in said
    assert "12345" not in said
    assert "errCtx" not in said
    assert "Cannot take" in said


@pytest.mark.parametrize(
    ("code", "said", "is_passing"),
    [
        ("Neo.ClientError.Schema.ConstraintValidationFailed", "must be unique", False),
        ("Neo.ClientError.Transaction.TransactionTimedOut", "longer than its timeout", True),
        ("Neo.ClientError.Security.Unauthorized", "refuses the user or the password", True),
        ("Neo.ClientError.Database.DatabaseNotFound", "no such database", True),
        ("Neo.TransientError.General.OutOfMemoryError", "not have enough memory", True),
        ("Neo.TransientError.Transaction.DeadlockDetected", "cannot serve the query now", True),
        ("Neo.ClientError.Statement.SyntaxError", "refuses the query", False),
    ],
)
def test_codes_of_neo4j(code, said, is_passing):
    refusal = neo4j.failure_of_code(code)
    assert said in refusal.message
    assert refusal.advice
    assert refusal.is_transient is is_passing
