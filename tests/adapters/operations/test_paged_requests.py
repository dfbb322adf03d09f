"""Requests that follow pages, lists in queries, and forms, against a real HTTP server on loopback."""

import json
import threading
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

import pytest
from pydantic import ValidationError

from aeon.adapters.operations.queries import query_pairs
from aeon.adapters.operations.rest import RestExecutor
from aeon.platform.catalog.operations import RestRequest
from aeon.platform.catalog.tool_calls import OperationError, OperationRequest
from aeon.platform.vault import SecretValue

THINGS = [{"n": number} for number in range(1, 8)]


class Shelf(BaseHTTPRequestHandler):
    """Gives seven things, three on a page, in each of the usual ways."""

    def do_GET(self):
        url = urlsplit(self.path)
        query = dict(parse_qsl(url.query))
        self.server.asked.append((url.path, query, dict(self.headers)))
        make = getattr(self, f"give_{url.path.strip('/')}", None)
        if make is None:
            return self.answer({}, status=404)
        return make(query)

    def do_POST(self):
        length = int(self.headers["content-length"])
        self.answer({"type": self.headers["content-type"], "body": self.rfile.read(length).decode()})

    def give_page(self, query):
        number = int(query.get("page", 1))
        self.answer(THINGS[3 * (number - 1) : 3 * number])

    def give_offset(self, query):
        start = int(query.get("offset", 0))
        self.answer({"total": 7, "items": THINGS[start : start + 3]})

    def give_link(self, query):
        number = int(query.get("p", 1))
        links = [f'<http://{self.headers["host"]}/link?p=1>; rel="first"', '</link?p=9>; rel="last"; title="a, b"']
        links += [f"</link?p={number + 1}&key=hunter2>; rel=next"] if number < 3 else []
        self.answer(THINGS[3 * (number - 1) : 3 * number], Link=", ".join(links))

    def give_next(self, query):
        number = int(query.get("p", 1))
        self.answer(
            {"results": THINGS[3 * (number - 1) : 3 * number], "next": f"?p={number + 1}" if number < 3 else None}
        )

    def give_cursor(self, query):
        start = int(query.get("cursor") or 0)
        more = {"next_cursor": str(start + 3)} if start + 3 < 7 else {"next_cursor": ""}
        self.answer({"data": THINGS[start : start + 3], "meta": more})

    def give_same(self, _query):
        self.answer(THINGS[:3])

    def give_away(self, _query):
        self.answer(THINGS[:3], Link=f'<{self.server.elsewhere}>; rel="next"')

    def give_broken(self, query):
        number = int(query.get("page", 1))
        if number == 2:
            return self.answer({}, status=429, **{"Retry-After": "7"})
        return self.answer(THINGS[:3])

    def give_odd(self, _query):
        self.answer({"items": "none"})

    def answer(self, body, status=200, **headers):
        content = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": len(content), **headers}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args):
        pass


@pytest.fixture
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Shelf) as running:
        running.asked, running.elsewhere = [], "http://localhost:1/"
        thread = threading.Thread(target=partial(running.serve_forever, 0.01))
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture
def ask(server):
    def call(path, given=None, *, secret=None, connection=None, turns=None, confirm=None, **operation):
        work = OperationRequest(
            "me",
            RestRequest.model_validate({"allowPrivate": True, "path": path, **operation}),
            "http",
            {"endpoint": f"http://127.0.0.1:{server.server_port}", **(connection or {})},
            given or {},
            SecretValue(secret) if secret else None,
            {},
            **({"await_turn": turns} if turns else {}),
            **({"confirm": confirm} if confirm else {}),
        )
        return RestExecutor().execute(work).output

    return call


WAYS = {
    "page": {"style": "page", "parameter": "page"},
    "offset": {"style": "offset", "parameter": "offset", "items": "/items"},
    "link": {"style": "link"},
    "next": {"style": "next", "next": "/next", "items": "/results"},
    "cursor": {"style": "cursor", "parameter": "cursor", "next": "/meta/next_cursor", "items": "/data"},
}


@pytest.mark.parametrize("way", WAYS)
def test_all_pages_come_in_one_list(ask, server, way):
    found = ask(f"/{way}", pagination=WAYS[way])
    assert (found["body"], found["isComplete"], found["status"]) == (THINGS, True, 200)
    assert found["pages"] == len(server.asked)


@pytest.mark.parametrize("way", WAYS)
def test_no_more_pages_are_asked_for_than_allowed(ask, server, way):
    found = ask(f"/{way}", pagination={**WAYS[way], "maxPages": 2})
    assert (found["body"], found["pages"], found["isComplete"]) == (THINGS[:6], 2, False)
    assert len(server.asked) == 2


def test_pages_are_counted_from_the_one_that_is_asked_for(ask, server):
    found = ask("/page", {"page": 2}, query={"page": "{page}"}, pagination=WAYS["page"])
    assert found["body"] == THINGS[3:]
    assert ask("/offset", {"at": 6}, query={"offset": "{at}"}, pagination=WAYS["offset"])["body"] == THINGS[6:]
    with pytest.raises(OperationError, match="'page' is not a whole number"):
        ask("/same", {"page": "x"}, query={"page": "{page}"}, pagination=WAYS["page"])


