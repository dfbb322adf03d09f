"""What every platform model has in common: the published field names, and how it stands in the graph."""

from collections.abc import Iterable
from typing import Annotated, ClassVar, Final, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from aeon.base.json import Json, JsonObject, canonical, parse_strict
from aeon.platform.errors import RuleError

NAME: Final = r"^[^\s\x00-\x1f\x7f]([^\x00-\x1f\x7f]{0,198}[^\s\x00-\x1f\x7f])?$"
"""Up to 200 characters, no blanks at the ends, no control characters."""

Name = Annotated[str, Field(min_length=1, max_length=200, pattern=NAME)]
"""What people call a thing; unique among what one user has of its kind."""

Description = Annotated[str, Field(max_length=4000)]

KEY_SEPARATOR = "\x1f"


class Record(BaseModel):
    """Published in camelCase, unknown fields refused, values never repeated in error messages."""

    model_config = ConfigDict(
        extra="forbid", alias_generator=to_camel, populate_by_name=True, hide_input_in_errors=True, frozen=True
    )

    stored_as_text: ClassVar[frozenset[str]] = frozenset()
    """Published names of the fields that stand in the graph as JSON text, since properties hold no objects."""

    @classmethod
    def parsed(cls, value: Json) -> Self:
        """The value as a record. Raises RuleError that lists everything wrong with it, each with its path."""
        try:
            return cls.model_validate(value)
        except ValidationError as error:
            problems = [_in_words(each["loc"], each["msg"]) for each in error.errors()]
            raise RuleError(
                f"{_kind(cls)} is not valid: {'; '.join(problems)}.",
                rule="schema",
                field=_path(error.errors()[0]["loc"]),
                next_step="Correct it and send it again.",
            ) from None

    @classmethod
    def from_node(cls, properties: JsonObject, **more: Json) -> Self:
        """The record of a node's properties; those that it does not know are left out."""
        known = {field.alias or name for name, field in cls.model_fields.items()}
        values = {name: _read(cls, name, value) for name, value in properties.items() if name in known}
        return cls.model_validate(values | more)

    def as_dict(self) -> JsonObject:
        """As JSON data under the published names."""
        return self.model_dump(mode="json", by_alias=True)

    def as_properties(self, leave_out: Iterable[str] = ()) -> JsonObject:
        """As properties of a node: objects as JSON text."""
        skipped = frozenset(leave_out)
        return {
            name: canonical(value) if name in self.stored_as_text and value is not None else value
            for name, value in self.as_dict().items()
            if name not in skipped
        }


def name_key(owner: str, name: str) -> str:
    """What is unique for a thing of one kind, its owner and its name, in their order."""
    return ordered(f"{owner}{KEY_SEPARATOR}{name}")


def ordered(text: str) -> str:
    """A text as a key that an index can be asked for a range of.

    Lower-case hexadecimal digits keep the order of code points. An index of FalkorDB folds case, and knows no blanks at
    the ends; and it gives more than was asked for, so that a query compares `key + ""` once more (decision 24).
    """
    return text.encode(errors="surrogatepass").hex()


def _read(cls: type[Record], name: str, value: Json) -> Json:
    return parse_strict(value) if name in cls.stored_as_text and isinstance(value, str) else value


def _kind(cls: type[Record]) -> str:
    return f"The {cls.__name__.removeprefix('New').removesuffix('Change').lower()}"


def _in_words(place: tuple[int | str, ...], message: str) -> str:
    return f"{_path(place)}: {message[:1].lower()}{message[1:]}"


def _path(place: tuple[int | str, ...]) -> str:
    return "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
