"""The site of the documentation: it builds strictly, fetches nothing from elsewhere, and each link leads somewhere."""

import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
CSS_ADDRESS = re.compile(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)")


class Page(HTMLParser):
    """The ids and addresses of a built page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.ids.add(value)
            if name == "href" and value is not None and tag == "a":
                self.links.append(value)
            elif name in ("src", "srcset", "href", "action", "data", "poster") and value and tag != "a":
                self.fetched.append(value)


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("docs") / "site"
    done = subprocess.run(
        [sys.executable, "-m", "properdocs", "build", "--quiet", "--site-dir", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site) -> dict[Path, Page]:
    return {path.resolve(): Page(path) for path in site.rglob("*.html")}


def is_elsewhere(address: str) -> bool:
    parts = urlsplit(address)
    return bool(parts.scheme or parts.netloc) and parts.scheme != "data"


def test_a_browser_fetches_nothing_from_elsewhere(site, pages):
    sheets = [*site.rglob("*.css"), *site.rglob("*.svg")]
    styles = [address for sheet in sheets for address in css_addresses(sheet.read_text("utf-8"))]
    fetched = [address for page in pages.values() for address in page.fetched]
    assert fetched
    assert [address for address in [*fetched, *styles] if is_elsewhere(address)] == []


def css_addresses(text: str) -> Iterator[str]:
    for one, other in CSS_ADDRESS.findall(text):
        yield one or other


def test_every_link_inside_leads_somewhere(site, pages):
    assert [fault for path, page in pages.items() for fault in dead(path, page, pages)] == []


def dead(path: Path, page: Page, pages: dict[Path, Page]) -> Iterator[str]:
    """The links of a page that lead nowhere."""
    for address in [*page.links, *page.fetched]:
        if is_elsewhere(address):
            continue
        parts = urlsplit(address)
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if not target.is_file():
            yield f"{path.name}: {address}"
        elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids:
            yield f"{path.name}: {address} has no such heading"


def test_every_page_has_its_place_in_the_navigation_and_its_first_heading(pages):
    assert {"index.html", "tutorial.html", "settings.html", "errors.html"} <= {path.name for path in pages}
