"""Gets a page and its text: the main text of HTML with the extra `web`, other text as it stands."""

from typing import Final
from urllib.parse import urljoin

import httpx2

from aeon.adapters.operations.host_addresses import HostResolver, resolve_host
from aeon.adapters.operations.http_client import HttpRequest, HttpResponse, HttpSender, url_of
from aeon.adapters.operations.tls import client_context
from aeon.base.errors import InputError, MissingExtraError
from aeon.platform.catalog.operations import OperationError

_SECONDS = 20.0
_MAX_BYTES = 5_000_000
_MAX_DOCUMENT_BYTES = 20_000_000
_MAX_REDIRECTS = 5
_REDIRECTS = (301, 302, 303, 307, 308)
_FIRST_ERROR = 400
_HEADERS: Final = {"accept": "text/html, text/plain, text/*, application/json", "user-agent": "aeon"}


class PageReader:
    """Gets pages over http and https, each within limits of time and size.

    A page may lead to its own site only. Addresses on this machine and in private networks are refused unless they are
    allowed, and what a name resolves to is checked, so that a name cannot lead there (`resolve`).
    """

    def __init__(self, resolve: HostResolver = resolve_host, *, allow_private: bool = False) -> None:
        self._resolve = resolve
        self._allow_private = allow_private

    def read(self, address: str) -> str:
        """The text of a page. Raises InputError if there is none, MissingExtraError for HTML without the extra."""
        return _text_of(self._response(address, _MAX_BYTES), address)

    def read_document(self, address: str) -> str:
        """The text of a document, of whatever type its server calls it. Raises InputError if there is none."""
        response = self._response(address, _MAX_DOCUMENT_BYTES)
        _refuse_failure(response, address)
        try:
            return response.content.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise InputError(f"{address} is not UTF-8 text.", next_step="Check the address.") from None

    def _response(self, address: str, max_bytes: int) -> HttpResponse:
        """The response of a page. Raises InputError."""
        try:
            return self._get(_checked(address), max_bytes)
        except OperationError as error:
            raise InputError(f"{address} could not be read: {error.message}.", next_step="Check the address.") from None

    def _get(self, url: httpx2.URL, max_bytes: int) -> HttpResponse:
        """The response of a page, redirects followed. Raises InputError, OperationError."""
        for _ in range(_MAX_REDIRECTS + 1):
            verify = client_context(url.scheme, {}, None)
            sender = HttpSender(self._resolve, self._allow_private, _SECONDS, max_bytes, verify)
            with sender.open_client() as client:
                response = sender.send(client, HttpRequest("GET", url, dict(_HEADERS), None))
            if response.status not in _REDIRECTS or "location" not in response.headers:
                return response
            url = _redirected(url, response.headers["location"])
        raise OperationError(f"it was redirected more than {_MAX_REDIRECTS} times")


def _checked(address: str) -> httpx2.URL:
    url = url_of(address)
    if url.scheme not in ("http", "https") or not url.host or url.userinfo:
        raise InputError(
            f"{address} is not the address of a page.", next_step="Give one such as https://example.com/page."
        )
    return url


def _redirected(url: httpx2.URL, location: str) -> httpx2.URL:
    """Where a page leads, if that is on its own site and not less safe."""
    target = _checked(urljoin(str(url), location))
    if not is_same_site(target.host, url.host):
        raise InputError(f"{url.host} leads to {target.host}.", next_step=f"If you want that page, name it: {target}")
    if url.scheme == "https" and target.scheme == "http":
        raise InputError(f"{url.host} leads from https to http, where others can change the page.")
    return target


def is_same_site(host: str, known: str) -> bool:
    """Whether a host is the `known` one, with or without `www.`, or under it."""
    site = known.removeprefix("www.")
    return host == site or host.endswith(f".{site}")


def host_of(address: str) -> str:
    """The host that a request to this address would go to, lower case. Raises InputError."""
    try:
        return _checked(address).host.casefold()
    except OperationError:
        raise InputError(f"{address} is not an address.", next_step="Correct it.") from None


def _refuse_failure(response: HttpResponse, address: str) -> None:
    if response.status >= _FIRST_ERROR:
        raise InputError(f"{address} could not be read: its server answered {response.status}.")


def _text_of(response: HttpResponse, address: str) -> str:
    _refuse_failure(response, address)
    kind, _, parameters = response.headers.get("content-type", "").partition(";")
    kind = kind.strip().casefold()
    if kind in ("text/html", "application/xhtml+xml"):
        return _main_text(response.content, address)
    if not (kind.startswith("text/") or kind in ("application/json", "application/xml")):
        raise InputError(f"{address} is {kind or 'of an unknown type'}, not text.")
    charset = parameters.partition("charset=")[2].strip(" \"'") or "utf-8"
    try:
        return response.content.decode(charset, errors="replace")
    except LookupError:
        return response.content.decode("utf-8", errors="replace")


def _main_text(content: bytes, address: str) -> str:
    try:
        import trafilatura
    except ImportError:
        raise MissingExtraError(
            "Reading web pages needs the package trafilatura.", next_step="Install aeon-orchestrator[web]."
        ) from None
    text = trafilatura.extract(content, include_comments=False, favor_recall=True)
    if not text:
        raise InputError(f"{address} has no text; a script in a browser may make it.")
    return text
