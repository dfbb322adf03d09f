"""A row of fixed length that shares nearly all with the row it was made from, so that a long run stays cheap."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")

_WIDTH = 100
"""The square root of the most steps that a Process has: a change copies two tuples of about that length."""


@dataclass(frozen=True, slots=True)
class PersistentArray(Generic[T]):
    """An immutable array. One with another value in one place is made by copying twice the root of its length."""

    length: int
    _pieces: tuple[tuple[T, ...], ...]

    def __getitem__(self, place: int) -> T:
        return self._pieces[place // _WIDTH][place % _WIDTH]

    def __iter__(self) -> Iterator[T]:
        return (self[place] for place in range(self.length))

    def with_value(self, place: int, value: T) -> "PersistentArray[T]":
        """The row with another value in that place."""
        number, within = divmod(place, _WIDTH)
        piece = self._pieces[number]
        changed = (*piece[:within], value, *piece[within + 1 :])
        return PersistentArray(self.length, (*self._pieces[:number], changed, *self._pieces[number + 1 :]))


def filled_array(value: T, length: int) -> PersistentArray[T]:
    """A row that holds the same value everywhere."""
    return PersistentArray(length, ((value,) * _WIDTH,) * -(-length // _WIDTH))
