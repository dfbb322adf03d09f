"""The first run: no model can answer yet, so one is fetched on the page, and then answers without a restart."""

import threading
from contextlib import ExitStack

import pytest
from tests.server.conftest import Site
from tests.server.web.conftest import Served
from tests.server.web.test_reading import serious
from tests.server.web.test_things import hidden, post, said

from aeon.adapters.weights import CATALOG, WeightsPhase, WeightsProgress
from aeon.testing.llm import ScriptedAdapter
from aeon.testing.weights import ScriptedSource, make_weights

pytestmark = pytest.mark.server

CONTENT = bytes(3_000_000)
KEY = "sk-zeppelin-7f3a"


class PausedSource(ScriptedSource):
    """Reports a third of the download, and delivers once it is released."""

    def __init__(self, outcomes):
        super().__init__(outcomes, "hub")
        self.released = threading.Event()

    def deliver(self, spec, work, report):
        report(WeightsProgress(WeightsPhase.DOWNLOADING, spec.name, self.name, spec.size // 3, spec.size))
        assert self.released.wait(30)
        return super().deliver(spec, work, report)


@pytest.fixture
def source(monkeypatch, fetch_from):
    """The source of weights, which delivers what the catalogue has as the small model."""
    made = PausedSource([CONTENT])
    monkeypatch.setitem(CATALOG, "small", make_weights(CONTENT, "small"))
    fetch_from(made)
    monkeypatch.setattr(
        "aeon.llm.adapters.llama_cpp.LlamaCppAdapter", lambda *_, **__: ScriptedAdapter(["The Danube."])
    )
    yield made
    made.released.set()


@pytest.fixture
def new_site(tmp_path, monkeypatch, source):
    """A served project that has no model yet: its settings name the small one, whose weights are missing."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "AEON_CONVERSATIONS_TITLES": "false"}
    with ExitStack() as closing:
        yield Site(tmp_path, None, closing, {**cache, "AEON_MODEL_NAME": "small", "OPENAI_API_KEY": KEY})


def finished(site, name="small"):
    """Waits for the end of a download."""
    while not site.state.owned.models.download_of(name).is_over:
        pass


def test_the_first_page_says_that_no_model_is_there_and_fetches_it_once(new_site, source):
    me = new_site.browser("me")
    first = me.get("/")
    assert "No model can answer yet: Sample, which suits this machine, is not on it." in said(first)
    assert "Fetch it now (3 MB)" in said(first)
    assert '<button class="send" disabled>' in first.text, "nothing can be asked yet"
    for _ in range(2):
        assert post(me, "/model/fetch", model=hidden(first, "model")).headers["location"] == "/model"
    source.released.set()
    finished(new_site)
    done = me.get("/model")
    assert "small answers (on this machine)." in said(done)
    assert "data-refresh" not in done.text
    assert source.calls == 1
    assert "What would you like to know?" in said(me.get("/"))


def test_the_progress_is_on_the_page_and_reloads_without_javascript(new_site, source):
    me = new_site.browser("me")
    post(me, "/model/fetch", model="small")
    download = new_site.state.owned.models.download_of("small")
    while download.latest is None or not download.latest.total:
        pass
    shown = me.get("/model")
    assert "Downloading from hub: 1 of 3 MB" in said(shown)
    assert '<progress class="download" id="progress-small" value="1" max="3">' in shown.text
    assert '<noscript><meta http-equiv="refresh" content="2; url=/model"></noscript>' in shown.text
    assert KEY not in shown.text


def test_a_fetch_that_failed_says_why_and_can_be_repeated(new_site, fetch_from):
    fetch_from()
    me = new_site.browser("me")
    post(me, "/model/fetch", model="small")
    finished(new_site)
    shown = said(me.get("/model"))
    assert "could not be fetched" in shown
    assert "Fetch the model small on the page of the model; what was downloaded is kept." in shown
    assert "Fetch small" in shown
    unknown = post(me, "/model/fetch", model="unheard-of")
    assert (unknown.status_code, "There is no model 'unheard-of' to fetch." in said(unknown)) == (422, True)


def test_only_the_folders_owner_fetches_platform_31(new_site):
    eve = new_site.browser("eve")
    assert "An operator of this server can fetch one." in said(eve.get("/"))
    assert eve.get("/model").status_code == 403
    assert post(eve, "/model/fetch", model="small").status_code == 403
    assert new_site.state.owned.models.download_of("small") is None


def test_what_is_wrong_with_a_remote_model_is_said_with_what_to_do(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    with ExitStack() as closing:
        wrong = {"AEON_MODEL_API_KEY_ENV": "OPENAI_API_KEY", "AEON_MODEL_NAME": "gpt-5-mini"}
        me = Site(tmp_path, None, closing, wrong).browser("me")
        shown = said(me.get("/"))
        assert "First, a model is needed The environment variable OPENAI_API_KEY" in shown
        assert "export OPENAI_API_KEY=..." in shown
        assert "export AEON_MODEL_API_KEY_ENV=OPENAI_API_KEY" in said(me.get("/model"))


@pytest.mark.slow
def test_a_newcomer_fetches_the_model_in_the_browser_and_asks_it_without_a_restart(new_site, source, visit):
    link = f"http://{new_site.name}/#{new_site.workspaces.of('me').access.new_link('me')}"
    page = visit(Served(link, None, new_site.folder, {}), viewport={"width": 360, "height": 640})
    assert page.locator(".composer .send").is_disabled()
    assert serious(page) == []
    page.get_by_role("button", name="Fetch it now").click()
    bar = page.get_by_role("progressbar", name="Downloading from hub: 1 of 3 MB")
    bar.wait_for()
    assert (bar.get_attribute("value"), bar.get_attribute("max")) == ("1", "3")
    assert serious(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    source.released.set()
    page.get_by_role("link", name="Ask it something").click()
    page.locator("#say").fill("Which river flows through Vienna?")
    page.locator("#say").press("Enter")
    page.locator("article.answer[data-state=complete]", has_text="The Danube.").wait_for()


@pytest.mark.slow
def test_the_model_is_fetched_without_javascript_in_german(new_site, source, visit):
    link = f"http://{new_site.name}/#{new_site.workspaces.of('me').access.new_link('me')}"
    page = visit(Served(link, None, new_site.folder, {}), java_script_enabled=False, locale="de-DE")
    page.get_by_label("Der Link, den der Server ausgegeben hat").fill(link)
    page.get_by_role("button", name="Anmelden").click()
    page.get_by_role("button", name="Jetzt holen (3 MB)").click()
    page.get_by_role("progressbar", name="Lädt von hub: 1 von 3 MB").wait_for()
    source.released.set()
    page.get_by_role("link", name="Frag es etwas").wait_for()
