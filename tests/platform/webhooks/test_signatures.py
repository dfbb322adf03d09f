"""Signatures of events against the published examples of the schemes, and every way to be no signature (platform 47)."""

import base64
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.platform.webhooks.signatures import (
    TOLERANCE,
    SignatureError,
    SignedEvent,
    check_signature,
    delivery_id,
    secret_problem,
)

EXAMPLE = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
STANDARD = SignedEvent(
    [
        ("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek"),
        ("webhook-timestamp", "1614265330"),
        ("webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="),
    ],
    b'{"test": 2432232314}',
)
"""The example of the libraries of Standard Webhooks."""

GITHUB = SignedEvent(
    [
        ("x-hub-signature-256", "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"),
        ("x-github-delivery", "d-1"),
    ],
    b"Hello, World!",
)
"""The example of GitHub's documentation, whose secret is `It's a Secret to Everybody`."""
OF_GITHUB = "It's a Secret to Everybody"

AT = 1614265330


def test_the_published_examples_are_valid():
    check_signature("standard", STANDARD, [EXAMPLE], AT)
    check_signature("github", GITHUB, [OF_GITHUB], 0)


@pytest.mark.parametrize(
    ("now", "is_valid"), [(AT - 300, True), (AT + 300, True), (AT - 301, False), (AT + 301, False)]
)
def test_the_time_of_an_event_may_differ_by_five_minutes(now, is_valid):
    assert TOLERANCE == 300
    if is_valid:
        check_signature("standard", STANDARD, [EXAMPLE], now)
    else:
        with pytest.raises(SignatureError, match="within 300 s"):
            check_signature("standard", STANDARD, [EXAMPLE], now)


def stripe(header, body=b'{"id": "evt_1"}'):
    return SignedEvent([("stripe-signature", header)], body)


def test_stripes_time_and_body_are_signed_and_other_versions_ignored():
    digest = hmac.new(b"key of stripe", b'5000.{"id": "evt_1"}', "sha256").hexdigest()
    for header in (f"t=5000,v1={digest}", f"v0=ab,v1={'0' * 64},t=5000,v1={digest}"):
        check_signature("stripe", stripe(header), ["key of stripe"], 5100)
    for header in (f"t=5001,v1={digest}", f"t=5000,t=5000,v1={digest}", f"t=5000,v0={digest}", f"v1={digest}", "", ","):
        with pytest.raises(SignatureError):
            check_signature("stripe", stripe(header), ["key of stripe"], 5100)


def test_any_of_several_secrets_counts_and_none_does_not():
    check_signature("github", GITHUB, ["another one of them", OF_GITHUB], 0)
    for secrets in ([], ["another one of them"]):
        with pytest.raises(SignatureError, match="signature is wrong"):
            check_signature("github", GITHUB, secrets, 0)


def test_every_expected_signature_is_compared_in_constant_time(monkeypatch):
    """All of them, also after one that matches, and whole."""
    compared = []
    whole = hmac.compare_digest
    monkeypatch.setattr(hmac, "compare_digest", lambda a, b: compared.append((len(a), len(b))) or whole(a, b))
    check_signature("github", GITHUB, [OF_GITHUB, "another one of them"], 0)
    assert compared == [(32, 32), (32, 32)]


@given(st.sampled_from(["standard", "github", "stripe"]), st.text(st.characters(max_codepoint=255)), st.binary())
def test_no_header_is_anything_but_refused(scheme, text, body):
    headers = [("webhook-id", "m"), ("webhook-timestamp", "5"), ("webhook-signature", text)]
    headers += [("x-hub-signature-256", text), ("stripe-signature", text)]
    with pytest.raises(SignatureError):
        check_signature(scheme, SignedEvent(headers, body), [EXAMPLE], 5)


@given(st.integers(0, 19), st.integers(1, 255))
def test_a_body_with_any_byte_changed_is_refused(place, difference):
    changed = bytearray(STANDARD.body)
    changed[place % len(changed)] ^= difference
    with pytest.raises(SignatureError):
        check_signature("standard", STANDARD._replace(body=bytes(changed)), [EXAMPLE], AT)


def test_the_id_of_an_event_is_where_its_scheme_has_it():
    assert delivery_id("standard", STANDARD, {}) == "msg_p5jXN8AQM9LWM0D4loKWxJek"
    assert delivery_id("github", GITHUB, {}) == "d-1"
    assert delivery_id("stripe", stripe(""), {"id": "evt_1"}) == "evt_1"
    wrong = ({}, {"id": 1}, {"id": ""}, {"id": "x" * 201})
    assert [delivery_id("stripe", stripe(""), each) for each in wrong] == [None] * 4


@pytest.mark.parametrize(
    ("scheme", "secret", "said"),
    [
        ("standard", EXAMPLE, None),
        ("standard", base64.b64encode(b"x" * 32).decode(), None),
        ("standard", "whsec_not base64", "it has blanks"),
        ("standard", "whsec_###", "it is not base64"),
        ("standard", "whsec_AAAA", "it has fewer than 16 bytes"),
        ("github", "short", "it has fewer than 16 bytes"),
        ("stripe", "whsec_" + "a" * 20, None),
    ],
)
def test_a_secret_that_cannot_sign_is_refused_before_it_is_used(scheme, secret, said):
    found = secret_problem(scheme, secret)
    assert found == said if said is None else found.startswith(said)
