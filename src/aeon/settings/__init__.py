"""What the user has set, where each value comes from, and every mistake in it at once."""

from aeon.settings.layers import KEYS, variable
from aeon.settings.load import Loaded, LookedFor, load
from aeon.settings.model import (
    EngineSettings,
    GraphSettings,
    MemorySettings,
    ModelSettings,
    RunSettings,
    Settings,
    SkillsSettings,
    StoreSettings,
)

__all__ = [
    "KEYS",
    "EngineSettings",
    "GraphSettings",
    "Loaded",
    "LookedFor",
    "MemorySettings",
    "ModelSettings",
    "RunSettings",
    "Settings",
    "SkillsSettings",
    "StoreSettings",
    "load",
    "variable",
]
