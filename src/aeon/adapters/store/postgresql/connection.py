"""Connections to the record's schema: durable, read-only by default, with keepalives."""

import select
from typing import Final

import psycopg
from psycopg import Error, RawCursor
from psycopg.abc import Buffer
from psycopg.adapt import Loader
from psycopg.conninfo import make_conninfo
from psycopg.pq import TransactionStatus
from psycopg.rows import DictRow, dict_row
from psycopg.types.numeric import Int8Dumper
from psycopg.types.string import TextLoader

from aeon.adapters.store.postgresql.address import PostgresAddress
from aeon.adapters.store.postgresql.errors import unavailable_error

Connection = psycopg.Connection[DictRow]

_DEFAULTS = {
    "application_name": "aeon",
    "client_encoding": "utf8",
    "connect_timeout": "3",
    "gssencmode": "disable",
    "keepalives": "1",
    "keepalives_idle": "4",
    "keepalives_interval": "2",
    "keepalives_count": "2",
    "tcp_user_timeout": "8000",
}
"""A silently lost server is noticed after 8 seconds: 4 + 2 * 2 of silence, or 8 without an acknowledgement."""

SESSION_SETTINGS: Final = b"""
SELECT set_config('search_path', $1, false),
       set_config('lock_timeout', '30s', false),
       set_config('idle_in_transaction_session_timeout', '60s', false),
       set_config('tcp_keepalives_idle', '4', false),
       set_config('tcp_keepalives_interval', '2', false),
       set_config('tcp_keepalives_count', '2', false),
       set_config('tcp_user_timeout', '8000', false),
       set_config('default_transaction_read_only', 'on', false),
       set_config('synchronous_commit', coalesce(nullif(current_setting('synchronous_commit'), 'off'), 'on'), false)
"""
"""Set after connecting, because `target_session_attrs=read-write` refuses a session that starts read-only.

The server also notices after 8 seconds that a client machine is lost, even during a response, when no keepalive is sent
(`tcp_user_timeout`, which Unix sockets ignore), and then releases its locks. A process that is stopped in its unit of
work keeps its locks for at most a minute.
"""


RESET_SYNC: Final = b"RESET synchronous_commit"


class _BooleanLoader(Loader):
    """Loads booleans as 0 and 1, as in SQLite."""

    def load(self, data: Buffer) -> int:
        return int(data == b"t")


class _NumericLoader(Loader):
    """Loads sums of integers as int, and averages as float."""

    def load(self, data: Buffer) -> int | float:
        text = bytes(data).decode()
        return int(text) if text.lstrip("-").isdecimal() else float(text)


def connect(address: PostgresAddress, password: str | None, *, is_durable: bool = True) -> Connection:
    """Opens a connection in autocommit mode. Raises StoreUnavailableError.

    It never uses PGPASSWORD, because a project's file may choose the address (decision 12). With `is_durable` false,
    the server's own settings decide whether a commit waits for the disk.
    """
    try:
        connection = Connection.connect(
            make_conninfo(**{**_DEFAULTS, **address.parameters, "password": password or ""}),
            autocommit=True,
            row_factory=dict_row,
            cursor_factory=RawCursor[DictRow],
        )
    except Error as error:
        raise unavailable_error(error, address.title) from None
    try:
        _adapt(connection)
        connection.execute(SESSION_SETTINGS, [address.schema])
        if not is_durable:
            connection.execute(RESET_SYNC)
    except Error as error:
        connection.close()
        raise unavailable_error(error, address.title) from None
    return connection


def is_alive(connection: Connection) -> bool:
    """Returns whether an idle connection is still open, without asking the server."""
    if connection.closed or connection.pgconn.transaction_status != TransactionStatus.IDLE:
        return False
    try:
        consume_input(connection)
    except Error:
        return False
    return True


def consume_input(connection: Connection) -> None:
    """Reads pending messages of the server on an idle connection.

    Raises psycopg.Error if it has ended the session.
    """
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    while poll.poll(0):
        connection.pgconn.consume_input()


def roll_back_open(connection: Connection) -> None:
    """Rolls back the open transaction, and closes the connection if that fails."""
    status = connection.pgconn.transaction_status
    if status in (TransactionStatus.INTRANS, TransactionStatus.INERROR):
        try:
            connection.execute("ROLLBACK")
        except Error:
            connection.close()
    elif status != TransactionStatus.IDLE:
        connection.close()


def _adapt(connection: Connection) -> None:
    """Uses the port's types: 64-bit integers, and neither booleans nor JSON objects."""
    adapters = connection.adapters
    adapters.register_dumper(int, Int8Dumper)
    adapters.register_loader("bool", _BooleanLoader)
    adapters.register_loader("numeric", _NumericLoader)
    for name in ("json", "jsonb"):
        adapters.register_loader(name, TextLoader)
