"""The published names of this package."""

from aeon.observability.records import SupervisorAction
from aeon.supervisor.repair import Supervisor

__all__ = ["Supervisor", "SupervisorAction"]
