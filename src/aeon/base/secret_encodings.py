"""The encodings in which a secret may appear, each as a pattern to search a text for. Pure."""

import json
import re
from base64 import b32encode, b64encode
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import quote

MIN_SECRET_LENGTH = 6
"""Characters from which on a secret is also searched inside words, and in encodings of each character."""

_MAX_ENCODED = 400

_MIN_MIXED = 4
"""The same limit for a secret that has other characters than letters and digits."""

_MIN_BYTES = 6
"""Bytes from which on a secret is recognised in the middle of base64."""

_WHITE = r"(?:\s|\+|\\{1,8}(?:u[0-9A-Fa-f]{4}|[a-z])|%(?:25)?[0-9A-Fa-f]{2}|&#?\w{1,6};)*"
"""White space in a secret may be escaped in many ways, or be missing."""
_BEFORE_WORD = r"(?:(?<![^\W_])|(?<=%[0-9A-Fa-f]{2})|(?<=\\[nrt])|(?<=\\u[0-9a-fA-F]{4}))"
_AFTER_WORD = r"(?![^\W_])"


_BETWEEN_PAIRS = (
    *(("%", "%"), ("%25", "%25"), ("\\x", "\\x"), ("\\\\x", "\\\\x"), ("=", "=")),
    *(("", ":"), ("", " "), ("", "-"), ("0x", ",0x"), ("0x", ", 0x")),
)
"""The text before the first byte in hex, and between two bytes."""

_ZEROS = ("\0", "\\u0000", "%00", "\\x00")
"""The second byte of most characters in UTF-16."""


class SecretEncoding(NamedTuple):
    """One encoding of a secret.

    `is_word`: it matches only as a separate word. `is_embedded`: it is base64 or base32 between other characters of the
    same encoding. `is_exact`: no part of it may be escaped differently.
    """

    text: str
    is_word: bool = False
    is_embedded: bool = False
    is_exact: bool = False

    @property
    def anchor(self) -> str:
        """A part that appears literally in every text with this encoding: no match without it."""
        if self.is_exact:
            return self.text
        return max(re.findall(r"[A-Za-z0-9]+", self.text), key=len, default="")

    @property
    def pattern(self) -> str:
        """A regular expression that matches it, with its signs and white space in all their escaped forms."""
        if self.is_exact:
            pattern = re.escape(self.text)
        else:
            parts = re.findall(r"[A-Za-z0-9]+|\s+|[^A-Za-z0-9\s]", self.text.strip())
            pattern = "".join(map(_part_pattern, parts)) or re.escape(self.text)
        return f"{_BEFORE_WORD}{pattern}{_AFTER_WORD}" if self.is_word else pattern


def part_encodings(part: str) -> Iterator[SecretEncoding]:
    """The usual encodings of a secret or one line of it: plain, escaped, hex and base64."""
    yield SecretEncoding(part, is_word=len(part) < _MIN_MIXED or (len(part) < MIN_SECRET_LENGTH and part.isalnum()))
    in_json = (json.dumps(part, ensure_ascii=plain)[1:-1] for plain in (True, False))
    for text in {part, *in_json, quote(part, "", errors="replace")}:
        yield from _byte_encodings(text.encode(errors="replace"))


def whole_encodings(secret: str) -> Iterator[SecretEncoding]:
    """The encodings of a whole secret: UTF-16, base32, and those that encode each character separately.

    None for a short secret, which could match by chance, and none for a long one such as a PEM key: its lines suffice.
    """
    if MIN_SECRET_LENGTH <= len(secret) <= _MAX_ENCODED:
        yield from _byte_encodings(secret.encode("utf-16-le", "replace"))
        yield from _byte_encodings(secret.encode("utf-16-be", "replace"))
        yield from (SecretEncoding(each, is_exact=True) for each in _character_encodings(secret))
        within = _inside_base32(secret.encode(errors="replace"))
        yield from (SecretEncoding(each, is_embedded=True, is_exact=True) for each in within)


def basic_auth_encoding(user: str, password: str) -> SecretEncoding:
    """The credentials of HTTP Basic authentication, for a password that is too short to be recognised inside them."""
    return SecretEncoding(_base64(f"{user}:{password}".encode(errors="replace")).rstrip("="), is_word=True)


