"""Where a server may listen: beyond this machine only with a provider, a name and https (platform 31)."""

import pytest
from tests.cli.platform.certificates import make_certificate

from aeon.application.server_address import checked_server_address
from aeon.base.errors import ConfigError
from aeon.settings import ServerSettings

PROVIDER = {"oidc_issuer": "https://login.example.org", "oidc_client_id": "aeon"}
NAMES = {"names": ["aeon.example.org"]}
PROXIES = {"proxies": ["10.0.0.7"]}


def settings(*parts, **more):
    return ServerSettings.model_validate({key: value for part in (*parts, more) for key, value in part.items()})


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
def test_this_machine_alone_needs_nothing(host):
    found = checked_server_address(settings(host=host))
    assert (found.is_public, found.proxies, found.link("x", "aeon-abcd.localhost:1")) == (
        False,
        [],
        "http://aeon-abcd.localhost:1/#x",
    )


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "8.8.8.8"])  # noqa: S104  # that is the case to refuse
def test_others_are_let_in_with_a_provider_a_name_and_https_alone_and_all_that_is_missing_is_said(host):
    words = {"oidc_issuer": PROVIDER, "server.names": NAMES, "server.certificate": PROXIES}
    for left_out in words:
        given = [part for word, part in words.items() if word != left_out]
        with pytest.raises(ConfigError, match=left_out) as refused:
            checked_server_address(settings(*given, host=host))
        assert len(refused.value.details["missing"]) == 1
    with pytest.raises(ConfigError) as refused:
        checked_server_address(settings(host=host))
    assert len(refused.value.details["missing"]) == 3
    found = checked_server_address(settings(PROVIDER, NAMES, PROXIES, host=host))
    assert (found.is_public, found.proxies) == (True, ["10.0.0.7"])
    assert found.link("x", "aeon-abcd.localhost:1") == "https://aeon.example.org/#x"


def test_a_name_lets_a_proxy_of_this_machine_be_believed_and_none_elsewhere():
    assert checked_server_address(settings(NAMES)).proxies == ["127.0.0.1"]
    assert checked_server_address(settings(NAMES, PROXIES)).proxies == ["127.0.0.1", "10.0.0.7"]


def test_a_certificate_and_its_key_belong_together(tmp_path):
    make_certificate(tmp_path)
    chain, key = str(tmp_path / "aeon.pem"), str(tmp_path / "aeon.key")
    found = checked_server_address(settings(certificate=chain, certificate_key=key))
    assert (found.certificate, found.link("x", "a:1")) == ((chain, key), "https://a:1/#x")
    for wrong in ({"certificate": chain}, {"certificate_key": key}, {"certificate": key, "certificate_key": chain}):
        with pytest.raises(ConfigError, match="certificate"):
            checked_server_address(settings(wrong))


@pytest.mark.parametrize("wrong", [{"proxies": ["0.0.0.0/0"]}, {"proxies": ["*"]}, {"host": "example.org"}])
def test_a_proxy_is_not_everybody_and_a_host_is_an_address(wrong):
    with pytest.raises(ValueError, match="must"):
        settings(wrong)
