"""The text of a new Process, with every part of the language in it (platform 41)."""

import re
from importlib.resources import files
from typing import Final

from aeon.base.errors import InputError
from aeon.base.json import canonical_json
from aeon.platform.records import NAME

_NAME: Final = re.compile(NAME)
_PLAIN: Final = re.compile(r"[A-Za-z][A-Za-z0-9_ -]*")
"""Names that YAML reads as texts without quotes."""

_WORDS: Final = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})
"""Names that YAML does not read as texts."""


def new_process_text(name: str) -> str:
    """A commented YAML text of a Process that can be applied as it is. Raises InputError for an invalid name."""
    if not _NAME.fullmatch(name):
        raise InputError(
            f"{name!r} cannot name a Process.", next_step="Use 1 to 200 characters, without blanks at the ends."
        )
    is_plain = _PLAIN.fullmatch(name) is not None and name.casefold() not in _WORDS
    text = files("aeon.platform.defaults").joinpath("new-process.yaml").read_text("utf-8")
    return text.replace("name: NAME\n", f"name: {name if is_plain else canonical_json(name)}\n", 1)
