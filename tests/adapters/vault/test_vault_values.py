"""What the value of a certificate holds: a certificate and its own private key, both readable (platform 3)."""

from datetime import UTC, datetime

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
)

from aeon.adapters.vault.values import FIELDS, MAX_CHARACTERS, value_problems
from aeon.base.errors import MissingExtraError
from aeon.platform.vault import SecretKey
from aeon.testing.vault import CANARY, VALUES


def certificate(key):
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, CANARY)])
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), 1)
        .not_valid_before(datetime(2026, 1, 1, tzinfo=UTC))
        .not_valid_after(datetime(2036, 1, 1, tzinfo=UTC))
        .sign(key, SHA256())
    )
    return made.public_bytes(Encoding.PEM).decode()


def pem(key, layout=PrivateFormat.PKCS8, encryption=None):
    return key.private_bytes(Encoding.PEM, layout, encryption or NoEncryption()).decode()


@pytest.fixture(scope="module")
def keys():
    return [ec.generate_private_key(ec.SECP256R1()) for _ in range(2)]


@pytest.fixture
def pair(keys):
    return {"certificate": certificate(keys[0]), "private_key": pem(keys[0])}


def test_a_certificate_and_its_key_are_kept(pair, opened):
    vault, key = opened(), SecretKey("s", "u", "certificate", 1)
    vault.put(key, pair)
    assert vault.open(key).reveal() == pair


def test_a_chain_is_judged_by_its_first_certificate(pair, keys):
    pair["certificate"] += certificate(keys[1])
    assert value_problems("certificate", pair) == []


def test_platform_3_a_key_of_another_certificate_is_refused(pair, keys):
    pair["private_key"] = pem(keys[1])
    assert value_problems("certificate", pair) == ["certificate and private_key do not match"]


@pytest.mark.parametrize("layout", [PrivateFormat.PKCS8, PrivateFormat.TraditionalOpenSSL])
def test_a_key_under_a_passphrase_is_refused_with_advice(pair, keys, layout):
    pair["private_key"] = pem(keys[0], layout, BestAvailableEncryption(b"passphrase"))
    (problem,) = value_problems("certificate", pair)
    assert "openssl pkey" in problem


@pytest.mark.parametrize("name", ["certificate", "private_key"])
@pytest.mark.parametrize(
    "spoil", [lambda text: text[:-40], lambda _text: CANARY, lambda text: text.replace("M", "\ud800")]
)
def test_what_is_no_pem_is_named_and_not_repeated(pair, name, spoil):
    pair[name] = spoil(pair[name])
    (problem,) = value_problems("certificate", pair)
    assert problem.startswith(f"{name} is not a")
    assert CANARY not in problem


def test_both_parts_in_each_others_place_are_both_named(pair):
    turned = {"certificate": pair["private_key"], "private_key": pair["certificate"]}
    assert len(value_problems("certificate", turned)) == 2


def test_without_cryptography_the_error_names_the_extra(pair, uninstall):
    uninstall("cryptography")
    with pytest.raises(MissingExtraError):
        value_problems("certificate", pair)


@pytest.mark.parametrize("kind", VALUES)
def test_every_field_has_a_limit(kind):
    name = FIELDS[kind].all[0]
    assert value_problems(kind, VALUES[kind] | {name: "x" * MAX_CHARACTERS}) == []
    assert value_problems(kind, VALUES[kind] | {name: "x" * (MAX_CHARACTERS + 1)}) == [
        f"{name} is longer than {MAX_CHARACTERS} characters"
    ]


@pytest.mark.parametrize(
    "url", ["http://localhost:8080/token", "http://127.0.0.1/t", "http://[::1]/t", "https://a.example"]
)
def test_a_token_is_refreshed_over_https_or_on_this_machine(url):
    assert value_problems("oauth_token", VALUES["oauth_token"] | {"token_url": url}) == []


@pytest.mark.parametrize(
    "url", ["http://a.example", "ftp://localhost", "https://", "localhost", "http://localhost.a.example"]
)
def test_platform_3_a_token_is_refreshed_nowhere_else(url):
    problems = value_problems("oauth_token", VALUES["oauth_token"] | {"token_url": url})
    assert problems == ["token_url must be an https address, or http on this machine"]
