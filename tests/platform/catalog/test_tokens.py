"""When a token is refreshed, what a refreshed secret holds, and how it is kept (RFC 6749, sections 5.1 and 6)."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.platform.catalog.oauth_tokens import apply_refresh, needs_refresh
from aeon.platform.catalog.operations import OperationError
from aeon.platform.errors import ConflictError
from aeon.platform.ledger import MutationRequest

NOW = "2026-01-01T00:00:00.000000+00:00"
VALUE = {"access_token": "a", "refresh_token": "r", "token_url": "https://login.example/", "client_id": "c"}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({}, False),
        ({"expires_at": "2026-01-01T00:00:59Z"}, True),
        ({"expires_at": "2026-01-01T00:01:00Z"}, False),
        ({"expires_at": "2026-01-01T02:00:30+02:00"}, True),
        ({"expires_at": "2020-01-01T00:00:00Z"}, True),
        ({"expires_at": "2020-01-01T00:00:00Z", "refresh_token": ""}, False),
    ],
)
def test_a_token_is_due_less_than_a_minute_before_its_end(value, expected):
    assert needs_refresh({**VALUE, **value}, NOW) is expected


def test_a_secret_of_another_type_is_never_due():
    assert not needs_refresh({"key": "k"}, NOW)


@given(st.floats(min_value=61, max_value=1e8), st.none() | st.text(min_size=1))
def test_a_refreshed_secret_is_due_only_when_its_time_has_come(seconds, again):
    after = apply_refresh(VALUE, {"access_token": "b", "expires_in": seconds, "refresh_token": again}, NOW)
    assert (after["access_token"], after["refresh_token"]) == ("b", again or "r")
    assert not needs_refresh(after, NOW)
    assert needs_refresh(after, (datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds - 59)).isoformat())


@pytest.mark.parametrize("said", [None, "", "soon", True, 0, -1, float("inf"), float("nan"), [1]])
def test_an_end_that_cannot_be_understood_is_none(said):
    after = apply_refresh({**VALUE, "expires_at": NOW}, {"access_token": "b", "expires_in": said}, NOW)
    assert "expires_at" not in after


@pytest.mark.parametrize("said", ["3600", 3600, 3600.0])
def test_an_end_may_be_said_as_a_text(said):
    after = apply_refresh(VALUE, {"access_token": "b", "expires_in": said}, NOW)
    assert after["expires_at"] == "2026-01-01T01:00:00+00:00"


def test_an_absurd_end_is_far_enough():
    after = apply_refresh(VALUE, {"access_token": "b", "expires_in": "9" * 5000}, NOW)
    assert after["expires_at"].startswith("2035")


@pytest.mark.parametrize(
    "answer",
    [{}, {"access_token": 1}, {"access_token": ""}, {"access_token": "b", "token_type": "mac"}],
)
def test_an_answer_without_a_token_that_can_be_used_is_none(answer):
    with pytest.raises(OperationError, match="the token server answered"):
        apply_refresh(VALUE, answer, NOW)


def test_a_secret_that_is_rotated_while_it_is_read_is_read_again(world, monkeypatch):
    """Its metadata and its value are of one version."""
    user = world.user("u")
    secret, secrets, open_ = world.secret(user, value="before"), world.catalog.secrets, world.vault.open

    def rotating(key):
        monkeypatch.setattr(world.vault, "open", open_)
        secrets.rotate(secret.id, {"key": "after"}, MutationRequest(user))
        return open_(key)

    monkeypatch.setattr(world.vault, "open", rotating)
    held, value = secrets.get_with_value(user, secret.id)
    assert value.reveal() == {"key": "after"}
    assert held.vault_version == secrets.get_own(user, secret.id).vault_version != secret.vault_version


def test_a_secret_is_rotated_only_from_the_version_that_was_seen(world):
    user = world.user("u")
    secret, secrets = world.secret(user), world.catalog.secrets
    secrets.rotate(secret.id, {"key": "theirs"}, MutationRequest(user), since=secret.vault_version)
    with pytest.raises(ConflictError, match="was rotated in the meantime"):
        secrets.rotate(secret.id, {"key": "ours"}, MutationRequest(user), since=secret.vault_version)
    assert secrets.reveal(user, secret.id).reveal() == {"key": "theirs"}
