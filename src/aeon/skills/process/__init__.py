"""Starts scripts as processes, watches over them and leaves none behind; isolated as well as the machine allows."""

from aeon.skills.process.levels import SandboxMode
from aeon.skills.process.runner import SandboxRunner

__all__ = ["SandboxMode", "SandboxRunner"]
