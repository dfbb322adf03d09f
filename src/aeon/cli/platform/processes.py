"""`aeon process`: what a Process says, what it said before, and what differs."""

import os
import re
from pathlib import Path
from typing import NamedTuple

from aeon.base.errors import InputError
from aeon.base.json import Json, JsonObject
from aeon.bootstrap.platform import Platform
from aeon.cli.codes import Code
from aeon.cli.platform.catalog import text_of
from aeon.cli.platform.opening import opened
from aeon.cli.say import put, say
from aeon.cli.text import clean, pretty
from aeon.platform.catalog.documents import read_documents
from aeon.platform.processes.compare import compare, lines
from aeon.platform.processes.definition import Definition
from aeon.platform.processes.documents import ProcessDocuments
from aeon.platform.processes.model import UNPINNED, Process, Version

_DIGEST = re.compile(r"[0-9a-f]{4,64}")
_SHOWN = 12


class _Side(NamedTuple):
    """One of two definitions, and what the user calls it."""

    called: str
    definition: Definition


def show_process(name: str, prefix: str | None, user: str) -> int:
    """A Process as it is, with the versions that it had; or what one of them said. As JSON."""
    with opened(user) as platform:
        found = platform.processes.find(user, name)
        versions = platform.processes.versions(user, found.id)
        shown = _pinned(platform, found, _version(versions, prefix)) if prefix else _current(found, versions)
    put(pretty(shown))
    return Code.DONE


def diff_process(name: str, old: str | None, new: str | None, user: str, *, as_json: bool) -> int:
    """What differs between two versions, step by step. Without `old` the one before, without `new` the one of now.

    Either may be a file that describes it; a file alone is compared with what there is. Raises InputError.
    """
    if old is not None and new is None and not _DIGEST.fullmatch(old):
        old, new = "", old
    with opened(user) as platform:
        found = platform.processes.find(user, name)
        versions = platform.processes.versions(user, found.id)
        before = _side(platform, user, found, versions, _before(found, versions) if old is None else old)
        after = _side(platform, user, found, versions, new or "")
    differences = compare(before.definition, after.definition)
    if as_json:
        told: list[Json] = [each._asdict() for each in differences]
        put(pretty({"old": before.called, "new": after.called, "differences": told}))
        return Code.DONE
    for line in lines(differences):
        put(clean(line))
    say(f"{len(differences)} difference(s) from {clean(before.called)} to {clean(after.called)}")
    return Code.DONE


def _current(found: Process, versions: list[Version]) -> JsonObject:
    return {**found.as_dict(), "versions": [each._asdict() for each in versions]}


def _pinned(platform: Platform, found: Process, version: Version) -> JsonObject:
    said = platform.processes.definition(version.digest).as_dict()
    pinned = {name: value for name, value in said.items() if name not in UNPINNED}
    return {"name": found.name, **version._asdict(), **pinned}


def _side(platform: Platform, user: str, found: Process, versions: list[Version], which: str) -> _Side:
    """A version by the beginning of its digest, what is there now where nothing is named, or what a file says."""
    if which and not _DIGEST.fullmatch(which):
        return _Side(which, _in_file(platform, user, found, which))
    digest = _version(versions, which).digest if which else found.digest
    return _Side(digest[:_SHOWN], platform.processes.definition(digest))


def _version(versions: list[Version], prefix: str) -> Version:
    """The latest with that beginning. Raises InputError where there is none, or more than one."""
    matching = {each.digest: each for each in versions if each.digest.startswith(prefix)}
    if len(matching) == 1:
        return next(iter(matching.values()))
    known = ", ".join(dict.fromkeys(each.digest[:_SHOWN] for each in versions[-10:]))
    raise InputError(
        f"{len(matching) or 'No'} versions begin with {prefix!r}.", next_step=f"Name more of one of these: {known}."
    )


def _before(found: Process, versions: list[Version]) -> str:
    if len(versions) == 1:
        raise InputError(
            f"There is one version of {found.name!r}.", next_step="Name a file to compare it with, or another version."
        )
    return versions[-2].digest


def _in_file(platform: Platform, user: str, found: Process, file: str) -> Definition:
    documents = [
        each
        for each in read_documents(text_of(Path(file)), os.environ)
        if each.kind == "Process" and each.name == found.name
    ]
    if not documents:
        raise InputError(
            f"{file} describes no Process {found.name!r}.", next_step="Name the beginning of a digest, or another file."
        )
    return ProcessDocuments(platform.catalog, platform.processes, user).parsed(documents[0], {}).definition
