"""The times of the standard rows."""

from typing import Final

from aeon.base.json import JsonObject

AT: Final = "2026-01-01T00:00:00.000000Z"

TIMES: Final[JsonObject] = {"created_at": AT, "updated_at": AT}
