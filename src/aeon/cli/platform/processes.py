"""`aeon process show|diff`: shows a Process and its versions, and compares versions."""

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
from aeon.platform.processes.diff import DefinitionDifference, diff_definitions, format_differences
from aeon.platform.processes.documents import ProcessDocuments
from aeon.platform.processes.model import FIELDS_OUTSIDE_DIGEST, Process, ProcessDefinition, ProcessVersion

_DIGEST = re.compile(r"[0-9a-f]{4,64}")
_SHOWN = 12


class _ComparedDefinition(NamedTuple):
    """One of two compared definitions, with its title."""

    title: str
    definition: ProcessDefinition


def show_process(name: str, prefix: str | None, user: str) -> int:
    """Print a Process with its versions, or one version of it, as JSON."""
    with platform_session(user) as platform:
        process = platform.processes.find(user, name)
        versions = platform.processes.list_versions(user, process.id)
        shown = _pinned(platform, process, _version(versions, prefix)) if prefix else _current(process, versions)
    print_data(indented_json(shown))
    return ExitCode.DONE


def diff_process(name: str, old: str | None, new: str | None, user: str, *, as_json: bool) -> int:
    """Print the differences between two versions, step by step.

    `old` defaults to the previous version, `new` to the current one. Either may be a file that describes the Process; a
    file alone is compared with the current version. Raises InputError.
    """
    if old is not None and new is None and not _DIGEST.fullmatch(old):
        old, new = "", old
    with platform_session(user) as platform:
        process = platform.processes.find(user, name)
        versions = platform.processes.list_versions(user, process.id)
        before = _side(platform, user, process, versions, _before(process, versions) if old is None else old)
        after = _side(platform, user, process, versions, new or "")
    differences = diff_definitions(before.definition, after.definition)
    if as_json:
        data: list[Json] = [_difference_data(each) for each in differences]
        print_data(indented_json({"old": before.title, "new": after.title, "differences": data}))
        return ExitCode.DONE
    for line in format_differences(differences):
        print_data(printable(line))
    print_message(f"{len(differences)} difference(s) from {printable(before.title)} to {printable(after.title)}")
    return ExitCode.DONE


def _difference_data(difference: DefinitionDifference) -> JsonObject:
    """Return a difference under its published keys: its change is `verb`."""
    return {"verb" if name == "change" else name: value for name, value in difference._asdict().items()}


def _current(process: Process, versions: list[ProcessVersion]) -> JsonObject:
    return {**process.as_dict(), "versions": [each._asdict() for each in versions]}


def _pinned(platform: Platform, process: Process, version: ProcessVersion) -> JsonObject:
    definition = platform.processes.get_definition(version.digest).as_dict()
    pinned = {name: value for name, value in definition.items() if name not in FIELDS_OUTSIDE_DIGEST}
    return {"name": process.name, **version._asdict(), **pinned}


def _side(
    platform: Platform, user: str, process: Process, versions: list[ProcessVersion], which: str
) -> _ComparedDefinition:
    """Return the version with that digest prefix, the current one for "", or the definition in a file."""
    if which and not _DIGEST.fullmatch(which):
        return _ComparedDefinition(which, _in_file(platform, user, process, which))
    digest = _version(versions, which).digest if which else process.digest
    return _ComparedDefinition(digest[:_SHOWN], platform.processes.get_definition(digest))


def _version(versions: list[ProcessVersion], prefix: str) -> ProcessVersion:
    """Return the version with that digest prefix. Raises InputError if there is none, or more than one."""
    matching = {each.digest: each for each in versions if each.digest.startswith(prefix)}
    if len(matching) == 1:
        return next(iter(matching.values()))
    known = ", ".join(dict.fromkeys(each.digest[:_SHOWN] for each in versions[-10:]))
    raise InputError(
        f"{len(matching) or 'No'} versions begin with {prefix!r}.",
        next_step=f"Give more digits of one of these: {known}.",
    )


def _before(process: Process, versions: list[ProcessVersion]) -> str:
    if len(versions) == 1:
        raise InputError(
            f"{process.name!r} has only one version.", next_step="Name a file to compare it with, or another version."
        )
    return versions[-2].digest


def _in_file(platform: Platform, user: str, process: Process, file: str) -> ProcessDefinition:
    documents = [
        each
        for each in read_documents(read_text(Path(file)), os.environ)
        if each.kind == "Process" and each.name == process.name
    ]
    if not documents:
        raise InputError(
            f"{file} does not describe the Process {process.name!r}.",
            next_step="Name the beginning of a digest, or another file.",
        )
    return ProcessDocuments(platform.catalog, platform.processes, user).parse(documents[0], {}).definition
