"""Errors of PostgreSQL in the terms of the port."""

from types import SimpleNamespace

import pytest
from psycopg import DatabaseError, OperationalError, errors

from aeon.adapters.store.postgresql.errors import (
    ConnectionLostError,
    WriteConflictError,
    as_store_errors,
    unavailable_error,
)
from aeon.platform.store import (
    DamagedStoreError,
    DuplicateError,
    GuardError,
    InvariantError,
    QueryError,
    QueryTimeoutError,
    StoreFullError,
    StoreUnavailableError,
)

SECRET = "correct-horse-battery"  # noqa: S105  # a word that no error may tell


def raised(error, *, is_closed=False):
    """What the store raises in place of an error of psycopg's."""
    connection = SimpleNamespace(closed=is_closed, close=lambda: None)
    with pytest.raises(Exception) as caught, as_store_errors(connection, "the store"):  # noqa: PT011
        raise error
    return caught.value


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("40001", WriteConflictError),
        ("40P01", WriteConflictError),
        ("55P03", StoreUnavailableError),
        ("57014", QueryTimeoutError),
        ("57P03", StoreUnavailableError),
        ("23505", DuplicateError),
        ("23503", GuardError),
        ("23001", GuardError),
        ("23514", InvariantError),
        ("23502", InvariantError),
        ("23P01", InvariantError),
        ("22P05", InvariantError),
        ("53100", StoreFullError),
        ("53200", StoreUnavailableError),
        ("53300", StoreUnavailableError),
        ("58030", StoreUnavailableError),
        ("08006", StoreUnavailableError),
        ("XX001", DamagedStoreError),
        ("22P02", QueryError),
        ("22003", QueryError),
        ("42P01", QueryError),
        ("42501", QueryError),
        ("25006", QueryError),
        ("0A000", QueryError),
    ],
)
def test_each_sqlstate_is_one_kind_of_error(code, kind):
    assert type(raised(errors.lookup(code)("said"))) is kind


@pytest.mark.parametrize(
    ("error", "is_closed"),
    [
        (DatabaseError("lost synchronization with server"), True),
        (OperationalError("cannot exit pipeline mode while busy"), False),
        (errors.AdminShutdown("terminating"), False),
        (errors.CrashShutdown("terminating"), False),
        (errors.IdleInTransactionSessionTimeout("terminating"), False),
    ],
)
def test_any_error_that_ends_the_connection_is_its_loss(error, is_closed):
    found = raised(error, is_closed=is_closed)
    assert type(found) is ConnectionLostError
    assert not found.may_have_happened


def test_values_that_do_not_fit_are_not_told():
    error = errors.InvalidTextRepresentation(f'invalid input syntax for type bigint: "{SECRET}"')
    assert SECRET not in str(raised(error))


def test_a_server_that_does_not_answer_is_told_in_one_line_without_libpqs_advice():
    said = (
        'connection failed: connection to server at "127.0.0.1", port 1 failed: Connection refused\n'
        "\tIs the server running on that host and accepting TCP/IP connections?"
    )
    assert unavailable_error(OperationalError(said), "the store").message == (
        'the store does not answer: connection failed: connection to server at "127.0.0.1", port 1 failed: '
        "Connection refused."
    )


def test_what_psycopg_did_not_raise_passes():
    error = ValueError("of the unit's own")
    assert raised(error) is error
