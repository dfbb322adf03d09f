"""What every request meets first: DNS rebinding, other origins, other ports, large bodies (platform 31)."""

import http.client
import json
from itertools import product

import pytest

PATHS = ["/api/v1/conversations", "/v1/models", "/", "/nothing"]


def status(site, method="GET", path="/api/v1/session", body=None, **headers):
    """The status and the headers of a request that is sent just so."""
    connection = http.client.HTTPConnection(site.address, timeout=20)
    connection.putrequest(method, path, skip_host=True)
    for name, value in {"Host": site.address, **headers}.items():
        connection.putheader(name, value)
    connection.endheaders(body)
    answer = connection.getresponse()
    found = answer.status, dict(answer.getheaders()), answer.read()
    connection.close()
    return found


@pytest.mark.parametrize("path", PATHS)
def test_a_name_that_is_not_the_servers_is_refused_on_every_path_platform_31(site, path):
    """DNS rebinding: the page of another name that leads here reads nothing."""
    port = site.address.partition(":")[2]
    for name in ("evil.example", f"evil.example:{port}", "127.0.0.1", f"localhost.evil.example:{port}", ""):
        assert status(site, path=path, Host=name)[0] in {421, 400}, name


@pytest.mark.parametrize("path", PATHS)
def test_every_answer_has_the_headers_that_bind_a_browser(site, path):
    found = {name.lower(): value for name, value in status(site, path=path)[1].items()}
    assert "default-src 'none'" in found["content-security-policy"]
    assert "frame-ancestors 'none'" in found["content-security-policy"]
    assert (found["x-content-type-options"], found["x-frame-options"]) == ("nosniff", "DENY")
    assert (found["referrer-policy"], "server" in found) == ("same-origin", False)
    assert len(found["x-request-id"]) == 16


def test_changes_come_from_pages_of_this_origin_or_from_programs_alone_platform_31(site):
    """The matrix of origins: other ports of this machine are other origins, and `null` is one, too."""
    browser = site.browser()
    own = f"http://{site.name}"
    foreign = ["http://evil.example", f"http://{site.address}", "http://aeon-test.localhost:1", "null", own + ".evil"]
    for origin, path in product([own, *foreign], ["/api/v1/conversations"]):
        answer = browser.post(path, json={}, headers={"origin": origin})
        assert (answer.status_code == 201) == (origin == own), (origin, answer.text)
    for site_of_page, wanted in {"same-origin": 201, "none": 201, "same-site": 403, "cross-site": 403}.items():
        answer = browser.post("/api/v1/conversations", json={}, headers={"sec-fetch-site": site_of_page})
        assert answer.status_code == wanted, site_of_page
    program = site.client("me")
    assert program.post("/api/v1/conversations", json={}, headers={"origin": "http://evil.example"}).status_code == 201
    assert len(browser.get("/api/v1/conversations").json()["data"]) == 4


def test_no_page_of_another_origin_may_read_an_answer(site):
    """Without CORS headers, a browser keeps every answer from pages of other origins."""
    answer = site.client("me").get("/api/v1/session", headers={"origin": "http://evil.example"})
    assert not [name for name in answer.headers if name.startswith("access-control")]
    assert site.client().options("/api/v1/session", headers={"origin": "http://evil.example"}).status_code == 405


@pytest.mark.parametrize("is_announced", [True, False])
def test_a_body_that_is_too_large_is_refused_before_it_is_read_as_a_whole(site, is_announced):
    token = {"Authorization": f"Bearer {site.token()}", "Content-Type": "application/json"}
    large = json.dumps({"title": "x" * (1 << 20)}).encode()
    if is_announced:
        found = status(site, "POST", "/api/v1/conversations", large, **token, **{"Content-Length": str(len(large))})
    else:
        pieces = (
            b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in (large[:1000], large[1000:])) + b"0\r\n\r\n"
        )
        found = status(site, "POST", "/api/v1/conversations", pieces, **token, **{"Transfer-Encoding": "chunked"})
    assert found[0] == 413
    assert json.loads(found[2])["code"] == "content_too_large"


def test_a_deeply_nested_body_is_refused(site):
    nested = b"[" * 100_000 + b"]" * 100_000
    answer = site.client("me").post(
        "/api/v1/conversations", content=nested, headers={"content-type": "application/json"}
    )
    assert answer.status_code in {400, 422}
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_websocket_is_closed_at_once(site):
    upgrade = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
    assert (
        status(site, path="/api/v1/session", **upgrade, **{"Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="})[0] != 101
    )


def test_an_error_and_its_answer_have_the_same_id_and_a_harmless_one_of_the_client_is_kept(site):
    client = site.client()
    mine = client.get("/api/v1/session", headers={"x-request-id": "my-own-17"})
    assert (mine.headers["x-request-id"], mine.json()["correlationId"]) == ("my-own-17", "my-own-17")
    for other in ("a b", "<script>", "x" * 65, "ä"):
        kept = client.get("/api/v1/session", headers={"x-request-id": other.encode()}).headers["x-request-id"]
        assert kept.isalnum()
        assert kept != other
