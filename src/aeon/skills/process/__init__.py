"""Starts scripts as processes, watches over them and leaves none behind; isolated as well as the machine allows."""

from aeon.skills.process.probe import Wish
from aeon.skills.process.runner import ProcessRunner

__all__ = ["ProcessRunner", "Wish"]
