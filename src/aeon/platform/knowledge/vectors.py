"""Vectors of messages and notes: as text in the record, and as a matrix in memory that compares all of them at once.

A vector is kept as the base64 of its numbers, scaled to whole ones from -127 to 127; the cosine changes by less than
0.01. Comparing needs numpy, of the extra `knowledge`.
"""

import base64
import importlib
from array import array
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any, Final

_HIGHEST: Final = 127
_FIRST_ROWS: Final = 256
_COMPACTED_FROM: Final = 256


def can_compare_vectors() -> bool:
    """Whether numpy is installed."""
    return find_spec("numpy") is not None


def encode_vector(vector: Sequence[float]) -> str:
    """Return a vector as text. Raises ValueError for one without a direction."""
    highest = max(map(abs, vector), default=0.0)
    if not highest:
        raise ValueError("The vector has no direction.")
    return base64.b64encode(array("b", (round(value / highest * _HIGHEST) for value in vector)).tobytes()).decode()


class VectorMatrix:
    """The vectors of one model, some for each message. Not thread-safe."""

    def __init__(self, dimensions: int) -> None:
        self._numpy: Any = importlib.import_module("numpy")  # the package's types are not complete
        self._dimensions = dimensions
        self._rows: Any = self._numpy.zeros((_FIRST_ROWS, dimensions), dtype=self._numpy.float32)
        self._messages: list[str | None] = []
        self._places: dict[str, list[int]] = {}
        self._removed = 0

    def __contains__(self, message: str) -> bool:
        return message in self._places

    def messages(self) -> list[str]:
        """Return the messages that have vectors."""
        return list(self._places)

    def add(self, message: str, texts: Iterable[str]) -> None:
        """Add the vectors of a message, in the order of its parts, as the record keeps them.

        A text that no model can embed has an empty one. Raises ValueError for vectors of another length.
        """
        places = self._places.setdefault(message, [])
        for text in texts:
            if text:
                places.append(len(self._messages))
                self._messages.append(message)
                self._grow()
                self._rows[places[-1]] = self._decoded(text)

    def remove(self, message: str) -> None:
        """Remove the vectors of a message, if it has some."""
        for place in self._places.pop(message, ()):
            self._messages[place] = None
            self._rows[place] = 0
            self._removed += 1
        if self._removed >= max(_COMPACTED_FROM, len(self._messages) // 4):
            self._compact()

    def compare(self, vector: Sequence[float]) -> "Cosines":
        """Return how close all vectors are to another one, which counts until the next change."""
        asked: Any = self._numpy.asarray(vector, dtype=self._numpy.float32)
        cosines: Any = self._numpy.einsum("ij,j->i", self._rows[: len(self._messages)], asked)
        return Cosines(cosines, self._messages, self._places)  # `@` would keep all cores busy

    def _decoded(self, text: str) -> Any:
        values: Any = self._numpy.frombuffer(base64.b64decode(text), dtype=self._numpy.int8)
        if len(values) != self._dimensions:
            raise ValueError(f"The vector has {len(values)} numbers instead of {self._dimensions}.")
        row: Any = values.astype(self._numpy.float32)
        return row / self._numpy.linalg.norm(row)

    def _grow(self) -> None:
        if len(self._messages) > len(self._rows):
            self._rows = self._numpy.concatenate([self._rows, self._numpy.zeros_like(self._rows)])

    def _compact(self) -> None:
        """Close the gaps that removed vectors leave."""
        kept = [place for place, message in enumerate(self._messages) if message is not None]
        self._rows[: len(kept)] = self._rows[kept]
        self._rows[len(kept) :] = 0
        self._messages = [self._messages[place] for place in kept]
        places: dict[str, list[int]] = {message: [] for message in self._places}
        for place, message in enumerate(self._messages):
            if message is not None:
                places[message].append(place)
        self._places, self._removed = places, 0


class Cosines:
    """How close the vectors of a matrix are to another one."""

    def __init__(self, cosines: Any, messages: Sequence[str | None], places: Mapping[str, Sequence[int]]) -> None:
        """`cosines` is an array by the places of vectors, which belong to `messages`."""
        self._cosines = cosines
        self._messages = messages
        self._places = places

    def closest(self, limit: int, least: float) -> list[str]:
        """Return the messages of the `limit` vectors that are closest, if they are at least so close; each once."""
        count = len(self._messages)
        places = (-self._cosines).argpartition(limit - 1)[:limit].tolist() if count > limit else range(count)
        found = (self._messages[place] for place in places if self._cosines[place] >= least)
        return [*dict.fromkeys(message for message in found if message is not None)]

    def of(self, messages: Iterable[str]) -> dict[str, float]:
        """Return the highest cosine of each of these messages that has a vector."""
        owned = ((message, self._places.get(message, ())) for message in messages)
        return {message: max(float(self._cosines[place]) for place in places) for message, places in owned if places}

    def best_part(self, message: str) -> int:
        """Return the number of the part of a message that is closest; 0 if it has no vector."""
        cosines = [float(self._cosines[place]) for place in self._places.get(message, ())]
        return cosines.index(max(cosines)) if cosines else 0


def part_order(subjects: Mapping[str, str]) -> list[str]:
    """Return the vectors of one message, by subject, in the order of its parts: `id`, `id#1`, `id#2`, ..."""
    return [subjects[subject] for subject in sorted(subjects, key=_part_number)]


def vector_subject(message: str, part: int) -> str:
    """Return the subject of the vector of a part: of the first, the id of the message alone."""
    return f"{message}#{part}" if part else message


def _part_number(subject: str) -> int:
    number = subject.rpartition("#")[2] if "#" in subject else "0"
    return int(number)
