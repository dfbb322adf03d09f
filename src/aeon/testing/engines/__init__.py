"""The conformance suite of the port `aeon.platform.processes.runs.engine.Engine`."""

from aeon.testing.engines.cases import CASES
from aeon.testing.engines.jumping import CLOCK_CASES, CLOCK_RECOVERY_CASES
from aeon.testing.engines.reaching import RemoteToolServer, call_remote_tools
from aeon.testing.engines.surviving import RECOVERY_CASES
from aeon.testing.engines.world import EngineFactory, EngineWorld

__all__ = [
    "CASES",
    "CLOCK_CASES",
    "CLOCK_RECOVERY_CASES",
    "RECOVERY_CASES",
    "EngineFactory",
    "EngineWorld",
    "RemoteToolServer",
    "call_remote_tools",
]
