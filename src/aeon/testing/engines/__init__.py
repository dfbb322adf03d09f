"""The conformance suite of the port `aeon.platform.processes.runs.engine.Engine`."""

from aeon.testing.engines.cases import CASES
from aeon.testing.engines.surviving import SURVIVING
from aeon.testing.engines.world import EngineWorld, MakesEngine

__all__ = ["CASES", "SURVIVING", "EngineWorld", "MakesEngine"]
