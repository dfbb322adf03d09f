"""The conformance suite of the port `aeon.platform.processes.runs.engine.Engine`."""

from aeon.testing.engines.cases import CASES
from aeon.testing.engines.jumping import JUMPING, JUMPING_AND_SURVIVING
from aeon.testing.engines.reaching import ReachedBack, reaching_back
from aeon.testing.engines.surviving import SURVIVING
from aeon.testing.engines.world import EngineWorld, MakesEngine

__all__ = [
    "CASES",
    "JUMPING",
    "JUMPING_AND_SURVIVING",
    "SURVIVING",
    "EngineWorld",
    "MakesEngine",
    "ReachedBack",
    "reaching_back",
]
