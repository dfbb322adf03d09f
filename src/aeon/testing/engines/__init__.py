"""The conformance suite of the port `aeon.platform.runs.ports.Engine`."""

from aeon.testing.engines.cases import CASES
from aeon.testing.engines.clock_cases import CLOCK_CASES, CLOCK_RECOVERY_CASES
from aeon.testing.engines.language_cases import LANGUAGE_CASES, LANGUAGE_RECOVERY_CASES
from aeon.testing.engines.recovery_cases import RECOVERY_CASES
from aeon.testing.engines.remote_tools import RemoteToolServer, call_remote_tools
from aeon.testing.engines.world import EngineFactory, EngineWorld

__all__ = [
    "CASES",
    "CLOCK_CASES",
    "CLOCK_RECOVERY_CASES",
    "LANGUAGE_CASES",
    "LANGUAGE_RECOVERY_CASES",
    "RECOVERY_CASES",
    "EngineFactory",
    "EngineWorld",
    "RemoteToolServer",
    "call_remote_tools",
]
