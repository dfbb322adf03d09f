"""Runs scripts as processes, isolated as well as the machine allows, and leaves no process behind."""

from aeon.skills.sandbox.isolation import SandboxMode
from aeon.skills.sandbox.runner import SandboxRunner

__all__ = ["SandboxMode", "SandboxRunner"]
