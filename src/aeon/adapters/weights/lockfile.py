"""Reads lock files: lists of packages that contain weights in parts, with the hashes of their wheels."""

import re
from importlib.resources import files
from typing import NamedTuple

from aeon.base.errors import WeightsError

_LINE = re.compile(r"(?P<project>[A-Za-z0-9._-]+)==(?P<version>[A-Za-z0-9.]+) --hash=sha256:(?P<sha256>[0-9a-f]{64})")


class LockedWheel(NamedTuple):
    """One wheel: exactly this version, exactly these bytes."""

    project: str
    version: str
    sha256: str

    def __str__(self) -> str:
        return f"{self.project}=={self.version} --hash=sha256:{self.sha256}"


def read_lock(name: str) -> list[LockedWheel]:
    """Return the wheels of a lock file that ships with Aeon, in order."""
    return parse_lock(files("aeon.adapters.weights").joinpath("locks", name).read_text("utf-8"), name)


def parse_lock(text: str, name: str) -> list[LockedWheel]:
    """Read a lock file. Raises WeightsError naming every line that is not `project==version --hash=sha256:...`."""
    matches = [(number, _LINE.fullmatch(line)) for number, line in enumerate(text.splitlines(), start=1)]
    invalid = [str(number) for number, match in matches if match is None]
    if invalid or not matches:
        raise WeightsError(
            f"The lock file {name} cannot be read (line {', '.join(invalid) or '1'}).",
            next_step="Each line must read project==version --hash=sha256:<64 hex digits>.",
        )
    return [LockedWheel(**match.groupdict()) for _, match in matches if match is not None]
