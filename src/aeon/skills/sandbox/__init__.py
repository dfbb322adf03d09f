"""Runs scripts as isolated processes, and leaves no process behind.

The isolation is the best that the machine allows.
"""

from aeon.skills.sandbox.isolation import SandboxMode
from aeon.skills.sandbox.runner import SandboxRunner

__all__ = ["SandboxMode", "SandboxRunner"]
