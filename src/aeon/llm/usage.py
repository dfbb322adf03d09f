"""What model calls used: tokens by model, and their cost where the user has set a price. Pure.

Prices come from the user's settings only. A number that is not known is None, never a guess.
"""

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple, cast

from aeon.base.json import Json, JsonObject
from aeon.llm.interface import LLMAdapter, LLMRequest, LLMResponse, RequestAdapter, TextSink

_PRICE_UNIT = Decimal(1_000_000)
"""Tokens that a price is for."""


class ModelPrice(NamedTuple):
    """The prices of a million prompt tokens and a million completion tokens, in `currency`."""

    prompt: Decimal
    completion: Decimal
    currency: str


class Cost(NamedTuple):
    """An amount of money, exact."""

    amount: Decimal
    currency: str

    def __str__(self) -> str:
        return f"{self.amount.normalize():f} {self.currency}"


class CallUsage(NamedTuple):
    """The tokens of one model call, None where the adapter reported none. `model` is the name that it reported."""

    model: str | None
    prompt_tokens: int | None
    completion_tokens: int | None

    @classmethod
    def of_reply(cls, reply: JsonObject) -> "CallUsage":
        """The usage in a response as `LLMAdapter.generate` returns it and the log keeps it."""
        usage: Json = reply.get("usage")
        counts = cast(JsonObject, usage) if isinstance(usage, dict) else {}
        model: Json = reply.get("model")
        prompt, completion = (_count(counts.get(name)) for name in ("input_tokens", "output_tokens"))
        return cls(model if isinstance(model, str) else None, prompt, completion)


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """The calls of one model. `model` is "" if the adapter reports no name.

    `uncounted_calls` are those without reported tokens: they are in `calls`, and not in the tokens. `cost` is None
    without a price for the model, or with uncounted calls.
    """

    model: str
    calls: int
    uncounted_calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: Cost | None

    def as_dict(self) -> JsonObject:
        """As JSON data; the amount is text, because it is exact."""
        return {
            "model": self.model,
            "calls": self.calls,
            "uncounted_calls": self.uncounted_calls,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "cost": _cost_dict(self.cost),
        }


@dataclass(frozen=True, slots=True)
class Usage:
    """The model calls of a run, by model, in the order of their first calls. Failed calls are not counted."""

    models: tuple[ModelUsage, ...] = ()

    @property
    def calls(self) -> int:
        """The model calls that were answered."""
        return sum(each.calls for each in self.models)

    @property
    def uncounted_calls(self) -> int:
        """The calls without reported tokens."""
        return sum(each.uncounted_calls for each in self.models)

    @property
    def prompt_tokens(self) -> int:
        """The reported prompt tokens of all models."""
        return sum(each.prompt_tokens for each in self.models)

    @property
    def completion_tokens(self) -> int:
        """The reported completion tokens of all models."""
        return sum(each.completion_tokens for each in self.models)

    @property
    def cost(self) -> Cost | None:
        """The cost of all calls; None without calls, with an unknown cost, or in several currencies."""
        costs = [each.cost for each in self.models]
        known = [cost for cost in costs if cost is not None]
        if not known or len(known) < len(costs) or len({cost.currency for cost in known}) > 1:
            return None
        return Cost(sum((cost.amount for cost in known), Decimal(0)), known[0].currency)

    def as_dict(self) -> JsonObject:
        """As JSON data: the totals, then each model."""
        return {
            "calls": self.calls,
            "uncounted_calls": self.uncounted_calls,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "cost": _cost_dict(self.cost),
            "models": [each.as_dict() for each in self.models],
        }

    def __str__(self) -> str:
        """One line for people."""
        calls = f"{self.calls} model call{'' if self.calls == 1 else 's'}"
        uncounted = f" ({self.uncounted_calls} without a count)" if self.uncounted_calls else ""
        cost = f", {self.cost}" if self.cost is not None else ""
        return f"{calls}{uncounted}, {self.prompt_tokens} tokens in, {self.completion_tokens} out{cost}"


class Prices(NamedTuple):
    """The user's prices by model. `default_model` is priced by its setting's name, whatever name its server reports."""

    by_model: Mapping[str, ModelPrice] = {}
    default_model: str | None = None

    def price_of(self, model: str) -> ModelPrice | None:
        """The price of the model of that reported name, else that of the default model; None if neither is set."""
        return self.by_model.get(model) or self.by_model.get(self.default_model or "")


NO_PRICES = Prices()


def total_usage(calls: Iterable[CallUsage], prices: Prices = NO_PRICES) -> Usage:
    """The sums by model, with the costs by these prices."""
    by_model: dict[str, list[CallUsage]] = {}
    for call in calls:
        by_model.setdefault(call.model or "", []).append(call)
    return Usage(tuple(_model_usage(model, each, prices.price_of(model)) for model, each in by_model.items()))


class MeteredAdapter(RequestAdapter):
    """Passes requests on to the model of the moment and keeps the usage of each answered call. Thread-safe."""

    def __init__(self, model: Callable[[], LLMAdapter]) -> None:
        self._model = model
        self._calls: list[CallUsage] = []
        self._lock = threading.Lock()

    @property
    def calls(self) -> list[CallUsage]:
        """The usage of the calls so far."""
        with self._lock:
            return list(self._calls)

    def supports_streaming(self) -> bool:
        return self._model().supports_streaming()

    def supports_schema(self) -> bool:
        return self._model().supports_schema()

    def complete(self, request: LLMRequest, on_text: TextSink | None = None) -> LLMResponse:
        reply = self._model().complete(request, on_text)
        if isinstance(reply, LLMResponse):  # pyright: ignore[reportUnnecessaryIsInstance]  # adapters are external code
            with self._lock:
                self._calls.append(CallUsage.of_reply({"model": reply.model, "usage": reply.usage}))
        return reply


def _model_usage(model: str, calls: list[CallUsage], price: ModelPrice | None) -> ModelUsage:
    prompt = sum(call.prompt_tokens or 0 for call in calls)
    completion = sum(call.completion_tokens or 0 for call in calls)
    uncounted = sum(call.prompt_tokens is None or call.completion_tokens is None for call in calls)
    cost = None
    if price is not None and not uncounted:
        cost = Cost((prompt * price.prompt + completion * price.completion) / _PRICE_UNIT, price.currency)
    return ModelUsage(model, len(calls), uncounted, prompt, completion, cost)


def _count(value: Json) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _cost_dict(cost: Cost | None) -> JsonObject | None:
    return None if cost is None else {"amount": f"{cost.amount.normalize():f}", "currency": cost.currency}
