"""How commands that list things read their page and say that there is more."""

from typing import Literal, NamedTuple, TypeVar

from aeon.application.catalog import AnyEntities
from aeon.application.pages import Page
from aeon.cli.console import print_message
from aeon.platform.catalog.model import OwnedEntity

T = TypeVar("T")


class ListOptions(NamedTuple):
    """The options of a list: at most `limit` items after the cursor `after`, of an owner, by the start of a name."""

    limit: int
    after: str | None = None
    owner: Literal["own", "shared", "all"] = "all"
    prefix: str = ""
    archived: bool = False

    def page(self, entities: AnyEntities) -> Page[OwnedEntity]:
        """The page of these things. Raises RuleError for an invalid cursor."""
        return entities.list(
            owner=self.owner, prefix=self.prefix, archived=self.archived, after=self.after, limit=self.limit
        )


def print_whether_more(page: Page[T]) -> None:
    """Say on stderr how to list what comes after this page, if anything does."""
    if page.next_cursor is not None:
        print_message(f"there are more; list them with --after {page.next_cursor}", "next: ")
