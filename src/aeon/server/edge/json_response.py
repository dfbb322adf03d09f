"""JSON answers in which any text of a tool or a model can be sent."""

import json
from typing import Any

from starlette.responses import JSONResponse

from aeon.base.json import encodable_text


class JsonResponse(JSONResponse):
    """A JSON answer in which lone surrogates, which UTF-8 cannot encode, are escaped."""

    def render(self, content: Any) -> bytes:
        text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return encodable_text(text).encode()
