"""The tool `fetch` against a real server on loopback, and what it must not ask."""

from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from aeon.adapters.web.fetch import FetchTool, named_hosts
from aeon.adapters.web.pages import PageReader
from aeon.base.errors import InputError, ToolError
from aeon.tools.attachments import PART_CHARACTERS

PAGE = (
    "<html><head><title>Tea</title></head><body><nav>Home | Shop</nav><article><h1>Tea</h1>"
    + ("<p>Green tea is made of leaves that were not fermented, and grows in China.</p>" * 3)
    + "</article><script>order()</script></body></html>"
)


class Site(BaseHTTPRequestHandler):
    """Pages by path; `leads` are redirects."""

    pages = {
        "/tea": ("text/html; charset=utf-8", PAGE),
        "/plain": ("text/plain; charset=latin-1", "Grün"),
        "/json": ("application/json", '{"tea": 1}'),
        "/picture": ("image/png", "x"),
        "/empty": ("text/html", "<html><body><script>draw()</script></body></html>"),
        "/long": ("text/plain", "word " * PART_CHARACTERS),
    }
    leads = {"/moved": "/plain", "/away": "http://elsewhere.test/", "/loop": "/loop", "/file": "file:///etc/passwd"}

    def do_GET(self):  # the server's name
        self.server.asked.append(self.path)
        if self.path in self.leads:
            self.send_response(302)
            self.send_header("Location", self.leads[self.path])
            self.end_headers()
            return
        kind, text = self.pages.get(self.path, ("text/plain", "no such page"))
        self.send_response(200 if self.path in self.pages else 404)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(text.encode("latin-1" if "latin" in kind else "utf-8"))

    def log_message(self, *args):
        pass


@pytest.fixture
def site():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    server.asked = []
    Thread(target=partial(server.serve_forever, 0.01), daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def address(site):
    return f"http://site.test:{site.server_address[1]}"


@pytest.fixture
def reader():
    return PageReader(lambda host, port: ["127.0.0.1"], allow_private=True)


def fetch(reader, request, url, **more):
    return FetchTool(request, reader=reader).invoke(url=url, **more)["text"]


def test_the_main_text_of_a_page_is_got(reader, address):
    text = fetch(reader, f"What does {address}/tea say?", f"{address}/tea")
    assert "Green tea is made of leaves" in text
    assert "order()" not in text


def test_other_text_comes_as_it_stands_and_a_page_may_lead_to_its_own_site(reader, address):
    assert fetch(reader, address, f"{address}/plain") == "Grün" == fetch(reader, address, f"{address}/moved")
    assert fetch(reader, address, f"{address}/json") == '{"tea": 1}'


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/away", "site.test leads to elsewhere.test"),
        ("/file", "is not the address of a page"),
        ("/loop", "redirected more than 5 times"),
        ("/none", "its server answered 404"),
        ("/picture", "is image/png, not text"),
        ("/empty", "has no text; a script"),
    ],
)
def test_what_is_no_text_or_leads_away_is_refused(reader, address, path, why):
    with pytest.raises(ToolError, match=why):
        fetch(reader, address, f"{address}{path}")


@pytest.mark.parametrize(
    "url",
    [
        "http://evil.test/?q=secrets",
        "http://evil.test?.site.test/",
        "http://evil.test#.site.test/",
        "http://site.test.evil.test/",
        "http://notsite.test/",
    ],
)
def test_no_address_is_asked_that_the_request_does_not_name(reader, site, url):
    """A text that gives orders: the model may be made to name an address, the user did not."""
    with pytest.raises(ToolError, match="your request does not name it"):
        fetch(reader, "Sum up http://site.test/tea", url)
    assert site.asked == []


@pytest.mark.parametrize(
    "url", ["http://user:key@site.test/", "ftp://site.test/", "site.test", "http://", "http://[::1"]
)
def test_what_is_no_address_of_a_page_is_refused(reader, url):
    with pytest.raises(ToolError):
        fetch(reader, "site.test", url)


def test_private_addresses_are_not_asked(address):
    with pytest.raises(InputError, match="which is private"):
        PageReader(lambda host, port: ["127.0.0.1"]).read(f"{address}/tea")


def test_a_long_page_is_read_in_parts_or_refused(reader, address):
    with pytest.raises(ToolError, match="it has 5 parts"):
        fetch(reader, address, f"{address}/long")
    assert len(fetch(reader, address, f"{address}/long", part=5)) <= PART_CHARACTERS


def test_hosts_are_found_in_a_request_and_the_tool_suits_one_with_an_address():
    assert named_hosts("See HTTPS://Example.com/a, www.b.org. Not a@mail.com, 3.5 or notes") == {
        "example.com",
        "www.b.org",
    }
    tool = FetchTool("")
    assert tool.suits("What is on https://example.com/a?")
    assert not tool.suits("What is 3.5 plus 2.5?")
    assert tool.read_request("What is on https://example.com/a?") == {"url": "https://example.com/a"}
    assert tool.read_request("Compare https://a.com/1 and https://a.com/2") is None