def test_each_further_page_waits_for_its_turn_and_is_confirmed(ask):
    turns, confirmed = [], []
    ask("/cursor", pagination=WAYS["cursor"], turns=turns.append, confirm=lambda: confirmed.append(1))
    assert (len(turns), len(confirmed)) == (2, 3)
    assert all(0 < seconds <= 30 for seconds in turns)


@pytest.mark.parametrize(
    ("elsewhere", "why"),
    [
        ("http://localhost:1/", "its next page is to another host, localhost"),
        ("file:///etc/passwd", "its next page is to a file address"),
        ("http://[::1", "its next page is to an invalid address"),
    ],
)
def test_pages_stay_on_the_same_host(ask, server, elsewhere, why):
    server.elsewhere = elsewhere
    with pytest.raises(OperationError, match=why.replace("[", r"\[")):
        ask("/away", pagination=WAYS["link"], secret={"key": "k"})
    assert len(server.asked) == 1


def test_a_key_in_the_query_goes_with_every_page_and_an_old_one_is_replaced(ask, server):
    found = ask("/link", pagination=WAYS["link"], secret={"key": "hunter2"}, connection={"authQuery": "key"})
    assert found["body"] == THINGS
    assert [query["key"] for _, query, _ in server.asked] == ["hunter2"] * 3


def test_a_page_that_comes_again_is_an_error(ask, server):
    """Else a service that ignores the parameter would give its first page ten times."""
    with pytest.raises(OperationError, match="page 2: it is the same as the page before") as refused:
        ask("/same", pagination=WAYS["page"])
    assert "does not heed the page" in refused.value.advice
    assert len(server.asked) == 2


def test_an_error_names_its_page_and_keeps_what_the_service_asks_for(ask):
    with pytest.raises(OperationError, match="page 2: it answered 429") as failed:
        ask("/broken", pagination=WAYS["page"])
    assert (failed.value.is_transient, failed.value.retry_after) == (True, 7.0)
    with pytest.raises(OperationError, match=r"^it answered 404"):
        ask("/missing", pagination=WAYS["page"])


def test_a_body_without_its_list_is_an_error(ask):
    with pytest.raises(OperationError, match="no list of items at /items"):
        ask("/odd", pagination=WAYS["offset"])


def test_size_and_time_hold_for_all_pages_together(ask, server):
    size = len(json.dumps(THINGS[:3]))
    with pytest.raises(OperationError, match=f"page 2: all pages together are longer than {size + 5} bytes"):
        ask("/page", pagination=WAYS["page"], maxBytes=size + 5)
    with pytest.raises(OperationError, match=r"page 2: all pages together took 0.2 s") as slow:
        ask("/page", pagination=WAYS["page"], timeout=0.2, turns=lambda _seconds: threading.Event().wait(0.3))
    assert "Lower maxPages" in slow.value.advice


@pytest.mark.parametrize(
    "operation",
    [
        {"method": "POST", "pagination": {"style": "link"}},
        {"pagination": {"style": "next"}},
        {"pagination": {"style": "page"}},
        {"pagination": {"style": "cursor", "parameter": "c"}},
        {"pagination": {"style": "link", "items": "items"}},
        {"pagination": {"style": "link", "maxPages": 1001}},
        {"method": "POST", "bodyFormat": "form", "body": [1]},
    ],
)
def test_an_operation_that_cannot_work_is_refused(operation):
    with pytest.raises(ValidationError):
        RestRequest.model_validate(operation)


@pytest.mark.parametrize(
    ("style", "value", "pairs"),
    [
        ("json", [1, "a"], [("q", '[1,"a"]')]),
        ("repeat", [1, "a", True], [("q", "1"), ("q", "a"), ("q", "true")]),
        ("comma", ["a", "b"], [("q", "a,b")]),
        ("space", ["a", "b"], [("q", "a b")]),
        ("pipe", ["a", "b"], [("q", "a|b")]),
        ("deep", {"a": 1, "b": {"c": ["x", "y"]}}, [("q[a]", "1"), ("q[b][c]", "x"), ("q[b][c]", "y")]),
        ("repeat", {"a": 1, "b": ["x", "y"]}, [("a", "1"), ("b", "x"), ("b", "y")]),
        ("comma", "a", [("q", "a")]),
        ("repeat", [], []),
    ],
)
def test_lists_and_objects_in_a_query(style, value, pairs):
    assert query_pairs({"q": value}, {"q": style}) == pairs


def test_a_body_may_be_a_form_or_a_json_text(ask):
    fields = {"a": "{a}", "tags": "{tags}", "gone": "{gone}"}
    form = ask("/x", {"a": "x&y=1", "tags": ["1", "2"]}, method="POST", body=fields, bodyFormat="form")["body"]
    assert form == {"type": "application/x-www-form-urlencoded", "body": "a=x%26y%3D1&tags=1&tags=2"}
    text = ask("/x", {"a": "it"}, method="POST", body="{a}", bodyFormat="json")["body"]
    assert text == {"type": "application/json", "body": '"it"'}


def test_an_optional_header_that_is_not_given_is_left_out(ask, server):
    ask("/same", {"b": 1}, headers={"X-A": "{a}", "X-B": "{b}", "X-C": "c{a}"})
    headers = {name.lower(): value for name, value in server.asked[0][2].items()}
    assert ("x-a" in headers, headers["x-b"], headers["x-c"]) == (False, "1", "c")
