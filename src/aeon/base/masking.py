"""Secrets never leave a run (platform 3): where one of them stands, something else is recorded."""

import json
import re
from collections.abc import Iterable
from typing import cast

from aeon.base.json import Json, JsonObject

HIDDEN = "[hidden]"
"""What stands where a secret stood."""

_LEAST_CUT = 4
"""Letters of a secret that count as it where a text was cut in its middle."""


class Mask:
    """Replaces given secrets in text and JSON, object keys included, also where they stand as JSON inside a text."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        """Empty secrets are ignored. Of two where one contains the other, the longer is replaced first."""
        self._secrets = {secret for secret in secrets if secret}
        quoted = {json.dumps(secret, ensure_ascii=plain) for secret in self._secrets for plain in (True, False)}
        spellings = self._secrets | {text[1:-1] for text in quoted}
        longest_first = sorted(spellings, key=lambda text: (-len(text), text))
        self._pattern = re.compile("|".join(re.escape(text) for text in longest_first)) if spellings else None

    def text(self, text: str) -> str:
        """`text` without the secrets."""
        return text if self._pattern is None else self._pattern.sub(HIDDEN, text)

    def tail(self, text: str) -> str:
        """The end of a text that may begin with the rest of a secret, without the secrets."""
        return self.text(self._without_cut_secret(text))

    def value(self, value: Json) -> Json:
        """`value` without the secrets; the same object when there are none to look for."""
        return value if self._pattern is None else self._masked(value)

    def _masked(self, value: Json) -> Json:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(key): self._masked(item) for key, item in cast(JsonObject, value).items()}
        if isinstance(value, list):
            return [self._masked(item) for item in cast(list[Json], value)]
        return value

    def _without_cut_secret(self, tail: str) -> str:
        lengths = (
            length
            for secret in self._secrets
            for length in range(len(secret) - 1, _LEAST_CUT - 1, -1)
            if tail.startswith(secret[-length:])
        )
        cut = max(lengths, default=0)
        return HIDDEN + tail[cut:] if cut else tail
