"""The sums of model calls, and their cost by the user's prices."""

from decimal import Decimal

import pytest

from aeon.llm.interface import LLMRequest, LLMResponse
from aeon.llm.usage import CallUsage, Cost, MeteredAdapter, ModelPrice, Prices, Usage, total_usage
from aeon.testing.llm import ScriptedAdapter

EURO = ModelPrice(Decimal("0.25"), Decimal(2), "EUR")
DOLLAR = ModelPrice(Decimal(1), Decimal(1), "USD")


def test_tokens_are_summed_by_model():
    usage = total_usage([CallUsage("a", 10, 2), CallUsage("b", 5, 1), CallUsage("a", 1, 1)])
    assert [(each.model, each.calls, each.prompt_tokens, each.completion_tokens) for each in usage.models] == [
        ("a", 2, 11, 3),
        ("b", 1, 5, 1),
    ]
    assert (usage.calls, usage.prompt_tokens, usage.completion_tokens) == (3, 16, 4)


def test_a_cost_is_exact():
    usage = total_usage([CallUsage("a", 1_000_000, 3)], Prices({"a": EURO}))
    assert usage.cost == Cost(Decimal("0.250006"), "EUR")
    assert str(usage) == "1 model call, 1000000 tokens in, 3 out, 0.250006 EUR"
    assert usage.as_dict()["cost"] == {"amount": "0.250006", "currency": "EUR"}


@pytest.mark.parametrize(
    ("calls", "prices"),
    [
        ([], {"a": EURO}),
        ([CallUsage("a", 1, 1)], {}),
        ([CallUsage("a", 1, 1), CallUsage("b", 1, 1)], {"a": EURO}),
        ([CallUsage("a", 1, 1), CallUsage("b", 1, 1)], {"a": EURO, "b": DOLLAR}),
        ([CallUsage("a", 1, 1), CallUsage("a", None, None)], {"a": EURO}),
        ([CallUsage("a", 1, None)], {"a": EURO}),
        ([CallUsage(None, 1, 1)], {"a": EURO}),
    ],
)
def test_a_cost_that_is_not_known_is_none(calls, prices):
    assert total_usage(calls, Prices(prices)).cost is None


def test_calls_without_a_count_are_named():
    usage = total_usage([CallUsage("a", 1, 1), CallUsage("a", None, None)])
    assert (usage.calls, usage.uncounted_calls) == (2, 1)
    assert str(usage) == "2 model calls (1 without a count), 1 tokens in, 1 out"


def test_the_default_model_is_priced_by_its_name_in_the_settings():
    prices = Prices({"gpt": EURO}, "gpt")
    assert total_usage([CallUsage("gpt-2026-05-01", 4, 0)], prices).cost == Cost(Decimal("0.000001"), "EUR")
    assert total_usage([CallUsage("other", 4, 0)], Prices({"gpt": EURO}, "none")).cost is None


def test_a_count_that_is_no_number_is_none():
    assert CallUsage.of_reply({"model": 1, "usage": {"input_tokens": "4", "output_tokens": True}}) == (None, None, None)
    assert CallUsage.of_reply({"usage": [1]}) == (None, None, None)


def test_a_metered_adapter_keeps_the_usage_of_answered_calls():
    reply = LLMResponse("a", usage={"input_tokens": 3, "output_tokens": 1}, model="m")
    metered = MeteredAdapter(lambda: model)
    model = ScriptedAdapter([reply, RuntimeError("gone")])
    assert metered.complete(LLMRequest("q")) == reply
    with pytest.raises(RuntimeError):
        metered.complete(LLMRequest("q"))
    assert metered.calls == [CallUsage("m", 3, 1)]
    assert Usage().calls == 0
