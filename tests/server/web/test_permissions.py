"""Who may see and send what: every page and form, as its owner, another user, nobody and who only reads.

Also: no page that is opened changes the record, and no page, address or line of the log has a secret.
"""

import logging
import re
from contextlib import ExitStack

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from tests.server.conftest import Site
from tests.server.rest.test_permissions import World

from aeon.server.rest.router import handle_errors
from aeon.server.web.mount import mount_web
from aeon.testing.llm import ScriptedAdapter

pytestmark = pytest.mark.server

AT_A_PROVIDER = {"GET /sign-in/provider", "GET /sign-in/callback"}
"""There is none here, so these are not there; `auth/test_openid.py` has one."""

PUBLIC = {"GET /favicon.ico", "POST /sign-in", "GET /sign-in"} | AT_A_PROVIDER
"""Pages for who is not signed in."""

TEXT = "kind: Process\nname: other\nsteps:\n  - {id: look, tool: mine, output: found}\n"

FORMS = {
    "POST /conversations": {"content": "x"},
    "POST /conversations/{conversation}/messages": {"content": "x"},
    "POST /conversations/{conversation}/entities": {"name": "Tove", "state": "pinned"},
    "POST /triggers/{kind}/{trigger}": {"enabled": "true"},
    "POST /messages/{message}/edit": {"content": "x"},
    "POST /runs/{run}/answer": {"step": "approve", "value": "yes"},
    "POST /apply": {"content": TEXT.replace("other", "another")},
    "POST /processes/new": {"content": TEXT},
    "POST /processes/check": {"content": TEXT},
    "POST /processes/{process}/edit": {"content": TEXT},
    "POST /tools/{thing}/edit": {"content": "description: Other words."},
    "POST /services/{thing}/edit": {"content": "limits: {concurrency: 2}"},
    "POST /secrets/new": {"kind": "api_key", "name": "k3", "in.key": "something"},
    "POST /secrets/{secret}/rotate": {"in.key": "something"},
    "POST /tools/{tool}/secret": {"secret": "key"},
    "POST /tokens": {"name": "another"},
    "POST /users": {"name": "bob"},
    "POST /users/change": {"user": "ada", "enabled": "false"},
    "POST /model/fetch": {"model": "small"},
    "POST /skills/{skill}/trust": {"digest": "x"},
    "POST /knowledge/entities": {"name": "Ida"},
    "POST /knowledge/entities/{entity}/change": {"name": "Tove", "summary": "Another friend."},
    "POST /knowledge/entities/{entity}/merge": {"other": "Linz"},
    "POST /knowledge/facts": {"sentence": "Ida rows.", "back": "/knowledge/me"},
    "POST /knowledge/facts/{fact}/decide": {"state": "rejected", "back": "/knowledge/me"},
    "POST /knowledge/settings": {
        "extraction": "paused",
        "compression": "off",
        "introspection": "off",
        "enrichment": "off",
    },
    "POST /settings": {"setting": "run.ttl", "in.run.ttl": "41"},
}
"""What forms need besides a key and a version, which all get."""

QUERIES = {"GET /skills/{skill}/file": "path", "GET /runs/{run}/compare": "with", "GET /processes/new": "copy_of"}

OWNED = ("model", "settings", "skills", "users")
"""The first part of the pages that are for operators alone: others are refused, whatever is there."""

KIND_OF = {"{tool}": "tools", "{service}": "services", "{secret}": "secrets", "{process}": "processes"}


def is_owned(shown):
    return shown.split(" ")[1].split("/")[1] in OWNED


def all_pages():
    """Every page and form, such as `GET /runs/{run}`."""
    app = FastAPI()
    handle_errors(app)
    mount_web(app)
    routes = [each for each in app.routes if isinstance(each, APIRoute)]
    return sorted(f"{method} {each.path}" for each in routes for method in each.methods - {"HEAD"})


PAGES = all_pages()


def test_every_page_is_tried():
    """A framework that keeps routes elsewhere would leave the lists of these tests empty."""
    assert len(PAGES) > 100
    assert set(FORMS) | set(QUERIES) | PUBLIC <= set(PAGES)


class PageWorld(World):
    """A served project in which `me` has something of every kind, with its pages."""

    def fill(self):
        """Also make a token that no test signs in with, which a form revokes."""
        super().fill()
        self.names["token"] = self.site.workspaces.of("me").access.new_token("me", "spare").credential.id

    def visit(self, user, shown):
        """The answer to a user who opens a page, or sends its form, of a thing of `me`."""
        method, path = shown.split(" ")
        headers = {"authorization": f"Bearer {self.tokens[user]}"} if user else {}
        names = {**self.names, "thing": self.by_kind.get(path.split("/")[1])}
        names |= {each.strip("{}"): self.by_kind[kind] for each, kind in KIND_OF.items()}
        names |= {"kind": "webhook", "trigger": self.by_kind["webhooks"]}
        if path.endswith("/why"):
            names["message"] = names["answer"]
        values = {"with": names["run"], "copy_of": names["process"], "path": "skill.json"}
        query = {name: values[name] for name in [QUERIES.get(shown)] if name}
        form = {"key": "k", "version": "1", **FORMS.get(shown, {})} if method == "POST" else None
        answer = self.program.request(method, path.format(**names), headers=headers, params=query, data=form)
        self.texts.append((f"{user} {shown}", answer.text + str([*answer.headers.items()]) + str(answer.url)))
        return answer


