"""Reads one RSS, Atom or JSON feed. Reads one JSON object from stdin, writes one JSON event per line to stdout."""

import json
import sys
import urllib.request
from xml.etree import ElementTree

LARGEST = 2_000_000  # bytes
ATOM = "{http://www.w3.org/2005/Atom}"


def emit(kind, **fields):
    """Write one event."""
    print(json.dumps({"version": "0", "type": kind, **fields}), flush=True)


def read_feed(data, media_type):
    """Return the title of a feed, and its entries with title and link."""
    if "json" in media_type:
        feed = json.loads(data)
        return feed["title"], [{"title": each.get("title", ""), "link": each.get("url", "")} for each in feed["items"]]
    root = ElementTree.fromstring(data)
    if root.tag == f"{ATOM}feed":
        return root.findtext(f"{ATOM}title", ""), [atom_entry(each) for each in root.iter(f"{ATOM}entry")]
    channel = root.find("channel")
    items = [{"title": each.findtext("title", ""), "link": each.findtext("link", "")} for each in root.iter("item")]
    return ("" if channel is None else channel.findtext("title", "")), items


def atom_entry(entry):
    """Return title and link of an Atom entry."""
    link = entry.find(f"{ATOM}link")
    return {"title": entry.findtext(f"{ATOM}title", ""), "link": "" if link is None else link.get("href", "")}


def main():
    """Read the feed that stdin names."""
    asked = json.load(sys.stdin)["input"]
    with urllib.request.urlopen(asked["url"], timeout=20) as response:
        data, media_type = response.read(LARGEST), response.headers.get_content_type()
    title, entries = read_feed(data, media_type)
    emit("state_patch", patch={"title": title, "entries": entries[: asked.get("entries", 10)]})
    emit("done", ok=True, summary=f"{title}: {len(entries)} entries.")


main()
