"""What a user says of an entity."""

from typing import Annotated, TypeAlias

from pydantic import Field

from aeon.platform.knowledge.model import Category
from aeon.platform.records import Record

Facets: TypeAlias = dict[
    Annotated[str, Field(pattern=r"^[^\W\d_][\w-]{0,39}$")],
    Annotated[list[Annotated[str, Field(min_length=1, max_length=60)]], Field(max_length=10)],
]
"""Values by what they tell: `{"status": ["active"]}`."""


class NewEntity(Record):
    """An entity that a user makes."""

    name: str = Field(min_length=1, max_length=200)
    category: Category | None = None
    summary: str | None = Field(default=None, max_length=2000)
    facets: Facets = Field(default={}, max_length=20)


class NamedEntityChange(Record):
    """What a user changes of an entity. None leaves it; a facet without values is removed, and others stay."""

    name: str | None = Field(default=None, min_length=1, max_length=200)
    category: Category | None = None
    summary: str | None = Field(default=None, max_length=2000)
    facets: Facets | None = Field(default=None, max_length=20)
