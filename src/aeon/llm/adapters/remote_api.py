"""A model behind an HTTP API: OpenAI-compatible chat completions, or Anthropic's messages."""

import random
from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

from aeon.base.clock import Clock, SystemClock
from aeon.base.errors import ConfigError
from aeon.llm.adapters.anthropic_messages import AnthropicMessagesWire
from aeon.llm.adapters.chat_completions import ChatCompletionsWire, response_format, unconstrained
from aeon.llm.adapters.transport import TransportLimits
from aeon.llm.adapters.wire import WireFormat
from aeon.llm.adapters.wire_adapter import WireAdapter
from aeon.llm.retry import LLMRetryPolicy

APIKind: TypeAlias = Literal["openai", "anthropic"]


class RemoteAPIAdapter(WireAdapter):
    """A model behind an OpenAI-compatible API (`api="openai"`) or Anthropic's (`api="anthropic"`).

    `base_url` is the API's root, such as "https://host/v1". `deadline` limits a whole response, `timeout` the silence
    while it streams, both in seconds: streaming detects a stall sooner. Turn `structured_output` off for servers that
    refuse schemas. OpenAI's reasoning models require `max_tokens_field="max_completion_tokens"` and
    `send_temperature=False`. With `probabilities`, an OpenAI-compatible server is asked how sure the model was of each
    token, so that answers of which it was not sure can be marked; Anthropic's API does not tell.
    """

    def __init__(  # noqa: PLR0913  # differences between servers, all by keyword
        self,
        base_url: str,
        model: str,
        *,
        api_key: str | None = None,
        api: APIKind = "openai",
        timeout: float = 60.0,
        deadline: float = 300.0,
        headers: Mapping[str, str] | None = None,
        structured_output: bool = True,
        max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens",
        send_temperature: bool = True,
        probabilities: bool = False,
        retry: LLMRetryPolicy | None = None,
        clock: Clock | None = None,
        chance: Callable[[], float] = random.random,
    ) -> None:
        wires: dict[str, Callable[[], WireFormat]] = {
            "openai": lambda: ChatCompletionsWire(
                model,
                response_format if structured_output else unconstrained,
                max_tokens_field,
                send_temperature,
                probabilities,
            ),
            "anthropic": lambda: AnthropicMessagesWire(model, structured_output, send_temperature),
        }
        if api not in wires:
            raise ConfigError(f"There is no API named {api!r}.", next_step=f"Use one of: {', '.join(wires)}.")
        super().__init__(
            base_url,
            wires[api](),
            api_key=api_key,
            headers=headers,
            limits=TransportLimits(idle_timeout=timeout, total_timeout=deadline),
            enforces_schema=structured_output,
            retry=retry,
            clock=clock or SystemClock(),
            chance=chance,
        )
