"""Recognizes by a script's own words that it failed for lack of a grant, and names the grant (skills 15)."""

import re
import shlex
from pathlib import Path
from typing import NamedTuple

from aeon.base.next_steps import NextStep
from aeon.skills.invocation import Invocation, InvocationResult

_WRITE_REFUSALS = ("Read-only file system", "Permission denied", "EROFS", "EACCES")
"""Messages of programs that may not write."""

_NETWORK_REFUSALS = re.compile(
    r"name resolution|Name or service not known|No address associated|getaddrinfo|ENOTFOUND|EAI_AGAIN"
    r"|[Cc]ould not resolve|unable to resolve|Network is unreachable|ENETUNREACH|Connection refused|ECONNREFUSED"
    r"|connect EACCES|urlopen error|NewConnectionError|Couldn't connect|[Ff]ailed to connect|dial tcp"
    r"|(?:socket|connect)[^'\"]*Permission denied(?!: ['\"])"
)
"""Messages of programs that have no network, in the words of libc, curl, Python, Node.js and Go.

Landlock refuses a connection as it refuses a file; the message then names no file.
"""

_REFUSED_FILES = (
    re.compile(r"(?:Read-only|read-only|Permission|permission)[^\n']*'([^'\n]+)'"),
    re.compile(r"cannot \w+[^\n:'\u2018]* ['\u2018]?([^\n:'\u2019]+)['\u2019]?: (?:Read-only|Permission)"),
    re.compile(r"([^\s:'\"]+): (?:Read-only|Permission)"),
)
"""How Python and Node.js, dash and the core utilities, and bash name the file that they may not write."""


class MissingGrant(NamedTuple):
    """What a script was not granted, as a part of a sentence, and how to grant it."""

    reason: str
    next_step: NextStep


def find_missing_grant(text: str, skill: str, result: InvocationResult, invocation: Invocation) -> MissingGrant | None:
    """Returns the grant that a script lacked by its `text` about its failure; None if it lacked none."""
    if result.sandbox == "plain":
        return None
    if not invocation.access.network and _NETWORK_REFUSALS.search(text):
        return MissingGrant("the network is not granted", NextStep("skills.grant_network", skill=skill))
    if any(phrase in text for phrase in _WRITE_REFUSALS):
        folder = shlex.quote(_refused_folder(text, invocation.cwd))
        return MissingGrant(
            "scripts write only to folders that are granted", NextStep("skills.grant_write", skill=skill, folder=folder)
        )
    return None


def _refused_folder(text: str, cwd: Path) -> str:
    """Returns the folder to grant; `DIR` where it would be one that contains the user's whole home."""
    matches = [match for pattern in _REFUSED_FILES if (match := pattern.search(text))]
    file = cwd / (matches[0][1] if matches else "file")
    folder = next((each for each in file.resolve().parents if each.is_dir()), cwd)
    return "DIR" if Path.home().is_relative_to(folder) else str(folder)
