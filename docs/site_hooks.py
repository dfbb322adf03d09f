"""Changes pages for the site: the file name of a block becomes its title, marks for tests are dropped."""

import re
from pathlib import Path
from typing import Any

_FENCE = re.compile(r"^```(\w+) +([^\n]+)$", re.MULTILINE)
_TEST_MARKS = ("model", "server")
"""Words behind `console` that tell the tests what a block needs."""


def on_page_markdown(markdown: str, **_: Any) -> str:
    """The page's text with plain fences, as the renderer wants them."""
    return _FENCE.sub(_plain_fence, markdown)


def on_post_build(config: Any, **_: Any) -> None:
    """Removes the page for addresses that do not exist: its links need to know the address of the site."""
    (Path(config.site_dir) / "404.html").unlink()


def _plain_fence(fence: re.Match[str]) -> str:
    language, words = fence.groups()
    return f"```{language}" if words in _TEST_MARKS else f"`{words}`:\n\n```{language}"
