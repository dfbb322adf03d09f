"""Addresses of records in PostgreSQL, and what of them is told."""

import pytest

from aeon.adapters.store.postgresql.address import parse_address
from aeon.base.errors import ConfigError


def test_the_parts_of_an_address():
    address = parse_address("postgresql://an%40n@db:99/the%20base?schema=mine&sslmode=verify-full&sslrootcert=/ca.pem")
    assert address.parameters == {
        "user": "an@n",
        "host": "db",
        "port": "99",
        "dbname": "the base",
        "sslmode": "verify-full",
        "sslrootcert": "/ca.pem",
    }
    assert address.schema == "mine"
    assert address.title == "PostgreSQL at db:99/the base"


@pytest.mark.parametrize(
    ("text", "host", "port", "title"),
    [
        ("postgresql://ann@db/aeon", "db", "5432", "db:5432/aeon"),
        ("postgresql://db", "db", "5432", "db:5432/"),
        ("postgresql://ann@db", "db", "5432", "db:5432/ann"),
        ("postgresql://[::1]:99/aeon", "::1", "99", "[::1]:99/aeon"),
        ("postgresql://a:1,b,[::1]/aeon", "a,b,::1", "1,5432,5432", "a:1,b:5432,[::1]:5432/aeon"),
        ("postgresql:///aeon", None, None, "this machine/aeon"),
        ("postgresql:///aeon?host=/run/postgresql", "/run/postgresql", "5432", "/run/postgresql/aeon"),
        ("postgresql://ann@:99/aeon?host=/run/postgresql", "/run/postgresql", "99", "/run/postgresql/aeon"),
    ],
)
def test_hosts_and_ports(text, host, port, title):
    parameters = parse_address(text).parameters
    assert (parameters.get("host"), parameters.get("port")) == (host, port)
    assert parse_address(text).title == f"PostgreSQL at {title}"


def test_of_several_hosts_the_one_that_takes_writes_is_meant():
    assert parse_address("postgresql://a,b/aeon").parameters["target_session_attrs"] == "read-write"
    assert parse_address("postgresql://a,b/aeon?target_session_attrs=any").parameters["target_session_attrs"] == "any"
    assert "target_session_attrs" not in parse_address("postgresql://a/aeon").parameters


@pytest.mark.parametrize(
    "text",
    [
        "",
        "aeon",
        "mysql://db/aeon",
        "postgresql://ann:word@db/aeon",
        "postgresql://db/aeon?password=word",
        "postgresql://db/aeon?sslpassword=word",
        "postgresql://db/aeon?host=other",
        "postgresql://db/aeon?hostaddr=192.0.2.1",
        "postgresql://db/aeon?passfile=/tmp/word",
        "postgresql://db/aeon?service=other",
        "postgresql://db/aeon?options=-csearch_path%3Dother",
        "postgresql://db/aeon?sslmode",
        "postgresql://db?word@other/aeon",
        "postgresql://other#@db/aeon",
        "postgresql://db:word/aeon",
        "postgresql://[::1/aeon",
        "postgresql://a b/aeon",
        "postgresql://db\\other/aeon",
        "postgresql://db/aeon?schema=",
        "postgresql://db/aeon?schema=Aeon",
        "postgresql://db/aeon?schema=a%20b",
        'postgresql://db/aeon?schema=a"b',
        "postgresql://db/aeon?schema=aeon,public",
    ],
)
def test_what_is_no_address_is_refused_and_not_repeated(text):
    with pytest.raises(ConfigError) as raised:
        parse_address(text)
    assert "word" not in str(raised.value).replace("password", "")


def test_libpq_would_take_another_host_from_what_stands_behind_the_at():
    """It ends the user at the last `@` before a slash, even behind a `?`; it is given the parts, so it does not."""
    assert parse_address("postgresql://db?sslmode=require@other/aeon").parameters["host"] == "db"
