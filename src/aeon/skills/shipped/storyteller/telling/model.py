"""Calls Aeon's model: OpenAI chat completions over a unix socket, with this run's token."""  # noqa: INP001  # a folder beside its script, not in the package aeon

import http.client
import json
import os
import socket
from typing import Any, NamedTuple

from .protocol import StoryRefusalError

_LARGEST_ANSWER = 1024 * 1024
"""Bytes."""


class Answer(NamedTuple):
    """The model's text, and whether it was cut off."""

    text: str
    is_cut_off: bool


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def ask(messages: list[dict[str, str]], max_tokens: int, seconds: float) -> Answer:
    """Requests one completion.

    Raises StoryRefusalError if there is no model, it refuses, or its answer is invalid.
    """
    path, token = os.environ.get("AEON_MODEL_SOCKET"), os.environ.get("AEON_MODEL_TOKEN")
    if not path or not token:
        raise StoryRefusalError("no_model", "This script has no access to a model; choose one in the settings of Aeon.")
    body = json.dumps({"model": "aeon", "messages": messages, "max_tokens": max_tokens})
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    connection = _UnixConnection(path, seconds)
    try:
        connection.request("POST", "/v1/chat/completions", body, headers)
        response = connection.getresponse()
        status, answer = response.status, response.read(_LARGEST_ANSWER + 1)
    except TimeoutError:
        raise StoryRefusalError("model_timeout", f"The model gave no answer in {seconds:g} seconds.") from None
    except (OSError, http.client.HTTPException) as error:
        raise StoryRefusalError("no_model", f"The model cannot be reached ({error}); is it running?") from None
    finally:
        connection.close()
    if len(answer) > _LARGEST_ANSWER:
        raise StoryRefusalError("model_answer", f"The model's answer is larger than {_LARGEST_ANSWER} bytes.")
    return _read(status, answer)


def _read(status: int, body: bytes) -> Answer:
    try:
        answer: Any = json.loads(body)
    except (ValueError, RecursionError):
        answer = None
    if status != http.client.OK:
        raise StoryRefusalError("model_refused", f"The model answered with status {status}: {_error_message(answer)}")
    try:
        choice = answer["choices"][0]
        text = choice["message"]["content"]
    except (KeyError, IndexError, TypeError):
        raise StoryRefusalError("model_answer", "The model's answer is not a chat completion.") from None
    if not isinstance(text, str) or not text.strip():
        raise StoryRefusalError("empty_answer", "The model's answer is empty; try again, or reword the prompt.")
    return Answer(text.strip(), choice.get("finish_reason") == "length")


def _error_message(answer: Any) -> str:
    try:
        return str(answer["error"]["message"])[:300]
    except (KeyError, TypeError):
        return "no reason given"
