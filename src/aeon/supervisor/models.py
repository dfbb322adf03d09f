"""The names of this room at their published place."""

from aeon.observability.records import SupervisorAction
from aeon.supervisor.repair import Supervisor

__all__ = ["Supervisor", "SupervisorAction"]
