"""The labels of workers: what the settings give them, and what tools need."""

import re
from typing import Annotated, Final, TypeAlias

from pydantic import AfterValidator, Field

MAX_LABELS: Final = 10

_WORD: Final = "[A-Za-z0-9]([A-Za-z0-9._-]{0,62}[A-Za-z0-9])?"

_LABEL: Final = rf"^{_WORD}(={_WORD})?$"


def _checked(label: str) -> str:
    if re.match(_LABEL, label) is None or label.endswith("\n"):
        raise ValueError("a label is a word such as gpu, or a word with a value such as site=berlin")
    return label


Label: TypeAlias = Annotated[str, AfterValidator(_checked), Field(json_schema_extra={"pattern": _LABEL})]
"""A name such as `gpu`, or a name with a value such as `site=berlin`."""


def _as_set(labels: list[str]) -> list[str]:
    return sorted(set(labels))


Labels: TypeAlias = Annotated[list[Label], Field(max_length=MAX_LABELS), AfterValidator(_as_set)]
"""Labels in alphabetical order, each once."""
