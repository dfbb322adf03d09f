"""The version of the language of Processes that an executor must know to run a definition. Pure."""

from typing import Final

from aeon.platform.processes.model import ProcessDefinition, ProcessStep

LANGUAGE: Final = 2
"""The newest version that this Aeon knows. 2 added loops, waits, and the rest of decision 71.

A construct that an earlier version would refuse, or read in another way, raises it.
"""

_SINCE_2: Final = ("for_each", "wait", "retry", "question", "compensate")


def language_of(definition: ProcessDefinition) -> int:
    """Return the earliest version of the language that has all that a definition uses."""
    has_sections = bool(definition.on_failure or definition.finally_ or definition.inputs)
    return 2 if has_sections or any(map(_uses_version_2, definition.all_steps)) else 1


def _uses_version_2(step: ProcessStep) -> bool:
    return any(getattr(step, name) is not None for name in _SINCE_2)
