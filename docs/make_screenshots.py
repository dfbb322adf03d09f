"""Make the pictures of the page in docs/pictures: a real server, a scripted model, the distribution's Chromium.

Run it as `python docs/make_screenshots.py` or `make screenshots`.
Nothing compares them: pixels depend on the browser.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from playwright.sync_api import Browser, Page, sync_playwright

from aeon.testing.wire_double import WireDouble

FOLDER = Path(__file__).parent / "pictures"
CHROMIUM = "/usr/bin/chromium"

QUESTION = "How much flour do pancakes for 4 guests need?"
ANSWERS = [
    (
        "About **250 g**. For four guests:\n\n| | |\n|---|---|\n| flour | 250 g |\n| milk | 500 ml |\n| eggs | 3 |\n\n"
        "```python\nflour = 62.5 * guests  # in grams\n```\n"
    ),
    "For twelve guests, **750 g** of flour, 1.5 l of milk and 9 eggs.",
    "Take **750 g**: three times as much.",
]

WIDE: dict[str, Any] = {"width": 1200, "height": 760}
SMALL: dict[str, Any] = {"width": 360, "height": 720}

PICTURES = {
    "page-chat": (WIDE, "light", "chat"),
    "page-chat-dark": (WIDE, "dark", "chat"),
    "page-chat-small": (SMALL, "light", "chat"),
    "page-why": (WIDE, "light", "why"),
    "page-run": (WIDE, "light", "run"),
    "page-run-small": (SMALL, "dark", "run"),
    "page-process": (WIDE, "light", "process"),
    "page-process-small": (SMALL, "dark", "process"),
    "page-editor": (WIDE, "light", "editor"),
}
"""By file name: the size, the colours, and what is shown."""


def main() -> None:
    with served() as link, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        state = signed_in(browser, link)
        places = talk(browser, state, link)
        for name, (size, scheme, place) in PICTURES.items():
            context = browser.new_context(viewport=size, color_scheme=scheme, storage_state=state)
            page = context.new_page()
            page.goto(places[place])
            page.evaluate("for (const each of document.querySelectorAll('.timeline details')) each.open = true")
            if place == "chat":
                page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
            page.screenshot(path=FOLDER / f"{name}.png")
            context.close()
            print(f"docs/pictures/{name}.png")


@contextmanager
def served() -> Iterator[str]:
    """The link of a server in a new folder."""
    with tempfile.TemporaryDirectory() as folder, WireDouble(ANSWERS) as model:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("AEON_")}
        own = {
            "AEON_MODEL_BASE_URL": model.base_url,
            "AEON_MODEL_NAME": "scripted",
            "AEON_CONVERSATIONS_TITLES": "false",
        }
        argv = [sys.executable, "-m", "aeon", "serve", "--port", "0"]
        server = subprocess.Popen(
            argv,
            cwd=folder,
            env=kept | own | {"AEON_CONVERSATIONS_TITLES": "false"},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        try:
            yield cast(IO[str], server.stdout).readline().strip()
        finally:
            server.terminate()
            server.wait()


def signed_in(browser: Browser, link: str) -> Any:
    """The state of a browser that is signed in."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(link)
    page.locator("#say").wait_for()
    return context.storage_state()


def talk(browser: Browser, state: Any, link: str) -> dict[str, str]:
    """Hold a conversation; return the addresses of what is shown."""
    page = browser.new_context(storage_state=state).new_page()
    page.goto(link.partition("#")[0])
    say(page, QUESTION, 1)
    say(page, "And for 12?", 2)
    page.get_by_role("button", name="Regenerate").last.click()
    page.locator("article.answer[data-state=complete]", has_text="three times").wait_for()
    last = page.locator("article.answer").last
    base = link.partition("/#")[0]
    return {
        "chat": page.url,
        "why": f"{base}{last.get_by_role('link', name='Why?').get_attribute('href')}",
        "process": f"{base}/processes/research",
        "editor": f"{base}/processes/new?copy_of=research",
        "run": f"{base}{last.get_by_role('link', name='Run', exact=True).get_attribute('href')}",
    }


def say(page: Page, words: str, answers: int) -> None:
    page.locator("#say").fill(words)
    page.locator("#say").press("Enter")
    page.locator("article.answer[data-state=complete]").nth(answers - 1).wait_for()


if __name__ == "__main__":
    main()
