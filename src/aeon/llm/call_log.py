"""Logs each call of a model to `aeon.llm`: model, duration in seconds and tokens, never a prompt or an answer."""

import logging
from collections.abc import Callable

from aeon.base.clock import Clock
from aeon.base.errors import LLMError
from aeon.base.loggers import room_logger, safe_text
from aeon.llm.interface import LLMResponse
from aeon.llm.usage import CallUsage

_LOG = room_logger("llm")


def logged_call(call: Callable[[], LLMResponse], secrets: Callable[[], set[str]], clock: Clock) -> LLMResponse:
    """Returns the response of `call`. Logs it at DEBUG, an LLMError at ERROR without the `secrets`, and raises it."""
    began = clock.monotonic()
    try:
        reply = call()
    except LLMError as error:
        seconds = clock.monotonic() - began
        _LOG.error("model call failed after %.3f s: %s", seconds, safe_text(error.message, secrets()))
        raise
    is_reply = isinstance(reply, LLMResponse)  # pyright: ignore[reportUnnecessaryIsInstance]  # adapters are external code
    if is_reply and _LOG.isEnabledFor(logging.DEBUG):
        _log_reply(reply, clock.monotonic() - began)
    return reply


def _log_reply(reply: LLMResponse, seconds: float) -> None:
    _, prompt, completion = CallUsage.of_reply({"usage": reply.usage})
    about = {"model": reply.model, "duration": seconds, "prompt_tokens": prompt, "completion_tokens": completion}
    counted = "no tokens reported" if prompt is None and completion is None else f"{prompt} + {completion} tokens"
    _LOG.debug("model %s answered after %.3f s, %s", reply.model or "(unnamed)", seconds, counted, extra=about)
