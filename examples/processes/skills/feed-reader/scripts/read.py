"""Reads one RSS, Atom or JSON feed. Reads one JSON object from stdin, writes one JSON event per line to stdout."""

import json
import sys
import urllib.request
import xml.etree.ElementTree as ET

LARGEST = 2_000_000
"""Bytes of a feed."""

ATOM = "{http://www.w3.org/2005/Atom}"


def emit(kind: str, **fields: object) -> None:
    """Write one event."""
    print(json.dumps({"version": "0", "type": kind, **fields}), flush=True)


def read_feed(data: bytes, media_type: str) -> tuple[str, list[dict[str, str]]]:
    """Return the title of a feed, and its entries with title and link."""
    if "json" in media_type:
        feed = json.loads(data)
        return feed["title"], [{"title": each.get("title", ""), "link": each.get("url", "")} for each in feed["items"]]
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise ValueError("a feed with a DOCTYPE or an entity of its own is not read")
    root = ET.fromstring(data)  # noqa: S314  # without entities of its own
    if root.tag == f"{ATOM}feed":
        return root.findtext(f"{ATOM}title", ""), [atom_entry(each) for each in root.iter(f"{ATOM}entry")]
    items = [{"title": each.findtext("title", ""), "link": each.findtext("link", "")} for each in root.iter("item")]
    return root.findtext("channel/title", ""), items


def atom_entry(entry: ET.Element) -> dict[str, str]:
    """Return title and link of an Atom entry."""
    link = entry.find(f"{ATOM}link")
    return {"title": entry.findtext(f"{ATOM}title", ""), "link": "" if link is None else link.get("href", "")}


def main() -> None:
    """Read the feed that stdin names."""
    asked = json.load(sys.stdin)["input"]
    with urllib.request.urlopen(asked["url"], timeout=20) as response:  # noqa: S310  # the input's schema wants http(s)
        data, media_type = response.read(LARGEST), response.headers.get_content_type()
    title, entries = read_feed(data, media_type)
    emit("state_patch", patch={"title": title, "entries": entries[: asked.get("entries", 10)]})
    emit("done", ok=True, summary=f"{title}: {len(entries)} entries.")


main()
