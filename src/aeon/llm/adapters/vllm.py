"""A model behind a vLLM server: OpenAI's wire format with vLLM's structured-output parameters."""

import random
from collections.abc import Callable, Mapping

from aeon.base.clock import Clock, SystemClock
from aeon.llm.adapters.chat_completions import ChatCompletionsWire, structured_outputs, unconstrained
from aeon.llm.adapters.transport import TransportLimits
from aeon.llm.adapters.wire_adapter import WireAdapter
from aeon.llm.retry import LLMRetryPolicy


class VLLMAdapter(WireAdapter):
    """A model served by vLLM 0.12 or later (older servers have other parameters for schemas).

    `deadline` limits a whole response, `timeout` the silence while it streams, both in seconds.
    """

    def __init__(  # noqa: PLR0913  # differences between servers, all by keyword
        self,
        base_url: str,
        model: str,
        *,
        api_key: str | None = None,
        timeout: float = 60.0,
        deadline: float = 300.0,
        headers: Mapping[str, str] | None = None,
        structured_output: bool = True,
        retry: LLMRetryPolicy | None = None,
        clock: Clock | None = None,
        chance: Callable[[], float] = random.random,
    ) -> None:
        super().__init__(
            base_url,
            ChatCompletionsWire(
                model, structured_outputs if structured_output else unconstrained, asks_probabilities=True
            ),
            api_key=api_key,
            headers=headers,
            limits=TransportLimits(idle_timeout=timeout, total_timeout=deadline),
            enforces_schema=structured_output,
            retry=retry,
            clock=clock or SystemClock(),
            chance=chance,
        )
