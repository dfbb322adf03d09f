"""`aeon process`: what a Process says, what it said before, and what differs."""

import os
import re
from pathlib import Path
from typing import NamedTuple

from aeon.base.errors import InputError
from aeon.base.json import Json, JsonObject
from aeon.bootstrap.platform import Platform
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.platform.catalog import read_text
from aeon.cli.platform.session import platform_session
from aeon.cli.text import indented_json, printable
from aeon.platform.catalog.documents import read_documents
from aeon.platform.processes.diff import diff_definitions, format_differences
from aeon.platform.processes.documents import ProcessDocuments
from aeon.platform.processes.model import FIELDS_OUTSIDE_DIGEST, Process, ProcessDefinition, ProcessVersion

_DIGEST = re.compile(r"[0-9a-f]{4,64}")
_SHOWN = 12


class _ComparedDefinition(NamedTuple):
    """One of two definitions, and what the user calls it."""

    title: str
    definition: ProcessDefinition


def show_process(name: str, prefix: str | None, user: str) -> int:
    """A Process as it is, with the versions that it had; or what one of them said. As JSON."""
    with platform_session(user) as platform:
        found = platform.processes.find(user, name)
        versions = platform.processes.list_versions(user, found.id)
        shown = _pinned(platform, found, _version(versions, prefix)) if prefix else _current(found, versions)
    print_data(indented_json(shown))
    return ExitCode.DONE


def diff_process(name: str, old: str | None, new: str | None, user: str, *, as_json: bool) -> int:
    """What differs between two versions, step by step. Without `old` the one before, without `new` the one of now.

    Either may be a file that describes it; a file alone is compared with what there is. Raises InputError.
    """
    if old is not None and new is None and not _DIGEST.fullmatch(old):
        old, new = "", old
    with platform_session(user) as platform:
        found = platform.processes.find(user, name)
        versions = platform.processes.list_versions(user, found.id)
        before = _side(platform, user, found, versions, _before(found, versions) if old is None else old)
        after = _side(platform, user, found, versions, new or "")
    differences = diff_definitions(before.definition, after.definition)
    if as_json:
        told: list[Json] = [each._asdict() for each in differences]
        print_data(indented_json({"old": before.title, "new": after.title, "differences": told}))
        return ExitCode.DONE
    for line in format_differences(differences):
        print_data(printable(line))
    print_message(f"{len(differences)} difference(s) from {printable(before.title)} to {printable(after.title)}")
    return ExitCode.DONE


def _current(found: Process, versions: list[ProcessVersion]) -> JsonObject:
    return {**found.as_dict(), "versions": [each._asdict() for each in versions]}


def _pinned(platform: Platform, found: Process, version: ProcessVersion) -> JsonObject:
    said = platform.processes.get_definition(version.digest).as_dict()
    pinned = {name: value for name, value in said.items() if name not in FIELDS_OUTSIDE_DIGEST}
    return {"name": found.name, **version._asdict(), **pinned}


def _side(
    platform: Platform, user: str, found: Process, versions: list[ProcessVersion], which: str
) -> _ComparedDefinition:
    """A version by the beginning of its digest, what is there now where nothing is named, or what a file says."""
    if which and not _DIGEST.fullmatch(which):
        return _ComparedDefinition(which, _in_file(platform, user, found, which))
    digest = _version(versions, which).digest if which else found.digest
    return _ComparedDefinition(digest[:_SHOWN], platform.processes.get_definition(digest))


def _version(versions: list[ProcessVersion], prefix: str) -> ProcessVersion:
    """The latest with that beginning. Raises InputError where there is none, or more than one."""
    matching = {each.digest: each for each in versions if each.digest.startswith(prefix)}
    if len(matching) == 1:
        return next(iter(matching.values()))
    known = ", ".join(dict.fromkeys(each.digest[:_SHOWN] for each in versions[-10:]))
    raise InputError(
        f"{len(matching) or 'No'} versions begin with {prefix!r}.", next_step=f"Name more of one of these: {known}."
    )


def _before(found: Process, versions: list[ProcessVersion]) -> str:
    if len(versions) == 1:
        raise InputError(
            f"There is one version of {found.name!r}.", next_step="Name a file to compare it with, or another version."
        )
    return versions[-2].digest


def _in_file(platform: Platform, user: str, found: Process, file: str) -> ProcessDefinition:
    documents = [
        each
        for each in read_documents(read_text(Path(file)), os.environ)
        if each.kind == "Process" and each.name == found.name
    ]
    if not documents:
        raise InputError(
            f"{file} describes no Process {found.name!r}.", next_step="Name the beginning of a digest, or another file."
        )
    return ProcessDocuments(platform.catalog, platform.processes, user).parse(documents[0], {}).definition
