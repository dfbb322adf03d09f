"""Recovery of JSON from a model's text, without a model and without guessing (core 9)."""

from aeon.validation.recovery.ladder import MAX_TEXT, RecoveredValue, RecoveryFailure, recover

__all__ = ["MAX_TEXT", "RecoveredValue", "RecoveryFailure", "recover"]
