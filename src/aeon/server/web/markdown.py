"""Markdown of models and users as safe HTML: no markup of theirs, no image, no form, links to other sites only."""

import re
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import urlsplit

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup, escape
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name  # pyright: ignore[reportUnknownVariableType]  # its options are untyped
from pygments.util import ClassNotFound

MAX_RENDERED: Final = 100_000
"""Characters of a longer text are shown as they are."""

_MAX_HIGHLIGHTED: Final = 20_000
_MAX_NESTING: Final = 20
"""What lies deeper is shown as it is: the parser recurses, and with this bound its work is linear in the length."""

_TAGS: Final = frozenset(
    [
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
    ]
)
_ATTRIBUTES: Final = {"*": set[str](), "a": {"href"}, "span": {"class"}, "code": {"class"}, "ol": {"start"}}
_SCHEMES: Final = frozenset({"http", "https", "mailto"})

_DIRECTIONS: Final = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def show_directions(text: str) -> str:
    """A text in which characters that turn the direction of writing are visible instead of working."""
    return _DIRECTIONS.sub(lambda found: f"[U+{ord(found[0]):04X}]", text)


def render_markdown(text: str, image_note: str) -> Markup:
    """Safe HTML of a Markdown text. An image becomes its description and `image_note`."""
    shown = show_directions(text)
    if len(shown) > MAX_RENDERED:
        return Markup("<pre>{}</pre>").format(shown)  # escaped by format
    html = _PARSER.render(shown, {"image_note": image_note})
    # nh3 is the second wall: the parser lets no markup through.
    return Markup(nh3.clean(html, tags=set(_TAGS), attributes=_ATTRIBUTES, url_schemes=set(_SCHEMES), link_rel=_REL))  # noqa: S704


_REL: Final = "noopener noreferrer nofollow"


def _is_external(url: str) -> bool:
    """Whether a link leads to another site: a relative one would lead to this server's own pages."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in _SCHEMES and bool(parts.netloc or parts.scheme == "mailto")


def _highlighted(code: str, language: str, _attributes: str) -> str:
    if not language or len(code) > _MAX_HIGHLIGHTED:
        return str(escape(code))
    try:
        lexer = get_lexer_by_name(language)
    except ClassNotFound:
        return str(escape(code))
    return highlight(code, lexer, HtmlFormatter[str](nowrap=True))


def _image(_renderer: object, tokens: Sequence[Token], place: int, _options: OptionsDict, env: EnvType) -> str:
    return f"<em>{escape(tokens[place].content)} ({escape(env['image_note'])})</em>"


def _link_close(_renderer: object, tokens: Sequence[Token], place: int, _options: OptionsDict, _env: EnvType) -> str:
    """The end of a link, and the host that it leads to: its words may say another one."""
    opening = next(each for each in reversed(tokens[:place]) if each.type == "link_open")
    host = urlsplit(str(opening.attrGet("href"))).netloc
    return f'</a> <span class="host">({escape(host)})</span>' if host else "</a>"


def _parser() -> MarkdownIt:
    options: dict[str, Any] = {"html": False, "linkify": False, "highlight": _highlighted, "maxNesting": _MAX_NESTING}
    parser = MarkdownIt("commonmark", options).enable(["table", "strikethrough"])
    parser.validateLink = _is_external  # pyright: ignore[reportAttributeAccessIssue]  # as its documentation does
    parser.add_render_rule("image", _image)
    parser.add_render_rule("link_close", _link_close)
    return parser


_PARSER: Final = _parser()