def is_short_secret(secret: str) -> bool:
    """Whether the secret is too short to be recognised in the middle of base64."""
    return len(secret.encode(errors="replace")) < _MIN_BYTES


def _byte_encodings(content: bytes) -> Iterator[SecretEncoding]:
    """Hex in both cases, base64 at every offset and in both alphabets."""
    is_word = len(content) < _MIN_BYTES
    yield SecretEncoding(content.hex(), is_word)
    yield SecretEncoding(content.hex().upper(), is_word)
    for text in {_base64(content).rstrip("=")} if is_word else set(_inside_base64(content)):
        for each in {text, text.translate(str.maketrans("+/", "-_"))}:
            yield SecretEncoding(each, is_word, is_embedded=not is_word)


def _character_encodings(part: str) -> Iterator[str]:
    """Encodings that write every character, or every byte, in the same way; hex digits in both cases."""
    content = part.encode(errors="replace")
    units = [unit.hex() for unit in _units(part)]
    for digits in (str.lower, str.upper):
        pairs = [digits(f"{byte:02x}") for byte in content]
        yield from (before + between.join(pairs) for before, between in _BETWEEN_PAIRS)
        yield from ("".join(f"{before}{digits(unit)}" for unit in units) for before in ("\\u", "%u", "\\\\u"))
        yield "".join(f"&#x{digits(f'{ord(character):x}')};" for character in part)
    yield "".join(f"&#{ord(character)};" for character in part)
    yield "".join(f"\\{byte:03o}" for byte in content)
    yield from (between.join(str(byte) for byte in content) for between in (",", ", ", " "))
    yield from ("".join(f"{character}{zero}" for character in part) for zero in _ZEROS)
    yield from ("".join(f"{zero}{character}" for character in part) for zero in _ZEROS)
    yield _quoted_printable(content)


def _units(part: str) -> list[bytes]:
    content = part.encode("utf-16-be", "replace")
    return [content[at : at + 2] for at in range(0, len(content), 2)]


def _quoted_printable(content: bytes) -> str:
    """RFC 2045, section 6.7, on one line."""
    return "".join(chr(byte) if 32 <= byte < 127 and byte != ord("=") else f"={byte:02X}" for byte in content)  # noqa: PLR2004


def _inside_base64(content: bytes) -> Iterator[str]:
    """The base64 of `content` at each offset, without the characters that contain bits of its neighbours."""
    for before in range(3):
        yield _base64(bytes(before) + content)[_whole_characters(before, len(content), 6)]


def _inside_base32(content: bytes) -> Iterator[str]:
    for before in range(5):
        yield b32encode(bytes(before) + content).decode()[_whole_characters(before, len(content), 5)]


def _whole_characters(before: int, length: int, bits: int) -> slice:
    """The encoded characters, of `bits` bits each, that contain only bits after the first `before` bytes."""
    return slice(-(-before * 8 // bits), (before + length) * 8 // bits)


def _base64(content: bytes) -> str:
    return b64encode(content).decode()


def _part_pattern(part: str) -> str:
    if part.isspace():
        return _WHITE
    return part if part.isascii() and part.isalnum() else _sign_pattern(part)


def _sign_pattern(sign: str) -> str:
    r"""A character in all its escaped forms: `\/`, `\u002f`, `%2F`, `%252F`, `&#47;`, or UTF-8 read as Latin-1."""
    from html.entities import codepoint2name  # slow to load, and only secrets with signs need it

    if sign == "\\":
        return r"(?i:\\{1,8}|%(?:25)?5c|\\{1,8}u005c|&#(?:92|x5c);)"
    encoded, units = sign.encode(errors="replace"), sign.encode("utf-16-be", "surrogatepass").hex()
    forms = (
        r"\\{1,8}".join(f"u{units[at : at + 4]}" for at in range(0, len(units), 4)),
        "".join(f"%(?:25)?{byte:02x}" for byte in encoded),
        re.escape(encoded.decode("latin-1")),
        f"&(?:{codepoint2name.get(ord(sign), 'apos')}|#{ord(sign)}|#x{ord(sign):x});",
    )
    return rf"\\{{0,8}}(?:{re.escape(sign)}|(?i:{'|'.join(forms)}))"
