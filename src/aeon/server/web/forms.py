"""What the forms of the page have in common."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Annotated, Final, NamedTuple, TypeAlias

from fastapi import Depends, Form, Request

from aeon.application.input_fields import InputField
from aeon.platform.conversations.model import MAX_CONTENT

Said: TypeAlias = Annotated[str, Form(min_length=1, max_length=2 * MAX_CONTENT)]
"""The words of a message, in which browsers send each new line as two characters."""

Key: TypeAlias = Annotated[str, Form(min_length=1, max_length=50)]
"""The key of a form; sending it twice does it once (platform 20)."""


def normalized(content: str) -> str:
    """A text of a form as its user typed it."""
    return content.replace("\r\n", "\n")


def key_of(key: str, content: str = "") -> str:
    """The Idempotency-Key of a form with this text: other words from the same form are another request."""
    return f"{key}:{hashlib.sha256(content.encode()).hexdigest()[:16]}"


Version: TypeAlias = Annotated[int, Form(ge=1, le=10**15)]
"""The version of a thing that the form was made from: a change of another version is refused (platform 29)."""

_INPUT: Final = "in."
"""Before the names of the fields for inputs, so that none of them hides a field of the page's own."""


async def typed_inputs(request: Request) -> dict[str, str]:
    """What was typed into the fields for inputs, by their names."""
    form = await request.form()
    return {
        name.removeprefix(_INPUT): normalized(value)
        for name, value in form.multi_items()
        if name.startswith(_INPUT) and isinstance(value, str)
    }


Typed: TypeAlias = Annotated[dict[str, str], Depends(typed_inputs)]
"""What was typed into the fields for inputs."""


class ShownField(NamedTuple):
    """A field for an input, what was typed into it, and what is wrong with that."""

    field: InputField
    typed: str
    fault: str

    @property
    def name(self) -> str:
        """Its name in the form."""
        return _INPUT + self.field.name


def shown_fields(
    fields: Sequence[InputField], typed: Mapping[str, str] | None = None, faults: Mapping[str, str] | None = None
) -> list[ShownField]:
    """The fields of a form: empty, or as they were sent."""
    return [ShownField(each, (typed or {}).get(each.name, ""), (faults or {}).get(each.name, "")) for each in fields]
