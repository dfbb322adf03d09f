"""Keeps credentials out of every message, whatever a server echoes."""

import json
from collections.abc import Iterable
from urllib.parse import quote

_SHORTEST = 6
"""Shorter values (a header like `x-mode: a`) are no secrets and would tear holes into ordinary words."""


class Redactor:
    """Texts that no error, log or repr may show."""

    def __init__(self, values: Iterable[str]) -> None:
        kept = {value for value in values if len(value) >= _SHORTEST}
        forms = {form for value in kept for form in (value, json.dumps(value)[1:-1], quote(value, safe=""))}
        # Longest first: one secret may be part of another.
        self._forms = sorted(forms, key=len, reverse=True)

    def redact(self, text: str) -> str:
        """`text` with every secret replaced by "[hidden]"."""
        for form in self._forms:
            text = text.replace(form, "[hidden]")
        return text

    def __repr__(self) -> str:
        return "Secrets(...)"
