"""`aeon serve` as a process with a scripted model, and the distribution's Chromium in front of it."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.application.conftest import STORED
from tests.server.conftest import Site

from aeon.testing.llm import ScriptedAdapter
from aeon.testing.wire_dialects import WireAnswer
from aeon.testing.wire_double import WireDouble
from aeon.testing.wire_rules import WireExchange

CHROMIUM = Path("/usr/bin/chromium")


@pytest.fixture
def own(site):
    """The workspace of the user, in which the things of `STORED` are."""
    made = site.workspaces.of("me")
    made.documents.apply(STORED)
    return made


@pytest.fixture
def me(site, own):
    """A signed-in browser of the user."""
    return site.browser("me")


@dataclass(frozen=True)
class PausedResponse:
    """Streams the text but for its last piece, which comes once the double is released."""

    text: str

    def play(self, exchange: WireExchange) -> None:
        answer = WireAnswer(self.text)
        *first, last = exchange.dialect.stream_start(answer, exchange.model)
        exchange.begin("text/event-stream", None)
        for part in first:
            exchange.write(part)
        exchange.wait_for_release()
        for part in [last, *exchange.dialect.stream_end(answer, exchange.model)]:
            exchange.write(part)
        exchange.end()


@dataclass
class Served:
    """A running server: its link, the address of its page, its model."""

    link: str
    model: WireDouble | None
    folder: Path
    environ: dict[str, str]

    @property
    def base(self) -> str:
        return self.link.partition("/#")[0]

    def aeon(self, *argv: str, code: int = 0) -> str:
        """What another command in the same folder prints."""
        ran = subprocess.run(
            [sys.executable, "-m", "aeon", *argv],
            cwd=self.folder,
            env=self.environ,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert ran.returncode == code, ran.stderr
        return ran.stdout


@contextmanager
def running(folder: Path) -> Iterator[Callable[..., Served]]:
    """`start(*rules)`: a server in that folder, whose model answers by these rules; `model=` names an embedded one.

    Other options are variables of its environment. `start.again(served)` ends it and starts it on the same port.
    """
    started: list[subprocess.Popen[str]] = []
    doubles: list[WireDouble] = []
    (folder / ".git").mkdir(parents=True)

    def launch(environ: dict[str, str], *options: str) -> str:
        process = subprocess.Popen(
            [sys.executable, "-m", "aeon", "serve", "--grace", "0", *options],
            cwd=folder,
            env=environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        started.append(process)
        link = process.stdout.readline().strip()
        assert link.startswith("http://aeon-"), link
        return link

    def start(*rules: object, model: str | None = None, **variables: str) -> Served:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("AEON_", "OTEL_"))}
        environ = {**kept, "AEON_CONVERSATIONS_TITLES": "false", **variables}
        if model is None:
            doubles.append(WireDouble(rules))
            environ |= {"AEON_MODEL_BASE_URL": doubles[-1].base_url, "AEON_MODEL_NAME": "scripted"}
        link = launch(environ, "--port", "0", *(["--model", model] if model else []))
        return Served(link, doubles[-1] if doubles else None, folder, environ)

    def again(served: Served) -> None:
        started[-1].terminate()
        started[-1].wait(20)
        launch(served.environ, "--port", str(urlsplit(served.base).port))

    start.again = again
    try:
        yield start
    finally:
        for double in doubles:
            double.close()
        for process in started:
            process.terminate()
            process.wait(20)
            process.stdout.close()


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Served]]:
    """`serve(*rules)`: a server in a folder of its own, as `running` starts it."""
    with running(tmp_path / "here") as start:
        yield start


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A project that is served by this process, for pages without a browser."""
    monkeypatch.chdir(tmp_path)
    with ExitStack() as closing:
        yield Site(tmp_path, ScriptedAdapter(()), closing)


@pytest.fixture(scope="module")
def chromium():
    """The browser; skips with its reason where it is not installed.

    For one module: while Playwright is open, no other test of the process can run an event loop.
    """
    if not CHROMIUM.exists():
        pytest.skip("Chromium is not installed: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        yield browser
        browser.close()


class Watch:
    """What a browser asked for, and what its console said."""

    def __init__(self) -> None:
        self.hosts: set[str] = set()
        self.errors: list[str] = []


@pytest.fixture
def visit(chromium):
    """`visit(served, **options)`: a page that is signed in. No page says an error or asks another host for anything.

    `visit.expects(text)` takes errors with that text, of which there must be one; `visit.allows(text)` if there is one.
    """
    opened = []
    watches: list[tuple[Watch, str]] = []

    def go(served: Served, **options: object):
        context = chromium.new_context(**options)
        opened.append(context)
        page, watch = context.new_page(), Watch()
        page.set_default_timeout(30_000)
        watches.append((watch, urlsplit(served.base).netloc))
        page.on("request", lambda request: watch.hosts.add(urlsplit(request.url).netloc))
        page.on("pageerror", lambda error: watch.errors.append(str(error)))
        page.goto(served.link)
        if options.get("java_script_enabled", True):
            page.locator("#say").wait_for()
            page.wait_for_load_state()  # the script is there then
        page.on("console", lambda said: watch.errors.append(said.text) if said.type in ("error", "warning") else None)
        return page

    def allows(text: str) -> None:
        for watch, _ in watches:
            watch.errors[:] = [each for each in watch.errors if text not in each]

    def expects(text: str) -> None:
        assert all(any(text in each for each in watch.errors) for watch, _ in watches)
        allows(text)

    go.allows, go.expects = allows, expects
    yield go
    for context in opened:
        context.close()
    assert [(watch.errors, watch.hosts - {host}) for watch, host in watches] == [([], set())] * len(watches)
