"""Tokens that calls of stored tools use up."""

from typing import NamedTuple

from aeon.base.json import JsonObject


class TokenUsage(NamedTuple):
    """What one call used, its repairs included. `model` is as the model calls itself, None where it does not."""

    prompt_tokens: int
    completion_tokens: int
    model: str | None

    def as_dict(self) -> JsonObject:
        """As JSON data under the published names."""
        return {
            "promptTokens": self.prompt_tokens,
            "completionTokens": self.completion_tokens,
            "model": self.model,
        }


class TokenTotals(NamedTuple):
    """What a user's calls of a tool used in all. `calls` are those that used any."""

    calls: int
    prompt_tokens: int
    completion_tokens: int

    def as_dict(self) -> JsonObject:
        """As JSON data under the published names."""
        return {
            "calls": self.calls,
            "promptTokens": self.prompt_tokens,
            "completionTokens": self.completion_tokens,
        }
