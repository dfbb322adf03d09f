"""Signing in by an OpenID provider: who gets in, who does not, and every way in which an answer can be wrong (platform 31)."""

import json
from urllib.parse import parse_qsl, urlsplit

import httpx2
import pytest

from aeon.application.users import AccountChange, Identity
from aeon.base.errors import ConfigError

from .small_provider import CLIENT, SECRET, SmallProvider

pytestmark = pytest.mark.server


@pytest.fixture
def provider():
    made = SmallProvider()
    yield made
    made.close()


@pytest.fixture
def start(serve, provider):
    """`start(**settings)`: a server whose people sign in by the provider."""

    def begin(**settings):
        own = {"oidc_issuer": provider.issuer, "oidc_client_id": CLIENT, "oidc_client_secret_env": "OIDC_SECRET"}
        own |= {"oidc_domains": "example.org", **settings}
        variables = {f"AEON_SERVER_{key.upper()}": value for key, value in own.items()}
        return serve(variables={"OIDC_SECRET": SECRET, **variables})

    return begin


class Browser:
    """A browser that follows the two redirects of a sign-in by hand."""

    def __init__(self, site):
        self.site, self.client = site, site.client()
        self.client.headers["host"] = site.name
        self.cookies = {}

    def get(self, path):
        shown = {"cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        answer = self.client.get(path, headers=shown)
        self.cookies.update({name: answer.cookies[name] for name in answer.cookies})
        return answer

    def at_provider(self):
        """Where the provider sends the browser back to."""
        begun = self.get("/sign-in/provider")
        assert begun.status_code == 303, begun.text
        with httpx2.Client(trust_env=False) as client:
            return client.get(begun.headers["location"]).headers["location"]

    def sign_in(self):
        back = urlsplit(self.at_provider())
        assert f"{back.scheme}://{back.netloc}" == f"http://{self.site.name}"
        return self.get(f"{back.path}?{back.query}")

    @property
    def user(self):
        answer = self.get("/api/v1/session")
        return answer.json()["userId"] if answer.status_code == 200 else None


def audit(site, user):
    return [
        (each["action"], each["actorId"], json.loads(each["details"]))
        for each in site.workspaces.of(user).audit.list_entries().items
    ]


def test_who_has_a_verified_address_of_an_allowed_domain_becomes_a_user_platform_31(start, provider):
    site = start()
    browser = Browser(site)
    signed_in = browser.sign_in()
    assert (signed_in.status_code, browser.user) == (200, "ann@example.org")
    assert 'http-equiv="refresh" content="0; url=/"' in signed_in.text
    cookies = {each.partition("=")[0]: each for each in signed_in.headers.get_list("set-cookie")}
    assert "SameSite=strict" in cookies["aeon_session"]
    assert "Max-Age=86400" in cookies["aeon_session"]
    assert "Max-Age=0" in cookies["aeon_sign_in"]
    actions = {action: (actor, details) for action, actor, details in audit(site, "ann@example.org")}
    assert list(actions) == ["user.create", "user.link", "session.issue"]
    assert actions["user.create"][0] == "aeon"
    issued = actions["session.issue"][1]
    assert (issued["by"], issued["origin"]) == (f"4711 of {provider.issuer}", {"address": "127.0.0.1"})
    assert site.workspaces.of("ann@example.org").users.list_identities("ann@example.org") == [
        Identity(provider.issuer, "4711")
    ]


def test_the_same_identity_is_the_same_user_whatever_its_address_says_then(start, provider):
    site = start()
    Browser(site).sign_in()
    provider.claims = {"sub": "4711", "email": "new@elsewhere.example", "email_verified": False}
    again = Browser(site)
    again.sign_in()
    assert again.user == "ann@example.org"


@pytest.mark.parametrize(
    "claims",
    [
        {"sub": "1", "email": "ann@example.com", "email_verified": True},
        {"sub": "1", "email": "ann@example.org", "email_verified": False},
        {"sub": "1", "email": "ann@example.org", "email_verified": "true"},
        {"sub": "1", "email": "ann@example.org"},
        {"sub": "1", "email": "ann@evil.example@example.org", "email_verified": True},
        {"sub": "1", "email": "ann@sub.example.org", "email_verified": True},
        {"sub": "1"},
    ],
)
def test_nobody_else_becomes_a_user_and_the_audit_log_of_the_folders_owner_has_it(start, provider, claims):
    site = start()
    provider.claims = claims
    browser = Browser(site)
    refused = browser.sign_in()
    assert (refused.status_code, browser.user) == (403, None)
    assert "Tell an operator your id at the provider: 1" in refused.text
    (entry,) = [each for each in audit(site, "me") if each[0] == "session.refuse"]
    assert (entry[2]["subject"], entry[2]["origin"]) == ("1", {"address": "127.0.0.1"})
    assert [each.name for each in site.workspaces.of("me").users.list().items] == ["me"]


def test_claims_may_stand_at_the_userinfo_endpoint_and_are_about_the_same_person(start, provider):
    provider.claims, info = {"sub": "4711"}, {"email": "ann@example.org", "email_verified": True}
    provider.info = {**info, "sub": "4712"}
    site = start()
    refused = Browser(site).sign_in()
    assert (refused.status_code, "somebody else" in refused.text) == (403, True)
    provider.info = {**info, "sub": "4711", "iss": "https://other.example"}
    browser = Browser(site)
    browser.sign_in()
    assert browser.user == "ann@example.org"
    assert site.workspaces.of("me").users.list_identities(browser.user) == [Identity(provider.issuer, "4711")]


def test_an_address_is_no_proof_to_be_an_existing_user_until_an_operator_links_it(start, provider):
    site = start()
    users = site.workspaces.of("me").users
    users.create("ann@example.org")
    assert Browser(site).sign_in().status_code == 403
    users.link("ann@example.org", Identity(provider.issuer, "4711"))
    browser = Browser(site)
    browser.sign_in()
    assert browser.user == "ann@example.org"


def test_without_domains_only_linked_users_sign_in(start, provider):
    site = start(oidc_domains="")
    assert Browser(site).sign_in().status_code == 403
    users = site.workspaces.of("me").users
    users.create("ann")
    users.link("ann", Identity(provider.issuer, "4711"))
    browser = Browser(site)
    browser.sign_in()
    assert browser.user == "ann"


def test_a_disabled_user_is_refused_and_their_audit_log_has_it(start, provider):
    site = start()
    Browser(site).sign_in()
    site.workspaces.of("me").users.change("ann@example.org", AccountChange(enabled=False))
    browser = Browser(site)
    assert (browser.sign_in().status_code, browser.user) == (403, None)
    assert audit(site, "ann@example.org")[-1][0] == "session.refuse"


def test_a_claim_decides_at_each_sign_in_who_is_an_operator(start, provider):
    site = start(oidc_operator_claim="groups", oidc_operator_values="admins, owners")
    for groups, status in ((["staff", "owners"], 200), ("admins", 200), (["staff"], 403), (None, 403)):
        provider.claims["groups"] = groups
        browser = Browser(site)
        browser.sign_in()
        assert browser.get("/api/v1/users").status_code == status


FAULTS = {
    "wrong nonce": "another sign-in",
    "wrong issuer": "InvalidIssuerError",
    "foreign audience": "InvalidAudienceError",
    "shared audience": "another program",
    "foreign azp": "another program",
    "expired": "ExpiredSignatureError",
    "no subject": "about whom",
    "no expiry": "MissingRequiredClaimError",
    "alg none": "InvalidAlgorithmError",
    "HS256 with the public key": "InvalidAlgorithmError",
    "foreign key": "InvalidSignatureError",
    "unknown key": "unknown key",
    "wrong state": "another sign-in",
    "wrong issuer of the answer": "another provider",
    "no issuer in the answer": "from which provider",
    "access denied": "access_denied",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_an_answer_that_is_wrong_lets_nobody_in_platform_31(start, provider, fault):
    site = start()
    provider.fault = fault
    browser = Browser(site)
    refused = browser.sign_in()
    assert (refused.status_code, browser.user) == (403, None)
    assert FAULTS[fault] in refused.text
    assert "aeon_session" not in browser.cookies
    assert [each.name for each in site.workspaces.of("me").users.list().items] == ["me"]


@pytest.mark.parametrize("fault", ["issuer of the document", "keys elsewhere", "huge document"])
def test_a_provider_that_cannot_be_trusted_is_not_asked(start, provider, fault):
    site = start()
    provider.fault = fault
    refused = Browser(site).get("/sign-in/provider")
    assert refused.status_code == 502
    assert provider.asked == ["/.well-known/openid-configuration"]


def test_a_provider_that_does_not_answer_is_said(start, provider):
    site = start(oidc_issuer="http://localhost:9")
    refused = Browser(site).get("/sign-in/provider")
    assert (refused.status_code, "cannot be asked" in refused.text) == (502, True)
    assert SECRET not in refused.text


def test_a_provider_that_failed_is_not_asked_again_at_once(start, provider):
    site = start()
    provider.fault = "huge document"
    browser = Browser(site)
    assert [browser.get("/sign-in/provider").status_code for _ in range(3)] == [502] * 3
    assert len(provider.asked) == 1


def test_who_begins_too_often_waits_platform_29(start):
    browser = Browser(start())
    assert [browser.get("/sign-in/provider").status_code for _ in range(6)] == [303] * 5 + [429]


def test_a_refused_sign_in_is_a_line_of_the_log_with_its_reason_and_address(start, provider, caplog):
    site = start()
    provider.fault = "wrong nonce"
    Browser(site).sign_in()
    (line,) = [each.getMessage() for each in caplog.records if "sign-in refused" in each.getMessage()]
    assert ("from 127.0.0.1" in line, "another sign-in" in line) == (True, True)


def test_a_wrong_secret_is_a_fault_of_the_settings(start, provider):
    site = start()
    provider.token = lambda fields, authorization: (401, {"error": "invalid_client", "error_description": "x y z"})
    refused = Browser(site).sign_in()
    assert (refused.status_code, "invalid_client" in refused.text, "x y z" in refused.text) == (502, True, False)


def test_an_answer_is_good_for_the_browser_that_began_and_once_platform_31(start, provider):
    site = start()
    browser, other = Browser(site), Browser(site)
    back = urlsplit(browser.at_provider())
    stolen = other.get(f"{back.path}?{back.query}")
    assert (stolen.status_code, other.user) == (403, None)
    other.get("/sign-in/provider")
    assert other.get(f"{back.path}?{back.query}").status_code == 403
    pending = browser.cookies["aeon_sign_in"]
    assert browser.get(f"{back.path}?{back.query}").status_code == 200
    browser.cookies["aeon_sign_in"] = pending
    replayed = browser.get(f"{back.path}?{back.query}")
    assert (replayed.status_code, "used already" in replayed.text) == (403, True)


def test_a_new_key_of_the_provider_is_fetched_when_it_is_used(start, provider):
    site = start()
    Browser(site).sign_in()
    assert provider.asked.count("/jwks") == 1
    provider.kid = "two"
    browser = Browser(site)
    browser.sign_in()
    assert browser.user == "ann@example.org"
    assert provider.asked.count("/jwks") == 2


def test_what_the_provider_is_asked_has_pkce_state_and_nonce_and_no_secret(start, provider):
    site = start(oidc_scopes="openid, email, groups")
    begun = Browser(site).get("/sign-in/provider")
    asked = dict(parse_qsl(urlsplit(begun.headers["location"]).query))
    assert (asked["scope"], asked["code_challenge_method"]) == ("openid email groups", "S256")
    assert asked["redirect_uri"] == f"http://{site.name}/sign-in/callback"
    assert len({asked["state"], asked["nonce"], asked["code_challenge"]}) == 3
    (cookie,) = begun.headers.get_list("set-cookie")
    assert all(each in cookie for each in ("HttpOnly", "SameSite=lax", "Max-Age=600"))
    assert asked["code_challenge"] not in cookie
    assert SECRET not in begun.headers["location"]


def test_the_sign_in_page_names_the_provider_in_both_languages(start):
    browser = Browser(start())
    assert "Sign in with localhost" in browser.get("/").text
    browser.client.headers["accept-language"] = "de"
    assert "Mit localhost anmelden" in browser.get("/").text


PATHS = ("/sign-in/provider", "/sign-in/callback?code=x&state=y")


def test_a_server_without_a_provider_has_no_such_sign_in(site):
    own = {"host": site.name}
    assert "/sign-in/provider" not in site.client().get("/", headers=own).text
    assert [site.client().get(path, headers=own).status_code for path in PATHS] == [404, 404]


def test_nobody_signs_in_under_a_name_that_other_ports_have_too(start):
    client = start().client()
    assert [client.get(path).status_code for path in PATHS] == [403, 403]


def test_settings_that_are_not_complete_are_said_before_anything_listens(start):
    with pytest.raises(ConfigError, match="oidc_client_id"):
        start(oidc_client_id="")
    unset = {"oidc_client_secret_env": "MISSING_ONE"}
    with pytest.raises(ConfigError, match="MISSING_ONE"):
        start(**unset)
