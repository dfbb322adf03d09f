"""Files that users gave, as downloads that no browser runs or shows (RFC 6266; RFC 9110 13 and 14)."""

import re
import unicodedata
from collections.abc import AsyncIterator, Iterator
from typing import Final, NamedTuple
from urllib.parse import quote

from fastapi import Request
from fastapi.responses import Response, StreamingResponse

from aeon.server.edge.state import ServerState

_TYPES: Final = frozenset(
    {
        "application/json",
        "application/jsonl",
        "application/pdf",
        "image/gif",
        "image/jpeg",
        "image/png",
        "image/webp",
        "text/csv",
        "text/markdown",
        "text/plain",
        "text/tab-separated-values",
    }
)
"""The media types that a download may have; any other file is a sequence of bytes."""

_UNKNOWN: Final = "application/octet-stream"
_POLICY: Final = "default-src 'none'; sandbox"
_RANGE: Final = re.compile(r"bytes=(\d{0,15})-(\d{0,15})", re.ASCII | re.IGNORECASE)


class _Part(NamedTuple):
    """Bytes from `start` until before `stop`."""

    start: int
    stop: int


def download(request: Request, content: bytes, *, name: str, media_type: str, digest: str) -> Response:
    """The answer with a file, or with the part of it that was asked for; the tag is the digest of its bytes."""
    tag = f'"{digest}"'
    headers = {
        "accept-ranges": "bytes",
        "cache-control": "no-store",
        "content-disposition": disposition(name),
        "content-security-policy": _POLICY,
        "etag": tag,
    }
    if _names(request.headers.get("if-none-match", ""), tag):
        return Response(None, 304, headers)
    kind = media_type if media_type in _TYPES else _UNKNOWN
    # a text's own characters are unknown, so no charset is added
    headers["content-type"] = kind
    part = _part_of(request, tag, len(content))
    if part is None:
        return Response(content, 200, headers)
    if part.start >= part.stop:
        return Response(None, 416, {**headers, "content-range": f"bytes */{len(content)}"})
    headers["content-range"] = f"bytes {part.start}-{part.stop - 1}/{len(content)}"
    return Response(content[part.start : part.stop], 206, headers)


def streamed_download(state: ServerState, pieces: Iterator[str], *, name: str, media_type: str) -> Response:
    """The answer with a file that is made while it is sent; it breaks off if making it fails."""
    headers = {
        "cache-control": "no-store",
        "content-disposition": disposition(name),
        "content-security-policy": _POLICY,
        "content-type": media_type,
    }
    return StreamingResponse(_sent(state, pieces), headers=headers)


async def _sent(state: ServerState, pieces: Iterator[str]) -> AsyncIterator[str]:
    while (piece := await state.call(lambda: next(pieces, None))) is not None:
        yield piece


def disposition(name: str) -> str:
    """The header `Content-Disposition` of a download: its name in ASCII, and whole in UTF-8 (RFC 6266, RFC 8187).

    What would end the header, name a folder or turn the direction of writing is not in it.
    """
    shown = "".join("_" if unicodedata.category(each)[0] == "C" or each in '/\\"%' else each for each in name)
    safe = shown.strip(". ") or "file"
    plain = safe.encode("ascii", "replace").decode().replace("?", "_")
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(safe, safe='')}"


def _part_of(request: Request, tag: str, size: int) -> _Part | None:
    """The part that a request is for; None for the whole, an empty one if the file ends before it.

    Anything but a single range of bytes is ignored, as RFC 9110 14.2 allows.
    """
    asked = _RANGE.fullmatch(request.headers.get("range", "").strip())
    if asked is None or request.headers.get("if-range", tag) != tag:
        return None
    first, last = asked.groups()
    if not first:
        return _Part(max(0, size - int(last)), size) if last else None
    if last and int(last) < int(first):
        return None
    return _Part(int(first), min(size, int(last) + 1) if last else size)


def _names(header: str, tag: str) -> bool:
    """Whether `If-None-Match` names a tag."""
    return header.strip() == "*" or tag in [each.strip().removeprefix("W/") for each in header.split(",")]
