"""Hostile texts as HTML: nothing of theirs works, and reading them takes no time to speak of (platform 33)."""

import re
import time
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.server.web.markdown import MAX_RENDERED, render_markdown

HOSTILE = {
    "script": "<script>alert(1)</script>",
    "image with a handler": '<img src=x onerror="alert(1)">',
    "image of another host": "![pixel](https://evil.example/p.png?q=secret)",
    "image by reference": "![pixel][p]\n\n[p]: https://evil.example/p.png",
    "script as a link": "[click](javascript:alert(1))",
    "script as a link, in capitals": "[click](JaVaScRiPt:alert(1))",
    "script as a link, with an entity": "[click](java&#115;cript:alert(1))",
    "data as a link": "[click](data:text/html;base64,PHNjcmlwdD4=)",
    "a path of this server": "[click](/runs/1/cancel)",
    "another host without a scheme": "[click](//evil.example/x)",
    "a file": "[click](file:///etc/passwd)",
    "an autolink of a script": "<javascript:alert(1)>",
    "a form": '<form action="/sign-out" method="post"><button>x</button></form>',
    "a style": "<style>body{display:none}</style>",
    "an attribute in a title": '[x](https://a.example "a\\" onmouseover=alert(1) b=\\"")',
    "an attribute in the language of code": '```python" onload="alert(1)\nx\n```',
    "the end of code": "```html\n</code></pre><script>alert(1)</script>\n```",
    "a comment": "<!-- --><svg/onload=alert(1)>",
    "a frame": '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
    "attributes of a library": '<div hx-get="/x" hx-trigger="load">x</div>',
    "a template": "{{ 7 * 7 }}{% raw %}",
    "another direction": "safe\u202egnp.exe\u2066x",
    "a base": '<base href="https://evil.example/">',
    "a refresh": '<meta http-equiv="refresh" content="0;url=https://evil.example">',
    "markup in a table": "|a|b|\n|-|-|\n|<img src=x onerror=alert(1)>|[x](javascript:1)|",
    "a name that hides the page's own": '<a id="main" name="main">x</a>',
}

EXPENSIVE = {
    "open links": "[a](" * 20_000,
    "open brackets": "[" * 50_000,
    "quotes in quotes": ">" * 20_000,
    "lists in lists": "".join(f"{'  ' * depth}- x\n" for depth in range(400)),
    "stars": "*a " * 30_000,
    "underscores": "_" * 90_000,
    "ticks": "`" * 60_000 + "a",
    "a wide table": "|" * 20_000 + "\n" + "|-" * 20_000,
    "code": "```python\n" + "((((" * 20_000,
    "entities": "&amp;" * 18_000,
    "links of brackets": "[x][" * 25_000,
    "brackets in brackets": "[" * 19_000 + "a" + "](u)" * 19_000,
}

TAGS = {
    "a",
    "blockquote",
    "br",
    "code",
    "del",
    "em",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "li",
    "ol",
    "p",
    "pre",
    "s",
    "span",
    "strong",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "ul",
}


class Reader(HTMLParser):
    """The tags and attributes of a text."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.attributes = set(), []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]

    def handle_comment(self, data):
        self.tags.add("comment")

    def handle_decl(self, decl):
        self.tags.add("declaration")


def faults(html):
    """What a browser would do that it must not."""
    read = Reader(html)
    wrong = [f"<{tag}>" for tag in read.tags - TAGS]
    for tag, name, value in read.attributes:
        allowed = (tag, name) in {("a", "href"), ("a", "rel"), ("span", "class"), ("code", "class"), ("ol", "start")}
        if not allowed or (name == "href" and not re.match(r"(https?://[^/]|mailto:)", value)):
            wrong.append(f"{tag} {name}={value}")
    return wrong


@pytest.mark.parametrize("name", HOSTILE)
def test_nothing_of_a_hostile_text_works(name):
    assert faults(render_markdown(HOSTILE[name], "image not loaded")) == []


@given(st.text(alphabet=st.sampled_from(list("<>[]()!*_`#|-&;:/\"'=\\ \nabjs:x\u202e")), max_size=200))
def test_no_text_becomes_markup_of_its_own(text):
    assert faults(render_markdown(text, "image not loaded")) == []


@given(
    st.lists(st.sampled_from([*HOSTILE.values(), "\n", "\n\n", "> ", "- ", "```\n", "`", "|", "[x](", ")"]), max_size=6)
)
def test_no_combination_of_hostile_texts_works(parts):
    assert faults(render_markdown("".join(parts), "image not loaded")) == []


@pytest.mark.parametrize("name", EXPENSIVE)
def test_an_expensive_text_is_shown_in_bounded_time(name):
    """Each takes less than two seconds on a quiet machine; what costs the square of its length takes minutes."""
    begun = time.thread_time()
    html = render_markdown(EXPENSIVE[name], "image not loaded")
    assert time.thread_time() - begun < 20
    assert faults(html) == []


def test_a_long_text_is_shown_as_it_is():
    html = render_markdown("# x\n" * MAX_RENDERED, "image not loaded")
    assert html.startswith("<pre># x\n#")


def test_what_models_write_is_shown():
    html = render_markdown(
        "# Soup\n\n1. **Peas**\n2. ~~Ham~~\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```python\nx = 1  # one\n```\n", ""
    )
    for part in ("<h1>Soup</h1>", "<strong>Peas</strong>", "<s>Ham</s>", "<td>1</td>", '<span class="c1"># one</span>'):
        assert part in html


def test_a_link_shows_the_host_that_it_leads_to():
    html = render_markdown("[your bank](https://evil.example/login)", "")
    assert 'href="https://evil.example/login"' in html
    assert "(evil.example)" in html
    assert 'rel="noopener noreferrer nofollow"' in html


def test_an_image_is_its_description():
    assert render_markdown("![a cat](https://evil.example/c.png)", "image not loaded") == (
        "<p><em>a cat (image not loaded)</em></p>\n"
    )


def test_characters_that_turn_the_direction_are_shown():
    assert "[U+202E]" in render_markdown(HOSTILE["another direction"], "")
