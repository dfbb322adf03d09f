"""The base class of all platform models: names, parsing, and mapping to rows."""

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from aeon.base.json import Json, JsonObject, canonical_json, parse_strict
from aeon.base.suggestions import closest_name
from aeon.platform.errors import RuleError

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

NAME: Final = r"^[^\s\x00-\x1f\x7f]([^\x00-\x1f\x7f]{0,198}[^\s\x00-\x1f\x7f])?$"
"""1 to 200 characters, no blanks at the ends, no control characters."""

TAG: Final = r"^[^\s,]([^,\x00-\x1f\x7f]*[^\s,])?$"
"""No comma, no blanks at the ends, no control characters."""

_UNSTORABLE: Final = re.compile("[\0\ud800-\udfff]")

_NO_PATTERN: Final = {
    NAME: "it must have no blanks at its ends and no control characters",
    TAG: "it must have no comma, no blanks at its ends and no control characters",
}
"""What a text that does not match a pattern is told in its place."""

Name = Annotated[str, Field(min_length=1, max_length=200, pattern=NAME)]
"""A thing's name, unique among all things of its kind that one user owns."""

Description = Annotated[str, Field(max_length=4000)]

KEY_SEPARATOR = "\x1f"


class Record(BaseModel):
    """A model with camelCase names that refuses unknown fields and hides values in errors."""

    model_config = ConfigDict(
        extra="forbid",
        alias_generator=to_camel,
        populate_by_name=True,
        hide_input_in_errors=True,
        frozen=True,
        defer_build=True,  # each command uses only a few models
    )

    stored_as_text: ClassVar[frozenset[str]] = frozenset()
    """Fields whose columns hold JSON text: objects and lists."""

    @classmethod
    def parsed(cls, value: Json) -> Self:
        """Returns the value as a record. Raises RuleError that lists every problem with its path."""
        try:
            return cls.model_validate(value)
        except ValidationError as error:
            problems = [_problem(each["loc"], _message(cls, each)) for each in error.errors()]
            listed = "; ".join(f"{each['path']}: {each['message']}" for each in problems)
            raise RuleError(
                f"{_kind(cls)} is not valid: {listed}{'' if listed.endswith('?') else '.'}",
                rule="schema",
                field=problems[0]["path"],
                next_step="Correct it and send it again.",
                problems=list[Json](problems),
            ) from None

    @classmethod
    def from_row(cls, row: JsonObject) -> Self:
        """Returns the record of a row with columns named like the fields; ignores others."""
        known, texts = cls.model_fields, cls.stored_as_text
        return cls.model_validate(
            {
                name: parse_strict(value) if name in texts and value is not None else value
                for name, value in row.items()
                if name in known
            }
        )

    def as_dict(self) -> JsonObject:
        """Returns JSON data under the published names."""
        return self.model_dump(mode="json", by_alias=True)

    def unset_fields(self) -> JsonObject:
        """Returns the values of the fields that `as_dict` leaves out while they are not used, by published name."""
        return {
            info.alias or name: info.get_default(call_default_factory=True, validated_data={})
            for name, info in type(self).model_fields.items()
            if info.exclude_if is not None
        }

    def as_row(self) -> JsonObject:
        """Returns values by column, with objects and lists as JSON text."""
        return {
            name: canonical_json(value) if name in self.stored_as_text and value is not None else value
            for name, value in self.model_dump(mode="json").items()
        }


def replace_unstorable(text: str) -> str:
    """Replaces NUL and lone surrogates in foreign text, which no store accepts, by U+FFFD (Unicode 3.9, D92)."""
    return _UNSTORABLE.sub("\ufffd", text)


def _kind(cls: type[Record]) -> str:
    name = cls.__name__.removeprefix("New").removesuffix("Change")
    return f"The {re.sub(r'(?<=[a-z])(?=[A-Z])', ' ', name).lower()}"


def _message(cls: type[BaseModel], error: "ErrorDetails") -> str:
    details: dict[str, Any] = error.get("ctx", {})
    match error["type"]:
        case "string_pattern_mismatch":
            problem = _NO_PATTERN.get(str(details.get("pattern")), error["msg"])
        case "extra_forbidden":
            *above, field = error["loc"]
            problem = f"there is no field {field!r} here; {_known(str(field), _known_fields(cls, above))}"
        case "union_tag_invalid":
            names = re.findall(r"'([^']+)'", details["expected_tags"])
            problem = f"there is no type {details['tag']!r} here; {_known(details['tag'], names)}"
        case "union_tag_not_found":
            problem = "it has no type"
        case "model_attributes_type":
            problem = "it must be an object"
        case "model_type":
            problem = f"it must be an object with {', '.join(_known_fields(cls, error['loc']))}"
        case _:
            problem = error["msg"]
    return problem


def _known(name: str, names: list[str]) -> str:
    near = closest_name(name, names)
    return f"did you mean {near!r}?" if near else f"there are {', '.join(names)}"


def _known_fields(model: type[BaseModel], place: Iterable[int | str]) -> list[str]:
    """Returns the published names of the fields that the object at a place in a model may have."""
    models = {model}
    for part in place:
        tagged = {each for each in models if _tag(each) == part}
        inner = {found for each in models for found in _models_of_field(each, part)}
        models = tagged or inner or models
    return list(dict.fromkeys(info.alias or name for each in models for name, info in each.model_fields.items()))


def _tag(model: type[BaseModel]) -> str | None:
    """Returns what the field `type` says in a model that is one of several."""
    info = model.model_fields.get("type")
    return info.default if info is not None and isinstance(info.default, str) else None


def _models_of_field(model: type[BaseModel], name: int | str) -> Iterator[type[BaseModel]]:
    for own, info in model.model_fields.items():
        if name in (own, info.alias):
            yield from _models_in(info.annotation)


def _models_in(annotation: object) -> Iterator[type[BaseModel]]:
    """Yields the models that an annotation names, such as those of a list or a union."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for each in get_args(annotation):
        yield from _models_in(each)


def _problem(place: tuple[int | str, ...], message: str) -> JsonObject:
    return {"path": _path(place), "rule": "schema", "message": message[:1].lower() + message[1:]}


def _path(place: tuple[int | str, ...]) -> str:
    return "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
