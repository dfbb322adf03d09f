"""Problems of a definition, reported all at once."""

from collections.abc import Sequence
from typing import NamedTuple

from aeon.base.json import Json
from aeon.platform.errors import RuleError

_MAX_IN_MESSAGE = 50
"""Problems in the message; the error's details hold all of them."""


class DefinitionProblem(NamedTuple):
    """One problem: its path (`$.steps[2].inputs.query`), its rule, and its message."""

    path: str
    rule: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


def raise_problems(problems: Sequence[DefinitionProblem]) -> None:
    """Raise RuleError if there are problems; `rule` and `field` are those of the first."""
    if not problems:
        return
    text = "; ".join(map(str, problems[:_MAX_IN_MESSAGE]))
    more = f"; and {len(problems) - _MAX_IN_MESSAGE} more" if len(problems) > _MAX_IN_MESSAGE else ""
    raise RuleError(
        f"The process is not valid: {text}{more}.",
        rule=problems[0].rule,
        field=problems[0].path,
        next_step="Correct it and save it again.",
        problems=list[Json](problem._asdict() for problem in problems),
    )
