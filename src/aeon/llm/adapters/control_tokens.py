"""Control tokens of a model, and requests whose texts have none of them: what a user pastes cannot speak as the system.

llama.cpp reads control tokens in the whole prompt, also in what the chat template puts there from a message.
"""

import mmap
import re
import struct
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeAlias

from aeon.base.errors import LLMError
from aeon.llm.interface import LLMRequest

_TOKENS: Final = "tokenizer.ggml.tokens"
_TYPES: Final = "tokenizer.ggml.token_type"
_TEMPLATE: Final = "tokenizer.chat_template"

_HEADER: Final = struct.Struct("<4sIQQ")
_KIND: Final = struct.Struct("<I")
_LENGTH: Final = struct.Struct("<Q")
_NUMBER_SIZES: Final = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
"""Bytes of each kind of number in the header of a GGUF file."""

_STRING, _ARRAY = 8, 9
_CONTROL_TYPES: Final = frozenset({2, 3})
"""The types of tokens that are read in no plain text: unknown and control."""

_LOOKS_LIKE_CONTROL: Final = re.compile(rb"<(\||\xef\xbd\x9c).+(\||\xef\xbd\x9c)>")
"""Tokens such as `<|im_end|>` are control tokens for llama.cpp even if the file says otherwise."""

_TEMPLATE_MARKS: Final = re.compile(r"\[/?[A-Z_]{2,}\]|<</?SYS>>")
"""What older templates write around messages in plain text, such as `[INST]`."""

_Value: TypeAlias = "bytes | list[bytes] | None"
"""A string, the strings of a list, or the bytes of a list of numbers."""


def read_control_tokens(file: Path) -> tuple[str, ...]:
    """Return the texts of a GGUF file's control tokens, and the marks of messages in its chat template.

    Raises LLMError if its header cannot be read.
    """
    try:
        with file.open("rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as content:
            fields = dict(_read_fields(content))
        return tuple(dict.fromkeys(text for text in _control_texts(fields) if len(text.strip()) > 1))
    except (OSError, ValueError, KeyError, struct.error) as error:
        raise LLMError(
            f"The vocabulary of the model file {file} cannot be read: {error}",
            next_step="Fetch the file again, or use another one.",
        ) from None


def without_control_tokens(request: LLMRequest, tokens: tuple[str, ...]) -> LLMRequest:
    """Return a request in whose texts no control token stands; each gets a space after its first character."""
    return replace(
        request,
        prompt=_broken(request.prompt, tokens),
        system_prompt=None if request.system_prompt is None else _broken(request.system_prompt, tokens),
        history=tuple(each._replace(text=_broken(each.text, tokens)) for each in request.history),
    )


def _broken(text: str, tokens: tuple[str, ...]) -> str:
    # Again until none is left: two may overlap, or one may have the space that another one got.
    while found := [each for each in tokens if each in text]:
        for each in found:
            text = text.replace(each, f"{each[0]} {each[1:]}")
    return text


def _control_texts(fields: dict[str, _Value]) -> Iterator[str]:
    tokens, types, template = fields.get(_TOKENS), fields.get(_TYPES), fields.get(_TEMPLATE)
    numbers = struct.unpack(f"<{len(types) // 4}i", types) if isinstance(types, bytes) else ()
    for place, text in enumerate(tokens if isinstance(tokens, list) else []):
        is_control = place < len(numbers) and numbers[place] in _CONTROL_TYPES
        if is_control or _LOOKS_LIKE_CONTROL.fullmatch(text):
            yield text.decode(errors="replace")
    if isinstance(template, bytes):
        yield from _TEMPLATE_MARKS.findall(template.decode(errors="replace"))


def _read_fields(content: mmap.mmap) -> Iterator[tuple[str, _Value]]:
    """Yield the fields of the header that are wanted."""
    _, _, _, count = _HEADER.unpack_from(content, 0)
    at = _HEADER.size
    for _ in range(count):
        name, at = _read_string(content, at)
        (kind,) = _KIND.unpack_from(content, at)
        value, at = _read_value(content, at + _KIND.size, kind)
        if (wanted := name.decode(errors="replace")) in {_TOKENS, _TYPES, _TEMPLATE}:
            yield wanted, value


def _read_value(content: mmap.mmap, at: int, kind: int) -> tuple[_Value, int]:
    """Return a value, and where the next one begins."""
    if kind == _STRING:
        return _read_string(content, at)
    if kind != _ARRAY:
        return None, at + _NUMBER_SIZES[kind]
    (item,) = _KIND.unpack_from(content, at)
    (count,) = _LENGTH.unpack_from(content, at + _KIND.size)
    at += _KIND.size + _LENGTH.size
    if item != _STRING:
        end = at + count * _NUMBER_SIZES[item]
        return content[at:end], end
    texts: list[bytes] = []
    for _ in range(count):
        text, at = _read_string(content, at)
        texts.append(text)
    return texts, at


def _read_string(content: mmap.mmap, at: int) -> tuple[bytes, int]:
    (length,) = _LENGTH.unpack_from(content, at)
    begin = at + _LENGTH.size
    return content[begin : begin + length], begin + length
