"""Starts scripts as processes, watches over them and leaves none behind; isolated as well as the machine allows."""

from aeon.skills.sandbox.isolation import SandboxMode
from aeon.skills.sandbox.runner import SandboxRunner

__all__ = ["SandboxMode", "SandboxRunner"]