@pytest.fixture
def world(tmp_path, monkeypatch, caplog, fetch_from):
    monkeypatch.chdir(tmp_path)
    fetch_from()
    caplog.set_level(logging.DEBUG)
    with ExitStack() as closing:

        def serve(*replies, variables, monotonic):
            return Site(tmp_path, ScriptedAdapter(replies), closing, variables, monotonic)

        made = PageWorld(serve)
        yield made
        made.require_no_secret(caplog.text)


def test_nobody_and_who_only_reads_change_nothing_by_a_form_platform_31(world):
    world.tokens |= {"reader": world.site.token("me", scope="read"), "unknown": "a" * 43}
    world.ask("reader", "GET", "session")  # when a token was used is kept
    before = world.record()
    for shown in PAGES:
        if shown in PUBLIC:
            continue
        for user in (None, "unknown"):
            assert world.visit(user, shown).status_code == 401, shown
        if shown.startswith("POST "):
            assert world.visit("reader", shown).status_code == 403, shown
    assert world.record() == before


def test_no_form_is_taken_from_a_page_of_another_origin_platform_31(world):
    browser = world.site.browser("me")
    before = world.record()
    for shown in PAGES:
        method, path = shown.split(" ")
        for origin in ("https://evil.example", "null", f"http://127.0.0.1:{world.site.address[-1]}"):
            if method == "POST":
                sent = {"key": "k", "version": "1", **FORMS.get(shown, {})}
                answer = browser.post(re.sub(r"{\w+}", "x", path), headers={"origin": origin}, data=sent)
                assert answer.status_code == 403, (shown, origin)
    assert world.record() == before


def test_another_user_finds_no_page_of_the_owner_platform_2(world):
    before = world.record()
    for shown in PAGES:
        if "{" in shown or is_owned(shown):
            answer = world.visit("eve", shown)
            assert (answer.status_code, "<main" in answer.text) == (403 if is_owned(shown) else 404, True), shown
            assert world.record() == before, shown
    own = [each for each in [*world.names.values(), *world.by_kind.values()] if len(each) > 10]
    for shown in PAGES:
        if shown.startswith("GET ") and "{" not in shown and shown not in PUBLIC | set(QUERIES) and not is_owned(shown):
            answer = world.visit("eve", shown)
            assert answer.status_code == 200, shown
            assert not [each for each in own if each in answer.text], shown
    assert world.visit("eve", "GET /processes/new").status_code == 404
    checked = {"content": TEXT, "process": world.names["process"]}
    theirs = {"authorization": f"Bearer {world.tokens['eve']}"}
    assert world.program.post("/processes/check", headers=theirs, data=checked).status_code == 404


def test_opening_any_page_changes_nothing_and_its_owner_gets_it(world):
    for shown in PAGES:
        if shown.startswith("GET ") and shown not in AT_A_PROVIDER:
            before = world.record()
            answer = world.visit("me", shown)
            assert answer.status_code in {200, 303}, (shown, answer.text)
            assert world.record() == before, shown


def test_the_owner_may_send_every_form_and_no_page_has_a_secret_platform_3(world):
    last = {"POST /sign-out", "POST /conversations/{conversation}/forget", "POST /messages/{message}/forget"}
    forms = [each for each in PAGES if each.startswith("POST ") and each not in PUBLIC]
    for shown in sorted(forms, key=lambda each: (each in last, each.endswith("/delete"))):
        answer = world.visit("me", shown)
        assert answer.status_code not in {401, 403, 404, 405, 500}, (shown, answer.text)


def test_every_form_of_a_page_leads_to_an_address_that_takes_it(world):
    """What a form of any page names as its action is one of the forms that the other tests try."""
    known = [
        re.compile(re.sub(r"{\w+}", "[^/]+", each.removeprefix("POST ")) + "$") for each in PAGES if "POST" in each
    ]
    for shown in PAGES:
        if shown.startswith("GET ") and shown not in PUBLIC:
            answer = world.visit("me", shown)
            for action in re.findall(r'<form[^>]*method="post"[^>]*action="([^"#]*)', answer.text):
                assert any(each.match(action) for each in known), (shown, action)
            assert not re.search(r'<form(?![^>]*\baction=)(?![^>]*method="dialog")', answer.text), shown


def test_an_operator_manages_the_folder_on_the_page_as_over_rest_platform_31(world):
    """Others get no links to it, and are refused."""
    site = world.site
    links = {}
    for role in ("user", "operator"):
        site.workspaces.of("me").users.create(f"a-{role}", role)
        browser = site.browser(f"a-{role}")
        links[role] = [f'href="/{each}"' in browser.get("/runs").text for each in ("skills", "settings")]
        statuses = [browser.get(f"/{each}").status_code for each in ("skills", "settings", "model")]
        assert statuses == ([200] * 3 if role == "operator" else [403] * 3)
    assert links == {"user": [False, False], "operator": [True, True]}
