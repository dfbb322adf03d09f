"""What a process can execute: calls that need no more than its labels and operations, runs in a language it knows."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from aeon.platform.catalog.needs import PLAIN_OPERATIONS, SPECIAL_OPERATIONS, needs_of, offers_of
from aeon.platform.processes.language import LANGUAGE


class Capabilities(NamedTuple):
    """The labels of a process, the operations and the version of the language that it knows, and its Aeon version."""

    labels: tuple[str, ...] = ()
    operations: tuple[str, ...] = tuple(sorted(PLAIN_OPERATIONS))
    language: int = LANGUAGE
    aeon_version: str = ""

    @property
    def offers(self) -> frozenset[str]:
        """What it offers to calls (`catalog.needs`)."""
        return offers_of(self.labels, self.operations)

    def missing(self, needs: Iterable[str]) -> list[str]:
        """Return those of the needs of a call that this process does not offer."""
        offers = self.offers
        return [each for each in needs if each not in offers]

    def fitting_needs(self, worker: str) -> list[tuple[str, ...]]:
        """Return all needs of calls of a worker type that this process satisfies; each label doubles them."""
        operations = [each for each in self.operations if SPECIAL_OPERATIONS.get(each) == worker]
        subsets: list[tuple[str, ...]] = [()]
        for label in sorted(self.labels):
            subsets += [(*subset, label) for subset in subsets]
        return [needs_of(subset, operation) for operation in ("", *operations) for subset in subsets]

    def can_execute(self, needs: Collection[str]) -> bool:
        """Return whether this process may execute a call with these needs."""
        return self.offers.issuperset(needs)
