"""The user's settings: their values, the origin of each, and every problem in them at once."""

from aeon.settings.layers import KEYS, environment_variable
from aeon.settings.loader import PROJECT_GRANTS, LoadedSettings, SettingsFile, load_settings, value_of
from aeon.settings.model import (
    ConversationSettings,
    EmbeddingSettings,
    EngineSettings,
    GraphitiSettings,
    GraphSettings,
    MemorySettings,
    ModelPriceSettings,
    ModelSettings,
    RunSettings,
    ServerSettings,
    Settings,
    SkillsSettings,
    StoreSettings,
    ToolsSettings,
)

__all__ = [
    "KEYS",
    "PROJECT_GRANTS",
    "ConversationSettings",
    "EmbeddingSettings",
    "EngineSettings",
    "GraphSettings",
    "GraphitiSettings",
    "LoadedSettings",
    "MemorySettings",
    "ModelPriceSettings",
    "ModelSettings",
    "RunSettings",
    "ServerSettings",
    "Settings",
    "SettingsFile",
    "SkillsSettings",
    "StoreSettings",
    "ToolsSettings",
    "environment_variable",
    "load_settings",
    "value_of",
]
